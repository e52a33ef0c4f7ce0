package hashed

import (
	"unsafe"

	"github.com/goacp/goacp/internal/memory/heapview"
)

// An iterator names its element by the address. When the element has been removed, its memory may be in use
// again, even by another element of the same slot. So once a table has returned an iterator, it keeps tombstones
// for each slot: the elements that were removed last, and the element that followed each of them. The tombstones
// lie in a separate block, which is allocated for the first iterator.
//
// A new element does not get an address that is in the tombstones of its slot. So an iterator
// never names two elements.

// tombstone is what remains of a removed element.
//
//goacp:c goacp_tombstone
type tombstone struct {
	elem uint64 // its address; 0 if the tombstone is not in use
	next uint64 // the element that follows its place now, 0 if it is the end of the slot
}

const tombstoneSize = uint64(unsafe.Sizeof(tombstone{}))

//goacp:c GOACP_
const (
	fewTombstones  = 4  // tombstones of a slot at least
	manyTombstones = 64 // tombstones of a table at least
)

// tombstonesOf returns how many tombstones each slot of a table with slots slots has.
func tombstonesOf(slots uint32) uint64 { return max(fewTombstones, manyTombstones/uint64(slots)) }

// keepTombstones makes the table keep tombstones from now on, unless the heap is full. The caller holds
// the lock of a slot.
func (t *table) keepTombstones() {
	if loadWord(&t.mark.left) != 0 {
		return
	}
	size := uint64(t.slots) * tombstonesOf(t.slots) * tombstoneSize
	ga, err := t.view.Alloc(size)
	if err != nil {
		return
	}
	b, err := t.view.Bytes(ga, size)
	if err == nil {
		clear(b)
	}
	// Under the lock of another slot, another operation may do the same.
	if err != nil || !swapWord(&t.mark.left, 0, ga) {
		_ = t.view.Free(ga) // cannot fail: this call has allocated it
	}
}

// tombstones returns the tombstones of slot n, the latest first; nil if the table keeps none. The
// caller holds the lock of the slot.
func (t *table) tombstones(n uint32) []tombstone {
	ga := loadWord(&t.mark.left)
	if ga == 0 || ga%8 != 0 {
		return nil
	}
	each := tombstonesOf(t.slots)
	b, err := t.view.Bytes(ga+uint64(n)*each*tombstoneSize, each*tombstoneSize)
	if err != nil {
		return nil
	}
	return unsafe.Slice((*tombstone)(unsafe.Pointer(unsafe.SliceData(b))), each)
}

// addTombstone records that elem is no longer in slot n, and that next follows its place. now is the
// element that has replaced elem, or next if there is none. The caller holds the lock of the
// slot.
func (t *table) addTombstone(n uint32, elem, now, next uint64) {
	all := t.tombstones(n)
	if all == nil {
		return
	}
	for i := range all {
		if all[i].elem != 0 && all[i].next == elem {
			all[i].next = now
		}
	}
	copy(all[1:], all)
	all[0] = tombstone{elem, next}
}

// clearTombstones erases the tombstones of slot n, whose lock the caller holds.
func (t *table) clearTombstones(n uint32) { clear(t.tombstones(n)) }

// successorOf returns the element that follows the place of elem, which was removed from slot n. ok is false if
// there is no tombstone about elem.
func (t *table) successorOf(n uint32, elem uint64) (next uint64, ok bool) {
	for _, p := range t.tombstones(n) {
		if p.elem == elem {
			return p.next, elem != 0
		}
	}
	return 0, false
}

// allocAside returns a new block for an element of slot n, whose address is not in the tombstones
// of the slot. If the heap has no such block, it takes one with a tombstone and erases the tombstone.
// The caller holds the lock of the slot.
func (t *table) allocAside(n uint32, size uint64) (uint64, error) {
	ga, err := t.view.Alloc(size)
	if all := t.tombstones(n); err == nil && tombstoneOf(all, ga) != nil {
		return t.passTombstones(all, ga, size)
	}
	return ga, err
}

// passTombstones is allocAside when all has a tombstone of the block ga.
func (t *table) passTombstones(all []tombstone, ga, size uint64) (uint64, error) {
	var passed [manyTombstones]uint64
	used := 0
	for old := tombstoneOf(all, ga); old != nil; old = tombstoneOf(all, ga) {
		other, err := t.view.Alloc(size)
		if err != nil {
			*old = tombstone{}
			break
		}
		passed[used], used, ga = ga, used+1, other // fewer than there are tombstones
	}
	for _, block := range passed[:used] {
		if err := t.view.Free(block); err != nil {
			return 0, err
		}
	}
	return ga, nil
}

// tombstoneOf returns the tombstone of an element that was at ga, nil if there is none.
func tombstoneOf(all []tombstone, ga uint64) *tombstone {
	for i := range all {
		if all[i].elem == ga {
			return &all[i]
		}
	}
	return nil
}

// behind returns the address of the element of slot n behind ga, 0 if there is none. The
// caller holds the lock of l, which is slot n.
//
// The element may have been removed since the caller got its address. Then a tombstone may name the successor of
// its place. If there is no tombstone, the links in its old memory stay until the memory is used again. They count
// if they name two neighbours of this slot. Otherwise behind returns 0, and the iteration skips the rest of
// the slot.
func (t *table) behind(l *slot, n uint32, ga uint64) (uint64, error) {
	var old node
	if e, err := heapview.At[node](t.view, ga); err == nil {
		old = *e
	}
	follows, prev, at := false, uint64(0), l.first
	for most := t.most(l); at != 0 && most > 0; most-- {
		e, err := heapview.At[node](t.view, at)
		if err != nil {
			return 0, err
		}
		if at == ga {
			return e.next, nil
		}
		follows = follows || prev == old.prev && at == old.next
		prev, at = at, e.next
	}
	if next, ok := t.successorOf(n, ga); ok {
		return next, nil
	}
	if follows {
		return old.next, nil
	}
	return 0, nil
}

// has reports whether the element at ga is in the chain of l, whose lock the caller holds.
func (t *table) has(l *slot, ga uint64) (bool, error) {
	at := l.first
	for most := t.most(l); at != 0 && at != ga && most > 0; most-- {
		e, err := heapview.At[node](t.view, at)
		if err != nil {
			return false, err
		}
		at = e.next
	}
	return at == ga && ga != 0, nil
}
