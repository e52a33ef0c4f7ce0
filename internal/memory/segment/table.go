package segment

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// table is the part of a space that translates positions of registered memory: a tree of two
// levels. The regions are in leaves, and an index has the leaves. So a change moves no more than a
// leaf, and now and then the index, however many regions there are.
//
// The owner writes it under its own lock. A process that maps it reads it without a lock, and
// checks the sequence number.
type table struct {
	head    *tableHeader
	index   []leaf
	entries []entry
	leaves  uint32 // leaves that are mapped

	free    []uint32 // of the owner: rooms below made that no leaf has
	regions int      // of the owner
}

// tableAt returns the table at p, of which so many leaves are mapped.
func tableAt(p unsafe.Pointer, leaves uint32) *table {
	return &table{
		head:    (*tableHeader)(p),
		index:   unsafe.Slice((*leaf)(unsafe.Add(p, unsafe.Sizeof(tableHeader{}))), maxLeaves),
		entries: unsafe.Slice((*entry)(unsafe.Add(p, entriesAt)), uint64(leaves)*leafSize),
		leaves:  leaves,
	}
}

// crowded reports whether the table has more leaves than are mapped.
func (t *table) crowded() bool {
	return min(atomic.LoadUint32(&t.head.made), maxLeaves) > t.leaves
}

// lookupTries bounds how long a reader waits for an owner that is changing the table. An owner
// that was stopped meanwhile must not block its peers.
const lookupTries = 1 << 20

// lookup returns the owner's address of the n bytes at position pos. ok is false
// if they are not all in one region.
func (t *table) lookup(pos, n uint64) (addr uint64, ok bool) {
	e, ok := t.region(pos)
	return e.addr + (pos - e.pos), ok && within(pos, n, e.pos, e.size)
}

// region returns the last region that begins at pos or before it.
func (t *table) region(pos uint64) (e entry, ok bool) {
	for try := 0; try < lookupTries; try++ {
		seq := atomic.LoadUint32(&t.head.seq)
		if seq&1 == 0 {
			e, ok = t.search(pos)
			if atomic.LoadUint32(&t.head.seq) == seq {
				return e, ok
			}
		}
		if try > 64 {
			runtime.Gosched()
		}
	}
	return entry{}, false
}

// lookupOnce is lookup that does not wait for an owner that is changing the table: ok is false then. It is
// false, too, if not all leaves are mapped.
func (t *table) lookupOnce(pos, n uint64) (addr uint64, ok bool) {
	seq := atomic.LoadUint32(&t.head.seq)
	if t.crowded() {
		return 0, false
	}
	e, ok := t.search(pos)
	ok = ok && seq&1 == 0 && atomic.LoadUint32(&t.head.seq) == seq
	return e.addr + (pos - e.pos), ok && within(pos, n, e.pos, e.size)
}

// search may see a table that is being changed; its result counts only if the
// sequence number has not moved. All loads are atomic so that they stay between
// the two loads of that number on every processor.
func (t *table) search(pos uint64) (e entry, ok bool) {
	lo, hi := uint32(0), min(atomic.LoadUint32(&t.head.leaves), maxLeaves)
	for lo < hi { // the first leaf that begins behind pos
		mid := lo + (hi-lo)/2
		if atomic.LoadUint64(&t.index[mid].first) <= pos {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return e, false
	}
	l := &t.index[lo-1]
	at, count := uint64(atomic.LoadUint32(&l.at)), uint64(atomic.LoadUint32(&l.count))
	if at+count > uint64(len(t.entries)) {
		return e, false
	}
	entries := t.entries[at:][:count]
	lo, hi = 0, uint32(count)
	for lo < hi {
		mid := lo + (hi-lo)/2
		if atomic.LoadUint64(&entries[mid].pos) <= pos {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return e, false
	}
	found := &entries[lo-1]
	return entry{atomic.LoadUint64(&found.pos), atomic.LoadUint64(&found.size), atomic.LoadUint64(&found.addr)}, true
}
