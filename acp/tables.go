package acp

import (
	"context"

	"github.com/goacp/goacp/internal/structure/hashed"
)

// TableAddress is the address by which ranks reach a set, multiset or map. It may be sent to other ranks as
// it is.
type TableAddress struct {
	GA    GA     // of the directory
	Ranks uint64 // tables
	Slots uint64 // of each table
}

// tables is the part that ByteSet, ByteMultiset and ByteMap share: hash tables on several ranks and a
// directory of them.
type tables struct {
	p *Process
	t hashed.Tables
}

// newTables makes empty tables on the given ranks, and their directory on rank.
func (p *Process) newTables(kind hashed.Kind, ranks []Rank, slots int, rank Rank) (tables, error) {
	on := make([]int, len(ranks))
	for i, r := range ranks {
		on[i] = int(r)
	}
	t, err := p.tables.Make(kind, on, slots, int(rank))
	if err != nil {
		return tables{}, tables{p, t}.failed("creation", err)
	}
	return tables{p, t}, nil
}

// tablesAt returns the structure with an address.
func (p *Process) tablesAt(kind hashed.Kind, a TableAddress) tables {
	return tables{p, p.tables.At(kind, hashed.Address{GA: uint64(a.GA), Ranks: a.Ranks, Slots: a.Slots})}
}

// withContext returns the same structure.
func (t tables) withContext(ctx context.Context) tables {
	p := t.p.WithContext(ctx)
	return tables{p, t.t.In(p.tables)}
}

// failed describes the failure of an operation.
func (t tables) failed(what string, err error) error {
	if err == nil {
		return nil
	}
	return t.p.fail(&OpError{Op: what + " of " + t.t.Kind().String(), Rank: t.p.Rank(), Dst: GA(t.t.Address().GA), Err: err})
}

func (t tables) address() TableAddress {
	a := t.t.Address()
	return TableAddress{GA: GA(a.GA), Ranks: a.Ranks, Slots: a.Slots}
}

// insert inserts a copy of key, and value in a map, and reports whether the key was not
// there. arg is that of hashed.Insert.
func (t tables) insert(key, value Element, arg uint64) (bool, error) {
	added, err := t.t.Insert(key.span(), value.span(), arg)
	return added, t.failed("insertion", err)
}

// insertBytes is insert with bytes of this process.
func (t tables) insertBytes(key, value []byte, arg uint64) (bool, error) {
	added, err := t.t.InsertBytes(key, value, arg)
	return added, t.failed("insertion", err)
}

// remove takes a key away, or times of its multiplicity, and reports whether it was
// there.
func (t tables) remove(key Element, times uint64) (bool, error) {
	removed, err := t.t.RemoveFrom(key.span(), times)
	return removed, t.failed("removal", err)
}

// count counts elements, of all tables or of those on the calling rank. If enough is not 0, it stops at that
// count.
func (t tables) count(local bool, enough uint64) (uint64, error) {
	n, err := t.t.Size(local, enough)
	return n, t.failed("size", err)
}

func (t tables) destroy() error { return t.failed("destruction", t.t.Destroy()) }

// len counts elements, or those of them on the calling rank.
func (t tables) len(local bool) (int, error) {
	n, err := t.count(local, 0)
	return int(n), err
}

// empty reports whether there are no elements, or none on the calling rank.
func (t tables) empty(local bool) (bool, error) {
	n, err := t.count(local, 1)
	return n == 0, err
}

// clear removes all elements, or those on the calling rank.
func (t tables) clear(local bool) error { return t.failed("clearing", t.t.Clear(local)) }

// merge inserts the elements of from, or those of them on the calling rank.
func (t tables) merge(from tables, local bool) error {
	return t.failed("merge", t.t.Merge(from.t, local, false))
}

// move is merge that removes the elements from from.
func (t tables) move(from tables, local bool) error {
	return t.failed("move", t.t.Merge(from.t, local, true))
}

// assign replaces the elements by copies of those of from, or of those of them on the
// calling rank.
func (t tables) assign(from tables, local bool) error {
	return t.failed("assignment", t.t.Assign(from.t, local))
}

// swap exchanges the elements of two structures, each of which keeps its tables.
func (t tables) swap(with tables) error { return t.failed("swap", t.t.Swap(with.t)) }
