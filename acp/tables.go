package acp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/goacp/goacp/internal/am"
	"github.com/goacp/goacp/internal/hashed"
)

// TableAddress is what a rank needs to know of a set, multiset or map to use it. It may
// be sent to other ranks as it is.
type TableAddress struct {
	GA    GA     // of the directory
	Ranks uint64 // tables
	Slots uint64 // of each table
}

// tables is what sets, multisets and maps have in common: hash tables on several ranks
// and a directory of them.
type tables struct {
	p    *Process
	at   TableAddress
	kind hashed.Kind
}

// failed describes the failure of an operation.
func (t tables) failed(what string, err error) error {
	if err == nil {
		return nil
	}
	return t.p.fail(&OpError{Op: what + " of " + t.kind.String(), Rank: t.p.Rank(), Dst: t.at.GA, Err: err})
}

// newTables makes empty tables on the given ranks, and their directory on rank.
func (p *Process) newTables(kind hashed.Kind, ranks []Rank, slots int, rank Rank) (tables, error) {
	t := tables{p: p, kind: kind, at: TableAddress{Ranks: uint64(len(ranks)), Slots: uint64(slots)}}
	if err := t.checkNew(ranks, slots, rank); err != nil {
		return tables{}, t.failed("creation", err)
	}
	var err error
	if t.at.GA, err = p.allocate(p.member(rank), 8*t.at.Ranks); err != nil {
		return tables{}, t.failed("creation", fmt.Errorf("on rank %d: %w", rank, err))
	}
	words, err := t.create(ranks)
	if err == nil {
		err = p.put(t.at.GA, words)
	}
	if err != nil {
		err = errors.Join(err, t.destroyTables(words), p.release(t.at.GA))
		return tables{}, t.failed("creation", err)
	}
	// What is remembered of the address is of a structure that is gone.
	p.directories.forget(t.at.GA)
	if _, near := p.view(span{t.at.GA, 8 * t.at.Ranks}); !near {
		p.directories.remember(t.at.GA, addressesOf(words))
	}
	return t, nil
}

func (t tables) checkNew(ranks []Rank, slots int, rank Rank) error {
	if err := t.p.alive(); err != nil {
		return err
	}
	if len(ranks) == 0 || slots <= 0 || len(ranks) > math.MaxInt32 || slots > math.MaxInt32 {
		return fmt.Errorf("%w: %d tables of %d slots", ErrBadSize, len(ranks), slots)
	}
	for i := -1; i < len(ranks); i++ {
		if i >= 0 {
			rank = ranks[i]
		}
		if rank < 0 || int(rank) >= t.p.procs {
			return fmt.Errorf("%w: %d", ErrBadRank, rank)
		}
	}
	return nil
}

// create makes the tables and returns their addresses, as a directory has them, also if
// it fails half way.
func (t tables) create(ranks []Rank) (words []byte, err error) {
	for i, rank := range ranks {
		var c am.Call
		table := t.place(uint32(i))
		table.Address(&c, t.kind, hashed.Create, 0)
		r, err := t.p.execOn(t.p.member(rank), &c)
		if err != nil {
			return words, fmt.Errorf("on rank %d: %w", rank, err)
		}
		words = binary.NativeEndian.AppendUint64(words, r.Val0)
	}
	return words, nil
}

// destroyTables destroys the tables of which words has the addresses.
func (t tables) destroyTables(words []byte) (err error) {
	for i := range uint32(len(words) / 8) {
		table := t.place(i)
		table.GA = binary.NativeEndian.Uint64(words[8*i:])
		_, failed := t.execAt(&table, hashed.Destroy, 0, &am.Call{}, nil)
		err = errors.Join(err, failed)
	}
	return err
}

// place returns what is known of table i without its directory.
func (t *tables) place(i uint32) hashed.Table {
	return hashed.Table{
		Directory: uint64(t.at.GA), Index: i, Ranks: uint32(t.at.Ranks), Slots: uint32(t.at.Slots),
	}
}

// check finds out what can be known about the address, which may be anything.
func (t *tables) check() error {
	if t.at.Ranks-1 >= math.MaxInt32 || t.at.Slots-1 >= math.MaxInt32 || t.at.GA%8 != 0 {
		return fmt.Errorf("%w: %d tables of %d slots at %v", ErrBadAddress, t.at.Ranks, t.at.Slots, t.at.GA)
	}
	return t.p.checkGA(t.at.GA)
}

// placeOf returns the table and the slot of a key.
func (t *tables) placeOf(key []byte) (i, slot uint32, err error) {
	if len(key) == 0 {
		return 0, 0, fmt.Errorf("%w: an empty key", ErrBadSize)
	}
	if err := t.check(); err != nil {
		return 0, 0, err
	}
	i, slot = hashed.Place(key, uint32(t.at.Ranks), uint32(t.at.Slots))
	return i, slot, nil
}

// onKey carries out op on the slot of the key c.Data.
func (t *tables) onKey(op hashed.Op, c *am.Call, from *[2]span) (am.Result, error) {
	i, slot, err := t.placeOf(c.Data)
	if err != nil {
		return am.Result{}, err
	}
	return t.onTable(op, i, slot, c, from)
}

// load returns the bytes of an element: themselves if this process reaches them,
// otherwise a copy.
func (p *Process) load(e Element) ([]byte, error) {
	if b, ok := p.view(e.span()); ok {
		return b, nil
	}
	if err := p.checkGA(e.GA); err != nil {
		return nil, err
	}
	if _, heap := p.members.Heap(p.member(e.GA.rank())); e.Size > heap {
		return nil, fmt.Errorf("%w: %d bytes for a heap of %d", ErrHeapFull, e.Size, heap)
	}
	b := make([]byte, e.Size)
	return b, p.get(b, e.GA)
}

// insert inserts a copy of key, and value in a map, and reports whether the key was not
// there. arg is that of hashed.Insert.
func (t *tables) insert(key, value Element, arg uint64) (bool, error) {
	c := am.Call{Args: [4]uint64{3: arg}}
	var err error
	if c.Data, err = t.p.load(key); err != nil {
		return false, err
	}
	var from *[2]span
	more, ok := t.p.view(value.span())
	switch {
	case ok:
	case value.Size <= am.MaxData:
		if more, err = t.p.load(value); err != nil {
			return false, err
		}
	default: // straight to where it belongs
		from = &[2]span{key.span(), value.span()}
	}
	c.More = more
	r, err := t.onKey(hashed.Insert, &c, from)
	return r.Val0 != 0, err
}

// insertBytes is insert with bytes of this process.
func (t tables) insertBytes(key, value []byte, arg uint64) (bool, error) {
	r, err := t.onKey(hashed.Insert, &am.Call{Data: key, More: value, Args: [4]uint64{3: arg}}, nil)
	return r.Val0 != 0, err
}

// everywhere is more often than a key can be in a multiset.
const everywhere = ^uint64(0)

// remove takes a key away, or times of its multiplicity, and reports whether it was
// there.
func (t tables) remove(key []byte, times uint64) (bool, error) {
	r, err := t.onKey(hashed.Remove, &am.Call{Data: key, Args: [4]uint64{3: times}}, nil)
	return r.Val0 != 0, err
}

// removeElement is remove with a key in global memory.
func (t tables) removeElement(key Element, times uint64) (bool, error) {
	b, err := t.p.load(key)
	if err != nil {
		return false, t.failed("removal", err)
	}
	removed, err := t.remove(b, times)
	return removed, t.failed("removal", err)
}

// count returns the multiplicity of a key, 0 if it is not there. In a set it is 1.
func (t tables) count(key []byte) (uint64, error) {
	r, err := t.onKey(hashed.Find, &am.Call{Data: key}, nil)
	return r.Val1, err
}
