package hashed

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/network/am"
)

// directories caches the directories of sets, multisets and maps that lie on other hosts, so that an
// operation on a key takes one round trip.
//
// An entry may be out of date: another rank may have destroyed the structure, and made another one whose
// directory has the same address. So an entry is only a hint. The mark of a table identifies its structure
// and its number there. An operation that finds another table at the address fails with am.ErrGone and has
// changed nothing; then the caller reads the directory again. Some functions depend only on the addresses of
// the tables, such as those that look for local tables. They read the directory itself, and verify the
// tables.
type directories struct {
	mu    sync.RWMutex
	byGA  map[uint64][]uint64
	words int
}

// directoryWords bounds the words of all cached directories together. A single one may have more.
const directoryWords = 1 << 16

func (d *directories) find(at uint64) []uint64 {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.byGA[at]
}

func (d *directories) remember(at uint64, tables []uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.byGA == nil || d.words+len(tables) > directoryWords {
		d.byGA, d.words = make(map[uint64][]uint64), 0
	}
	d.words += len(tables) - len(d.byGA[at])
	d.byGA[at] = tables
}

func (d *directories) forget(at uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.words -= len(d.byGA[at])
	delete(d.byGA, at)
}

func (d *directories) forgetAll() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.byGA, d.words = nil, 0
}

// hint returns the probable address of table i of t. remembered is true if the address is from the cache and
// may be out of date.
func (t *Tables) hint(i uint32) (found Table, remembered bool, err error) {
	found = t.tableOf(i)
	if entry, ok := t.c.mem.View(ga.Span{GA: t.at.GA + 8*uint64(i), N: 8}); ok {
		found.GA = binary.NativeEndian.Uint64(entry)
		return found, false, nil
	}
	list := t.c.dirs.find(t.at.GA)
	if remembered = uint64(len(list)) == t.at.Ranks; !remembered {
		if list, err = t.readDirectory(); err != nil {
			return found, false, err
		}
	}
	found.GA = list[i]
	return found, remembered, nil
}

// readDirectory reads the directory from its memory.
func (t *Tables) readDirectory() ([]uint64, error) {
	words, near := t.c.mem.View(ga.Span{GA: t.at.GA, N: 8 * t.at.Ranks})
	if !near {
		if heap := t.c.mem.HeapSize(t.c.mem.Member(t.at.GA)); t.at.Ranks > heap/8 {
			return nil, fmt.Errorf("%w: a directory of %d tables in a heap of %d bytes", global.ErrBadAddress, t.at.Ranks, heap)
		}
		words = make([]byte, 8*t.at.Ranks)
		if err := t.c.mem.Get(words, t.at.GA); err != nil {
			return nil, err
		}
	}
	list := addressesOf(words)
	if !near {
		t.c.dirs.remember(t.at.GA, list)
	}
	return list, nil
}

// addressesOf returns the words of a directory.
func addressesOf(words []byte) []uint64 {
	list := make([]uint64, len(words)/8)
	for i := range list {
		list[i] = binary.NativeEndian.Uint64(words[8*i:])
	}
	return list
}

// checkedDirectory is readDirectory for a structure whose address was not checked yet.
func (t *Tables) checkedDirectory() ([]uint64, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	return t.readDirectory()
}

// locate returns all tables of t with their addresses. It has verified each of them.
func (t *Tables) locate() ([]Table, error) {
	list, err := t.checkedDirectory()
	if err != nil {
		return nil, err
	}
	all := make([]Table, len(list))
	for i := range all {
		if all[i], err = t.ask(list, uint32(i)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// local returns the tables of t on the calling rank. It has verified each of them. If there is none, it has
// verified the first table of all: a structure that has been destroyed must not look like one that has no
// table here.
func (t *Tables) local() ([]Table, error) {
	list, err := t.checkedDirectory()
	if err != nil {
		return nil, err
	}
	var here []Table
	for i, at := range list {
		if ga.Rank(at) != t.c.mem.Ranks().Own() {
			continue
		}
		table, err := t.ask(list, uint32(i))
		if err != nil {
			return nil, err
		}
		here = append(here, table)
	}
	if len(here) == 0 {
		_, err = t.ask(list, 0)
	}
	return here, err
}

// ask returns table i of the directory list, and verifies it. Fails with am.ErrGone if that table is not at
// the address.
func (t *Tables) ask(list []uint64, i uint32) (Table, error) {
	table := t.tableOf(i)
	table.GA = list[i]
	_, err := t.doAt(&table, Verify, 0, &am.Call{}, nil)
	return table, err
}

// doTable carries out op on a slot of table i. c has the other arguments. If from is not nil,
// Data and More are copied from there.
func (t *Tables) doTable(op Op, i, slot uint32, c *am.Call, from *[2]ga.Span) (am.Result, error) {
	r, remembered, err := t.tryTable(op, i, slot, c, from)
	if err != nil && remembered && errors.Is(err, am.ErrGone) {
		t.c.dirs.forget(t.at.GA)
		r, _, err = t.tryTable(op, i, slot, c, from)
	}
	return r, err
}

func (t *Tables) tryTable(op Op, i, slot uint32, c *am.Call, from *[2]ga.Span) (r am.Result, remembered bool, err error) {
	table, remembered, err := t.hint(i)
	if err != nil {
		return r, false, err
	}
	r, err = t.doAt(&table, op, slot, c, from)
	return r, remembered, err
}

// doAt carries out op on the table at one address. Waits if another process has acquired the table. Fails with
// am.ErrGone if the table is not there.
func (t *Tables) doAt(table *Table, op Op, slot uint32, c *am.Call, from *[2]ga.Span) (am.Result, error) {
	if t.c.mem.Detaches() {
		return t.detachedAt(*table, op, slot, c, from)
	}
	table.Address(c, t.kind, op, slot)
	rank := ga.Rank(table.GA)
	if rank >= t.c.mem.Ranks().Seats() {
		return am.Result{}, global.Cause(am.ErrGone)
	}
	member := t.c.mem.Ranks().Member(rank)
	for again := (retry{}); ; {
		var r am.Result
		var err error
		if from == nil {
			r, err = t.doOn(member, c)
		} else {
			r, err = t.doFrom(member, c, from)
		}
		if err == nil || !errors.Is(err, am.ErrExclusive) {
			return r, err
		}
		if err := again.wait(t.c.mem); err != nil {
			return r, err
		}
	}
}

// doFrom is doOn with Data and More from any rank. It does not change c.
func (t *Tables) doFrom(member int, c *am.Call, from *[2]ga.Span) (r am.Result, err error) {
	if err := t.c.mem.Check(c.GA); err != nil {
		return r, err
	}
	var in global.Input
	if err := in.Bring(t.c.mem, member, from[0], from[1]); err != nil {
		return r, err
	}
	r, err = t.doOn(member, &am.Call{Op: c.Op, GA: c.GA, Args: c.Args, Data: in.Data, More: in.More, Block: in.Block})
	return r, in.Release(err)
}
