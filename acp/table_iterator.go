package acp

import "github.com/goacp/goacp/internal/structure/hashed"

// TableIterator is a position in a set, multiset or map. Elements are ordered by table, in a table by slot,
// and in a slot by insertion. The position behind the last element has the number of tables as its Rank and a
// null Elem.
//
// An iterator belongs to its element. The position behind a removed element is that of the element that
// followed it. A table records the last 4 elements removed from each slot, or more if it has few slots.
// Advancing from an element that was removed earlier may skip the rest of its slot.
type TableIterator struct {
	Rank int // number of the table in the directory; no rank of a process
	Slot int
	Elem GA
}

func (t tables) end() TableIterator { return TableIterator{Rank: t.t.End().Table} }

func (t tables) begin() (TableIterator, error) {
	it, err := t.t.Begin()
	return t.iterator("iteration", it, err)
}

func (t tables) beginLocal() (TableIterator, error) {
	it, err := t.t.BeginLocal()
	return t.iterator("iteration", it, err)
}

func (t tables) endLocal() (TableIterator, error) {
	it, err := t.t.EndLocal()
	return t.iterator("iteration", it, err)
}

func (t tables) next(it TableIterator) (TableIterator, error) {
	next, err := t.t.Next(it.raw())
	return t.iterator("iteration", next, err)
}

// iterator returns an iterator with the outcome of looking for it.
func (t tables) iterator(what string, it hashed.Iterator, err error) (TableIterator, error) {
	return TableIterator{it.Table, it.Slot, GA(it.Elem)}, t.failed(what, err)
}

func (it TableIterator) raw() hashed.Iterator {
	return hashed.Iterator{Table: it.Rank, Slot: it.Slot, Elem: uint64(it.Elem)}
}

func (t tables) find(key Element) (TableIterator, error) {
	it, err := t.t.Find(key.span())
	return t.iterator("search", it, err)
}

// deref returns where key and value of an element lie. All is 0 for the end. Fails with
// ErrBadAddress if the element has been removed.
func (t tables) deref(it TableIterator) (Pair, error) {
	key, value, err := t.t.Deref(it.raw())
	return Pair{elementOf(key), elementOf(value)}, t.failed("dereference", err)
}
