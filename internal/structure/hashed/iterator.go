package hashed

import (
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/network/am"
)

// Iterator names an element of a set, multiset or map. Elements are in the order of their
// tables, in a table in the order of its slots, and in a slot in the order of insertion. The
// end, behind the last element, has the number of tables as its Table and a null Elem.
type Iterator struct {
	Table int // number of the table in the directory
	Slot  int
	Elem  uint64
}

// End returns the end: the iterator behind the last element. Does not block.
func (t Tables) End() Iterator { return Iterator{Table: int(t.at.Ranks)} }

// Begin returns the first element. Blocks for a round trip for each table until one has an
// element.
func (t Tables) Begin() (Iterator, error) { return t.firstFrom(0) }

// BeginLocal returns the first element on this rank, or the result of EndLocal if there is none. Blocks as
// Begin does.
func (t Tables) BeginLocal() (Iterator, error) {
	first, _, err := t.localPart()
	if err != nil {
		return t.End(), err
	}
	return t.firstFrom(first)
}

// EndLocal returns the result of Next for the last element on this rank: the first element of the tables that
// follow. If the tables of the rank are not neighbours in the directory, the local ones are those up to the
// first gap. Blocks as Begin does.
func (t Tables) EndLocal() (Iterator, error) {
	_, end, err := t.localPart()
	if err != nil {
		return t.End(), err
	}
	return t.firstFrom(end)
}

// Next returns the element behind that of it, and the end for the end. Fails with
// am.ErrBadIterator if the structure has no such table or slot. Blocks as Begin does.
func (t Tables) Next(it Iterator) (Iterator, error) {
	if it.Elem == ga.Null {
		return t.End(), nil
	}
	if !t.has(it) {
		return t.End(), am.ErrBadIterator
	}
	return t.nextOf(it)
}

// has reports whether the structure has the table and the slot of it.
func (t Tables) has(it Iterator) bool {
	return it.Table >= 0 && uint64(it.Table) < t.at.Ranks && it.Slot >= 0 && uint64(it.Slot) < t.at.Slots
}

func (t Tables) nextOf(it Iterator) (Iterator, error) {
	if err := t.check(); err != nil {
		return t.End(), err
	}
	r, err := t.doTable(Next, uint32(it.Table), uint32(it.Slot), &am.Call{Args: [4]uint64{3: it.Elem}}, nil)
	if err != nil {
		return t.End(), err
	}
	if r.Val0 == 0 {
		return t.firstFrom(uint32(it.Table) + 1)
	}
	return Iterator{it.Table, int(r.Val1), r.Val0}, nil
}

// firstFrom returns the first element of the tables from i on.
func (t Tables) firstFrom(i uint32) (Iterator, error) {
	if err := t.check(); err != nil {
		return t.End(), err
	}
	for ; uint64(i) < t.at.Ranks; i++ {
		r, err := t.doTable(First, i, 0, &am.Call{}, nil)
		if err != nil {
			return t.End(), err
		}
		if r.Val0 != 0 {
			return Iterator{int(i), int(r.Val1), r.Val0}, nil
		}
	}
	return t.End(), nil
}

// localPart returns the first table of the calling rank, and the table behind it and the
// local ones that follow it without a gap.
func (t Tables) localPart() (first, end uint32, err error) {
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

// Find returns the iterator of a key, or the end. The key may be memory of any rank. Fails
// with global.ErrBadSize for an empty key.
func (t Tables) Find(key ga.Span) (Iterator, error) {
	b, err := t.c.mem.Load(key)
	if err != nil {
		return t.End(), err
	}
	i, slot, err := t.slotOf(b)
	if err != nil {
		return t.End(), err
	}
	r, err := t.doTable(Find, i, slot, &am.Call{Data: b}, nil)
	if err != nil || r.Val0 == 0 {
		return t.End(), err
	}
	return Iterator{int(i), int(slot), r.Val0}, nil
}

// Deref returns where key and value of an element lie. Both are empty spans for the end. Fails
// with global.ErrBadAddress if the element has been removed.
func (t Tables) Deref(it Iterator) (key, value ga.Span, err error) {
	if it.Elem == ga.Null {
		return key, value, nil
	}
	if err := t.check(); err != nil {
		return key, value, err
	}
	if !t.has(it) {
		return key, value, am.ErrBadIterator
	}
	r, err := t.doTable(Describe, uint32(it.Table), uint32(it.Slot), &am.Call{Args: [4]uint64{3: it.Elem}}, nil)
	if err != nil {
		return key, value, err
	}
	key = ga.Span{GA: it.Elem + t.kind.KeyOffset(), N: r.Val0}
	if t.kind == Map {
		value = ga.Span{GA: key.GA + key.N, N: r.Val1}
	}
	return key, value, nil
}
