package acp

import "github.com/goacp/goacp/internal/hashed"

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
func (t tables) End() TableIterator { return TableIterator{Rank: t.t.End().Table} }

// Begin returns the first element. Any rank. Blocks for a round trip for each table until
// one has an element. Spec 4.6.5, 4.7.5.
func (t tables) Begin() (TableIterator, error) {
	it, err := t.t.Begin()
	return t.place("iteration", it, err)
}

// BeginLocal returns the first element on the calling rank, or what EndLocal returns if
// there is none. Any rank. Blocks as Begin does. Spec 4.6.4, 4.7.4.
func (t tables) BeginLocal() (TableIterator, error) {
	it, err := t.t.BeginLocal()
	return t.place("iteration", it, err)
}

// EndLocal returns what Next makes of the last element on the calling rank: the first
// element of the tables behind. If the tables of the rank are not next to each other in
// the directory, only the first of them count. Any rank. Blocks as Begin does. Spec
// 4.6.12, 4.7.12.
func (t tables) EndLocal() (TableIterator, error) {
	it, err := t.t.EndLocal()
	return t.place("iteration", it, err)
}

// Next returns the element behind it, and the end for the end. Fails with ErrBadIterator
// for a place outside. Any rank. Blocks as Begin does. Spec 4.6.25, 4.7.26.
func (t tables) Next(it TableIterator) (TableIterator, error) {
	next, err := t.t.Next(it.raw())
	return t.place("iteration", next, err)
}

// place returns an iterator with the outcome of looking for it.
func (t tables) place(what string, it hashed.Iterator, err error) (TableIterator, error) {
	return TableIterator{it.Table, it.Slot, GA(it.Elem)}, t.failed(what, err)
}

func (it TableIterator) raw() hashed.Iterator {
	return hashed.Iterator{Table: it.Rank, Slot: it.Slot, Elem: uint64(it.Elem)}
}

// Find returns the place of key, or the end. Fails with ErrBadSize for an empty key. Any
// rank. Blocks for one round trip. Spec 4.6.14, 4.7.14.
func (t tables) Find(key Element) (TableIterator, error) {
	it, err := t.t.Find(key.span())
	return t.place("search", it, err)
}

// deref returns where key and value of an element lie. All is 0 for the end. Fails with
// ErrBadAddress if the element has been removed.
func (t tables) deref(it TableIterator) (Pair, error) {
	key, value, err := t.t.Deref(it.raw())
	return Pair{elementOf(key), elementOf(value)}, t.failed("dereference", err)
}
