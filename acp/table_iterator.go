package acp

import (
	"github.com/goacp/goacp/internal/am"
	"github.com/goacp/goacp/internal/hashed"
)

// TableIterator is a place in a set, multiset or map. Elements stand in the order of
// their tables, there in that of their slots, and in a slot in that of their insertion.
// The place behind the last element has the number of tables as its Rank and a null Elem.
//
// An iterator belongs to its element. Going on from an element that has been removed leads
// to the one that followed it. A table keeps notes of the last 4 elements that have been
// removed from a slot, or more if it has few slots; going on from an element that has been
// removed before those may leave out the rest of its slot.
type TableIterator struct {
	Rank int // number of the table in the directory; no rank of a process
	Slot int
	Elem GA
}

// End returns the place behind the last element. Local. Does not block. Spec 4.6.13,
// 4.7.13.
func (t tables) End() TableIterator { return TableIterator{Rank: int(t.at.Ranks)} }

// Begin returns the first element. Any rank. Blocks for a round trip for each table until
// one has an element. Spec 4.6.5, 4.7.5.
func (t tables) Begin() (TableIterator, error) {
	it, err := t.firstFrom(0)
	return it, t.failed("iteration", err)
}

// BeginLocal returns the first element on the calling rank, or what EndLocal returns if
// there is none. Any rank. Blocks as Begin does. Spec 4.6.4, 4.7.4.
func (t tables) BeginLocal() (TableIterator, error) {
	first, _, err := t.localPart()
	if err != nil {
		return t.End(), t.failed("iteration", err)
	}
	it, err := t.firstFrom(first)
	return it, t.failed("iteration", err)
}

// EndLocal returns what Next makes of the last element on the calling rank: the first
// element of the tables behind. If the tables of the rank are not next to each other in
// the directory, only the first of them count. Any rank. Blocks as Begin does. Spec
// 4.6.12, 4.7.12.
func (t tables) EndLocal() (TableIterator, error) {
	_, end, err := t.localPart()
	if err != nil {
		return t.End(), t.failed("iteration", err)
	}
	it, err := t.firstFrom(end)
	return it, t.failed("iteration", err)
}

// Next returns the element behind it, and the end for the end. Fails with ErrBadIterator
// for a place outside. Any rank. Blocks as Begin does. Spec 4.6.25, 4.7.26.
func (t tables) Next(it TableIterator) (TableIterator, error) {
	if it.Elem == NullGA {
		return t.End(), nil
	}
	if !t.has(it) {
		return t.End(), t.failed("iteration", ErrBadIterator)
	}
	next, err := t.nextOf(it)
	return next, t.failed("iteration", err)
}

// has reports whether it may be a place of an element.
func (t tables) has(it TableIterator) bool {
	return it.Rank >= 0 && uint64(it.Rank) < t.at.Ranks && it.Slot >= 0 && uint64(it.Slot) < t.at.Slots
}

func (t tables) nextOf(it TableIterator) (TableIterator, error) {
	if err := t.check(); err != nil {
		return t.End(), err
	}
	r, err := t.onTable(hashed.Next, uint32(it.Rank), uint32(it.Slot), &am.Call{Args: [4]uint64{3: uint64(it.Elem)}}, nil)
	if err != nil {
		return t.End(), err
	}
	if r.Val0 == 0 {
		return t.firstFrom(uint32(it.Rank) + 1)
	}
	return TableIterator{it.Rank, int(r.Val1), GA(r.Val0)}, nil
}

// firstFrom returns the first element of the tables from i on.
func (t tables) firstFrom(i uint32) (TableIterator, error) {
	if err := t.check(); err != nil {
		return t.End(), err
	}
	for ; uint64(i) < t.at.Ranks; i++ {
		r, err := t.onTable(hashed.First, i, 0, &am.Call{}, nil)
		if err != nil {
			return t.End(), err
		}
		if r.Val0 != 0 {
			return TableIterator{int(i), int(r.Val1), GA(r.Val0)}, nil
		}
	}
	return t.End(), nil
}

// localPart returns the first table of the calling rank, and the first one behind it and
// those that follow it there.
func (t tables) localPart() (first, end uint32, err error) {
	here, err := t.local()
	if err != nil || len(here) == 0 {
		return uint32(t.at.Ranks), uint32(t.at.Ranks), err
	}
	first = here[0].Index
	end = first + 1
	for _, table := range here[1:] {
		if table.Index == end {
			end++
		}
	}
	return first, end, nil
}

// Find returns the place of key, or the end. Fails with ErrBadSize for an empty key. Any
// rank. Blocks for one round trip. Spec 4.6.14, 4.7.14.
func (t tables) Find(key Element) (TableIterator, error) {
	b, err := t.p.load(key)
	if err != nil {
		return t.End(), t.failed("search", err)
	}
	i, slot, err := t.placeOf(b)
	if err != nil {
		return t.End(), t.failed("search", err)
	}
	r, err := t.onTable(hashed.Find, i, slot, &am.Call{Data: b}, nil)
	if err != nil || r.Val0 == 0 {
		return t.End(), t.failed("search", err)
	}
	return TableIterator{int(i), int(slot), GA(r.Val0)}, nil
}

// deref returns where key and value of an element lie, and its multiplicity or the bytes
// of its value. All is 0 for the end. Fails with ErrBadAddress if the element has been
// removed.
func (t tables) deref(it TableIterator) (where Pair, extra uint64, err error) {
	if it.Elem == NullGA {
		return Pair{}, 0, nil
	}
	if err := t.check(); err != nil {
		return Pair{}, 0, t.failed("dereference", err)
	}
	if !t.has(it) {
		return Pair{}, 0, t.failed("dereference", ErrBadIterator)
	}
	r, err := t.onTable(hashed.Describe, uint32(it.Rank), uint32(it.Slot), &am.Call{Args: [4]uint64{3: uint64(it.Elem)}}, nil)
	if err != nil {
		return Pair{}, 0, t.failed("dereference", err)
	}
	where.First = Element{it.Elem + GA(t.kind.KeyOffset()), r.Val0}
	if t.kind == hashed.Map {
		where.Second = Element{where.First.GA + GA(r.Val0), r.Val1}
	}
	return where, r.Val1, nil
}
