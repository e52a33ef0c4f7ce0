package segment

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// table is the part of a space that translates positions of registered memory.
// The owner writes it under its own lock. A process that maps it reads it without a lock, and
// checks the sequence number.
type table struct {
	head    *tableHeader
	entries []entry
	room    uint32 // entries that are mapped
}

// tableAt returns the table at p, of which so many entries are mapped.
func tableAt(p unsafe.Pointer, room uint32) *table {
	return &table{
		head:    (*tableHeader)(p),
		entries: unsafe.Slice((*entry)(unsafe.Add(p, unsafe.Sizeof(tableHeader{}))), room),
		room:    room,
	}
}

// crowded reports whether the table has more entries than are mapped.
func (t *table) crowded() bool {
	return min(atomic.LoadUint32(&t.head.count), maxEntries) > t.room
}

// lookupTries bounds how long a reader waits for an owner that is changing the table. An owner
// that was stopped meanwhile must not block its peers.
const lookupTries = 1 << 20

// lookup returns the owner's address of the n bytes at position pos. ok is false
// if they are not all in one region.
func (t *table) lookup(pos, n uint64) (addr uint64, ok bool) {
	for try := 0; try < lookupTries; try++ {
		seq := atomic.LoadUint32(&t.head.seq)
		if seq&1 == 0 {
			addr, ok = t.search(pos, n)
			if atomic.LoadUint32(&t.head.seq) == seq {
				return addr, ok
			}
		}
		if try > 64 {
			runtime.Gosched()
		}
	}
	return 0, false
}

// lookupOnce is lookup that does not wait for an owner that is changing the table: ok is false then. It is
// false, too, if not all entries are mapped.
func (t *table) lookupOnce(pos, n uint64) (addr uint64, ok bool) {
	seq := atomic.LoadUint32(&t.head.seq)
	if t.crowded() {
		return 0, false
	}
	addr, ok = t.search(pos, n)
	return addr, ok && seq&1 == 0 && atomic.LoadUint32(&t.head.seq) == seq
}

// search may see a table that is being changed; its result counts only if the
// sequence number has not moved. All loads are atomic so that they stay between
// the two loads of that number on every processor.
func (t *table) search(pos, n uint64) (addr uint64, ok bool) {
	lo, hi := uint32(0), min(atomic.LoadUint32(&t.head.count), t.room)
	for lo < hi {
		mid := lo + (hi-lo)/2
		if atomic.LoadUint64(&t.entries[mid].pos) <= pos {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return 0, false
	}
	e := &t.entries[lo-1]
	off := pos - atomic.LoadUint64(&e.pos)
	size := atomic.LoadUint64(&e.size)
	if off > size || n > size-off {
		return 0, false
	}
	return atomic.LoadUint64(&e.addr) + off, true
}

// insert adds a region. Only the owner calls it, under its lock.
func (t *table) insert(e entry) error {
	count := t.head.count
	if count == maxEntries {
		return ErrTableFull
	}
	at := t.index(e.pos)
	t.change(func() {
		for i := count; i > at; i-- {
			t.set(i, t.entries[i-1])
		}
		t.set(at, e)
		atomic.StoreUint32(&t.head.count, count+1)
	})
	return nil
}

// remove takes out the region that begins at pos. Only the owner calls it, under
// its lock.
func (t *table) remove(pos uint64) {
	count := t.head.count
	at := t.index(pos)
	if at == count || t.entries[at].pos != pos {
		return
	}
	t.change(func() {
		for i := at; i < count-1; i++ {
			t.set(i, t.entries[i+1])
		}
		atomic.StoreUint32(&t.head.count, count-1)
	})
}

// clear takes out everything.
func (t *table) clear() {
	t.change(func() { atomic.StoreUint32(&t.head.count, 0) })
}

func (t *table) change(f func()) {
	atomic.AddUint32(&t.head.seq, 1)
	f()
	atomic.AddUint32(&t.head.seq, 1)
}

func (t *table) set(i uint32, e entry) {
	atomic.StoreUint64(&t.entries[i].pos, e.pos)
	atomic.StoreUint64(&t.entries[i].size, e.size)
	atomic.StoreUint64(&t.entries[i].addr, e.addr)
}

// index returns the number of entries that begin before pos.
func (t *table) index(pos uint64) uint32 {
	lo, hi := uint32(0), t.head.count
	for lo < hi {
		mid := lo + (hi-lo)/2
		if t.entries[mid].pos < pos {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// without returns the parts of the memory x that are in no region. Only the owner calls it,
// under its lock.
func (t *table) without(x extent) Extents {
	rest := Extents{x}
	for i := range t.head.count {
		if e := &t.entries[i]; e.addr < x.addr+x.size && x.addr < e.addr+e.size {
			rest = rest.without(e.addr, e.size)
		}
	}
	return rest
}

// gap returns the lowest position of at least need free positions at or after
// from, and false if there is none below UserEnd.
func (t *table) gap(from, need uint64) (uint64, bool) {
	at := from
	for i := t.index(from); ; i++ {
		if i > 0 {
			at = max(at, end(t.entries[i-1]))
		}
		limit := uint64(UserEnd)
		if i < t.head.count {
			limit = t.entries[i].pos &^ (PageSize - 1)
		}
		if at+need <= limit {
			return at, true
		}
		if i >= t.head.count {
			return 0, false
		}
	}
}

// end is the first position that a region behind e may have. An unused page between the two
// makes an access that runs beyond one region fail.
func end(e entry) uint64 { return roundUp(e.pos+e.size, PageSize) + PageSize }
