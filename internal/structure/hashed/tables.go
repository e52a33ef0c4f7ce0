package hashed

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/network/am"
)

// Client gives a process access to sets, multisets and maps.
type Client struct {
	mem  *global.Memory
	dirs *directories
}

// NewClient returns a Client of the memory of all ranks.
func NewClient(mem *global.Memory) *Client { return &Client{mem, new(directories)} }

// WithMemory returns a Client that uses the same memory with another context.
func (c *Client) WithMemory(m *global.Memory) *Client { return &Client{m, c.dirs} }

// Forget empties the cache of directories. It is called when the heaps of all ranks have been reset.
func (c *Client) Forget() { c.dirs.forgetAll() }

// Address names a structure: a process that has it can use the structure.
type Address struct {
	GA    uint64 // of the directory
	Ranks uint64 // tables
	Slots uint64 // of each table
}

// Tables is a handle of a set, multiset or map: of tables on several ranks and a directory of them. Its
// methods carry out operations on mapped memory of ranks, and by agents on other memory. Unless stated
// otherwise they block for one round trip. They fail with global.ErrDestroyed if there is no such structure.
type Tables struct {
	c    *Client
	at   Address
	kind Kind

	exclusive bool // the process has acquired the tables
}

// At returns the structure with an address.
func (c *Client) At(kind Kind, at Address) Tables { return Tables{c: c, at: at, kind: kind} }

// Make makes empty tables on the given ranks, and their directory on rank. Fails with
// global.ErrBadRank, ErrBadSize and ErrFull, and then takes no memory. Blocks for a round
// trip for each table.
func (c *Client) Make(kind Kind, ranks []int, slots, rank int) (Tables, error) {
	if c.mem.Detaches() {
		return c.detachedMake(kind, ranks, slots, rank)
	}
	t := Tables{c: c, kind: kind, at: Address{Ranks: uint64(len(ranks)), Slots: uint64(slots)}}
	if err := t.checkNew(ranks, slots, rank); err != nil {
		return t, err
	}
	var err error
	if t.at.GA, err = c.mem.Alloc(c.mem.Ranks().Member(rank), 8*t.at.Ranks); err != nil {
		return t, fmt.Errorf("on rank %d: %w", rank, err)
	}
	words, err := t.create(ranks)
	if err == nil {
		err = c.mem.Put(t.at.GA, words)
	}
	if err != nil {
		return t, errors.Join(err, t.destroyTables(words), c.mem.Free(t.at.GA))
	}
	// An entry of the cache for the address belongs to a destroyed structure.
	c.dirs.forget(t.at.GA)
	if _, near := c.mem.View(ga.Span{GA: t.at.GA, N: 8 * t.at.Ranks}); !near {
		c.dirs.remember(t.at.GA, addressesOf(words))
	}
	return t, nil
}

func (t Tables) checkNew(ranks []int, slots, rank int) error {
	if err := t.c.mem.Alive(); err != nil {
		return err
	}
	if len(ranks) == 0 || slots <= 0 || len(ranks) > math.MaxInt32 || slots > math.MaxInt32 {
		return fmt.Errorf("%w: %d tables of %d slots", global.ErrBadSize, len(ranks), slots)
	}
	for i := -1; i < len(ranks); i++ {
		if i >= 0 {
			rank = ranks[i]
		}
		if err := t.c.mem.CheckRank(rank); err != nil {
			return fmt.Errorf("%w: %d", err, rank)
		}
	}
	return nil
}

// create makes the tables and returns their addresses, as a directory has them, also if
// it fails half way.
func (t Tables) create(ranks []int) (words []byte, err error) {
	for i, rank := range ranks {
		var c am.Call
		table := t.tableOf(uint32(i))
		table.Address(&c, t.kind, Create, 0)
		r, err := t.doOn(t.c.mem.Ranks().Member(rank), &c)
		if err != nil {
			return words, fmt.Errorf("on rank %d: %w", rank, err)
		}
		words = binary.NativeEndian.AppendUint64(words, r.Val0)
	}
	return words, nil
}

// destroyTables destroys the tables of which words has the addresses.
func (t Tables) destroyTables(words []byte) (err error) {
	for i := range uint32(len(words) / 8) {
		table := t.tableOf(i)
		table.GA = binary.NativeEndian.Uint64(words[8*i:])
		_, failed := t.doAt(&table, Destroy, 0, &am.Call{}, nil)
		err = errors.Join(err, failed)
	}
	return err
}

// Address returns the address by which other processes reach the structure.
func (t Tables) Address() Address { return t.at }

// Kind returns the kind of the structure.
func (t Tables) Kind() Kind { return t.kind }

// tableOf returns table i without its address, which only the directory has.
func (t *Tables) tableOf(i uint32) Table {
	return Table{
		Directory: t.at.GA, Index: i, Ranks: uint32(t.at.Ranks), Slots: uint32(t.at.Slots), exclusive: t.exclusive,
	}
}

// check checks the address of the structure, which may be arbitrary, as far as that is possible without its
// memory.
func (t *Tables) check() error {
	if t.at.Ranks-1 >= math.MaxInt32 || t.at.Slots-1 >= math.MaxInt32 || t.at.GA%8 != 0 {
		return fmt.Errorf("%w: %d tables of %d slots at %#x", global.ErrBadAddress, t.at.Ranks, t.at.Slots, t.at.GA)
	}
	return t.c.mem.Check(t.at.GA)
}

// slotOf returns the table and the slot of a key.
func (t *Tables) slotOf(key []byte) (i, slot uint32, err error) {
	if len(key) == 0 {
		return 0, 0, fmt.Errorf("%w: an empty key", global.ErrBadSize)
	}
	if err := t.check(); err != nil {
		return 0, 0, err
	}
	i, slot = SlotOf(key, uint32(t.at.Ranks), uint32(t.at.Slots))
	return i, slot, nil
}

// doOn carries out c at a member. Its bytes are memory of this process.
func (t *Tables) doOn(member int, c *am.Call) (am.Result, error) {
	if view := t.c.mem.HeapView(member); view != nil {
		if r, err := Perform(view, c); t.c.mem.Final(member, err) {
			t.c.mem.Count(member, traffic.SHM, c, r, err)
			return r, global.Cause(err)
		}
	}
	r, err := t.c.mem.Far(member, *c)
	t.c.mem.Count(member, traffic.TCP, c, r, err)
	return r, err
}

// doKey carries out op on the slot of the key c.Data.
func (t *Tables) doKey(op Op, c *am.Call, from *[2]ga.Span) (am.Result, error) {
	i, slot, err := t.slotOf(c.Data)
	if err != nil {
		return am.Result{}, err
	}
	return t.doTable(op, i, slot, c, from)
}

// Insert inserts a copy of key, and value in a map, and reports whether the key was not
// there. arg is Args[3] of the operation Insert. Fails with global.ErrBadSize for an empty key, and
// with global.ErrFull.
func (t Tables) Insert(key, value ga.Span, arg uint64) (bool, error) {
	c := am.Call{Args: [4]uint64{3: arg}}
	var err error
	if c.Data, err = t.c.mem.Load(key); err != nil {
		return false, err
	}
	var from *[2]ga.Span
	more, ok := t.c.mem.View(value)
	switch {
	case ok:
	case value.N <= am.MaxData:
		if more, err = t.c.mem.Load(value); err != nil {
			return false, err
		}
	default: // directly to its destination
		from = &[2]ga.Span{key, value}
	}
	c.More = more
	r, err := t.doKey(Insert, &c, from)
	return r.Val0 != 0, err
}

// InsertBytes is Insert with bytes of this process.
func (t Tables) InsertBytes(key, value []byte, arg uint64) (bool, error) {
	r, err := t.doKey(Insert, &am.Call{Data: key, More: value, Args: [4]uint64{3: arg}}, nil)
	return r.Val0 != 0, err
}

// Everywhere is a greater multiplicity than any key can have.
const Everywhere = ^uint64(0)

// Remove takes a key away, or times of its multiplicity, and reports whether it was there.
func (t Tables) Remove(key []byte, times uint64) (bool, error) {
	r, err := t.doKey(Remove, &am.Call{Data: key, Args: [4]uint64{3: times}}, nil)
	return r.Val0 != 0, err
}

// RemoveFrom is Remove with a key of any rank.
func (t Tables) RemoveFrom(key ga.Span, times uint64) (bool, error) {
	b, err := t.c.mem.Load(key)
	if err != nil {
		return false, err
	}
	return t.Remove(b, times)
}

// Contains reports whether a key is there.
func (t Tables) Contains(key []byte) (bool, error) {
	r, err := t.doKey(Find, &am.Call{Data: key}, nil)
	return r.Val0 != 0, err
}

// Count returns the multiplicity of a key, 0 if it is not there. In a set it is 1.
func (t Tables) Count(key []byte) (uint64, error) {
	r, err := t.doKey(Find, &am.Call{Data: key}, nil)
	return r.Val1, err
}

// CountFrom is Count with a key of any rank.
func (t Tables) CountFrom(key ga.Span) (uint64, error) {
	b, err := t.c.mem.Load(key)
	if err != nil {
		return 0, err
	}
	return t.Count(b)
}
