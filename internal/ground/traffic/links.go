package traffic

import (
	"sync/atomic"
	"time"
	"unsafe"
)

const (
	maxLinks    = 64
	maxLinkName = 96
)

// Link holds what a process has done at its end of a link of coupled models.
type Link struct {
	Name     string        `json:"name"`
	Receives bool          `json:"receives,omitempty"`
	Messages uint64        `json:"messages"` // sent
	Bytes    uint64        `json:"bytes"`
	Begun    int64         `json:"begun"`           // when it was opened, in nanoseconds of Unix time
	Ended    int64         `json:"ended,omitempty"` // when it was closed; 0: it is open
	Waited   time.Duration `json:"waited,omitempty"`
}

// Sent counts the messages that a process sends by a link. It lies in the file. The methods of a nil Sent do
// nothing.
//
//goacp:c goacp_sent
type Sent struct {
	Messages uint64
	Bytes    uint64
}

// LinkEnd counts what a process does at its end of a link. It lies in the file. The methods of a nil LinkEnd do nothing.
type LinkEnd struct {
	sent     Sent
	begun    int64
	ended    int64
	waited   int64
	receives uint32
	_        uint32
}

// linkRecord is a Link in the file.
type linkRecord struct {
	LinkEnd
	name [maxLinkName]byte // all 0: none
}

// linkKey names the end of a link.
type linkKey struct {
	name     string
	receives bool
}

// links has the links of a process.
type links struct {
	to    *[maxLinks]linkRecord
	known map[linkKey]*linkRecord
}

func (t *Table) linkRecords() *[maxLinks]linkRecord {
	return (*[maxLinks]linkRecord)(unsafe.Pointer(&t.mem[linksAt]))
}

// Link returns the counters of the sending or receiving end of the link with a name. They are valid as long as the table. Nil if
// the table is nil or has too many links.
func (t *Table) Link(name string, receives bool) *LinkEnd {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	key := linkKey{name, receives}
	r := t.links.known[key]
	if r == nil && len(t.links.known) < maxLinks {
		r = &t.links.to[len(t.links.known)]
		t.links.known[key] = r
		copy(r.name[:], name)
		if receives {
			r.receives = 1
		}
	}
	if r == nil {
		return nil
	}
	return &r.LinkEnd
}

// Sent returns the counters of what the end sends.
func (e *LinkEnd) Sent() *Sent {
	if e == nil || e.receives != 0 {
		return nil
	}
	return &e.sent
}

// Begin notes that the link is open.
func (e *LinkEnd) Begin() {
	if e != nil {
		atomic.CompareAndSwapInt64(&e.begun, 0, time.Now().UnixNano())
		atomic.StoreInt64(&e.ended, 0)
	}
}

// End notes that the link is closed.
func (e *LinkEnd) End() {
	if e != nil {
		atomic.StoreInt64(&e.ended, time.Now().UnixNano())
	}
}

// Wait counts a wait at the end.
func (e *LinkEnd) Wait(d time.Duration) {
	if e != nil {
		atomic.AddInt64(&e.waited, int64(d))
	}
}

// Add counts a message of n bytes.
func (s *Sent) Add(n uint64) {
	if s != nil {
		atomic.AddUint64(&s.Messages, 1)
		atomic.AddUint64(&s.Bytes, n)
	}
}

// decodeLinks returns the links that have been opened.
func decodeLinks(records *[maxLinks]linkRecord) (list []Link) {
	for i := range records {
		if r := &records[i]; r.begun != 0 {
			list = append(list, Link{
				Name: textOf(r.name[:]), Receives: r.receives != 0, Messages: r.sent.Messages, Bytes: r.sent.Bytes,
				Begun: r.begun, Ended: r.ended, Waited: time.Duration(max(r.waited, 0)),
			})
		}
	}
	return list
}
