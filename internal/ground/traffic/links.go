package traffic

import (
	"sync/atomic"
	"unsafe"
)

const (
	maxLinks    = 64
	maxLinkName = 64
)

// Link holds the messages that a process has sent by its end of a link of coupled models.
type Link struct {
	Name     string `json:"name"`
	Messages uint64 `json:"messages"`
	Bytes    uint64 `json:"bytes"`
}

// Sent counts the messages that a process sends by a link. It lies in the file. The methods of a nil Sent do
// nothing.
//
//goacp:c goacp_sent
type Sent struct {
	Messages uint64
	Bytes    uint64
}

// linkRecord is a Link in the file.
type linkRecord struct {
	sent Sent
	name [maxLinkName]byte // all 0: none
}

// links has the links of a process.
type links struct {
	to    *[maxLinks]linkRecord
	known map[string]*linkRecord
}

func (t *Table) linkRecords() *[maxLinks]linkRecord {
	return (*[maxLinks]linkRecord)(unsafe.Pointer(&t.mem[linksAt]))
}

// Link returns the counters of the link with a name. They are valid as long as the table. Nil if the table is
// nil or has too many links.
func (t *Table) Link(name string) *Sent {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.links.known[name]
	if r == nil && len(t.links.known) < maxLinks {
		r = &t.links.to[len(t.links.known)]
		t.links.known[name] = r
		copy(r.name[:], name)
	}
	if r == nil {
		return nil
	}
	return &r.sent
}

// Add counts a message of n bytes.
func (s *Sent) Add(n uint64) {
	if s != nil {
		atomic.AddUint64(&s.Messages, 1)
		atomic.AddUint64(&s.Bytes, n)
	}
}

func decodeLinks(records *[maxLinks]linkRecord) (list []Link) {
	for i := range records {
		if r := &records[i]; r.sent.Messages > 0 {
			list = append(list, Link{Name: textOf(r.name[:]), Messages: r.sent.Messages, Bytes: r.sent.Bytes})
		}
	}
	return list
}
