package node

import (
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/futex"
	"github.com/goacp/goacp/internal/memory/heapview"
)

// record is the part of a page that processes of the owner's host read. It lies in the heap of the owner. Records are used again for other
// pages, but their memory for nothing else. So a process with an old address meets a lock, and another generation. Memory that
// reads as zero is a record of no page.
//
//goacp:c goacp_dmi_record
type record struct {
	lock       futex.RWMutex // held while the bytes or the fields below are used
	flags      uint32
	generation uint64 // of this use of the record; 0: never used
	_          [5]uint64
}

// Flags of a record. They are those of page.Owner, which has more reasons.
//
//goacp:c GOACP_DMI_
const (
	flagGuarded = 1 << iota // changes have to be requests
	flagShut                // reads, too
)

const recordsPerSlab = 64

// takeRecord returns a record of this process for a new page, and its address.
func (n *Node) takeRecord() (*record, uint64, error) {
	at, ok := n.freeRecord()
	if !ok {
		if err := n.addSlab(); err != nil {
			return nil, 0, err
		}
		return n.takeRecord()
	}
	r, err := heapview.At[record](n.mem.Own(), at)
	if err == nil && r.generation == 0 {
		r.generation = 1
	}
	return r, at, err
}

// freeRecord takes the address of a free record.
func (n *Node) freeRecord() (uint64, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	last := len(n.records) - 1
	if last < 0 {
		return 0, false
	}
	at := n.records[last]
	n.records = n.records[:last]
	return at, true
}

// addSlab gives the process more records.
func (n *Node) addSlab() error {
	const size = uint64(unsafe.Sizeof(record{}))
	slab, err := n.mem.Own().AllocZero(recordsPerSlab * size)
	if err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for i := range uint64(recordsPerSlab) {
		n.records = append(n.records, slab+i*size)
	}
	return nil
}

// returnRecord takes back a record that has a new generation, and that this thread does not hold.
func (n *Node) returnRecord(at uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.records = append(n.records, at)
}

// retire ends this use of the record, before the bytes of the page are used for something else. The caller holds the lock.
func (r *record) retire() { atomic.AddUint64(&r.generation, 1) } // threads that wait at a barrier look without the lock

// near is the bytes of a page in the heap of its owner, as this process has mapped them.
type near struct {
	record     *record
	generation uint64
	bytes      []byte
}

// verdict is whether a process could use the bytes of a page itself.
type verdict uint8

const (
	used    verdict = iota // it has
	refused                // the access has to be a request
	stale                  // the record is that of another page now
)

// judge returns the verdict about an access that the flags keep out. The caller holds the lock.
func (b *near) judge(keepOut uint32) verdict {
	switch {
	case b.record.generation != b.generation:
		return stale
	case b.record.flags&keepOut != 0:
		return refused
	}
	return used
}

// read copies the bytes of the page from at on to dst, if it may.
func (b *near) read(over func() error, dst []byte, at int64) (verdict, error) {
	if err := b.record.lock.RLock(over); err != nil {
		return refused, err
	}
	defer b.record.lock.RUnlock()
	v := b.judge(flagShut)
	if v == used {
		copy(dst, b.bytes[at:])
	}
	return v, nil
}

// change makes a change of size bytes of the page, if it may.
func (b *near) change(over func() error, c *change, at, size int64) (verdict, error) {
	if err := b.record.lock.Lock(over); err != nil {
		return refused, err
	}
	defer b.record.lock.Unlock()
	v := b.judge(flagGuarded | flagShut)
	if v == used {
		c.apply(b.bytes[at:][:size])
	}
	return v, nil
}
