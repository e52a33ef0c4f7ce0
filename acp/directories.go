package acp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/goacp/goacp/internal/am"
	"github.com/goacp/goacp/internal/hashed"
)

// directories remembers where the tables of sets, multisets and maps lie whose
// directories are on other hosts, so that an operation on a key takes one round trip.
//
// What is remembered may be out of date: another rank may have destroyed the structure,
// and made another one whose directory has the same address. So it is a hint and no more.
// Every table knows which one it is and whose; an operation that finds another table at
// the place fails with am.ErrGone and has changed nothing, and then the directory is read
// again. What nothing but the place of a table decides, such as which tables are local, is
// decided by the directory itself and by tables that have been asked.
type directories struct {
	mu    sync.RWMutex
	byGA  map[GA][]GA
	words int
}

// directoryWords bounds the words of all directories that are remembered. A single one
// may have more.
const directoryWords = 1 << 16

func (d *directories) find(ga GA) []GA {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.byGA[ga]
}

func (d *directories) remember(ga GA, tables []GA) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.byGA == nil || d.words+len(tables) > directoryWords {
		d.byGA, d.words = make(map[GA][]GA), 0
	}
	d.words += len(tables) - len(d.byGA[ga])
	d.byGA[ga] = tables
}

func (d *directories) forget(ga GA) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.words -= len(d.byGA[ga])
	delete(d.byGA, ga)
}

func (d *directories) forgetAll() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.byGA, d.words = nil, 0
}

// hint returns where table i of t is said to lie. remembered says that it may not be where
// it was.
func (t *tables) hint(i uint32) (found hashed.Table, remembered bool, err error) {
	found = t.place(i)
	if entry, ok := t.p.view(span{t.at.GA + 8*GA(i), 8}); ok {
		found.GA = binary.NativeEndian.Uint64(entry)
		return found, false, nil
	}
	list := t.p.directories.find(t.at.GA)
	if remembered = uint64(len(list)) == t.at.Ranks; !remembered {
		if list, err = t.readDirectory(); err != nil {
			return found, false, err
		}
	}
	found.GA = uint64(list[i])
	return found, remembered, nil
}

// readDirectory reads the directory where it lies.
func (t *tables) readDirectory() ([]GA, error) {
	words, near := t.p.view(span{t.at.GA, 8 * t.at.Ranks})
	if !near {
		_, heap := t.p.members.Heap(t.p.member(t.at.GA.rank()))
		if t.at.Ranks > heap/8 {
			return nil, fmt.Errorf("%w: a directory of %d tables", ErrBadAddress, t.at.Ranks)
		}
		words = make([]byte, 8*t.at.Ranks)
		if err := t.p.get(words, t.at.GA); err != nil {
			return nil, err
		}
	}
	list := addressesOf(words)
	if !near {
		t.p.directories.remember(t.at.GA, list)
	}
	return list, nil
}

// addressesOf returns the words of a directory.
func addressesOf(words []byte) []GA {
	list := make([]GA, len(words)/8)
	for i := range list {
		list[i] = GA(binary.NativeEndian.Uint64(words[8*i:]))
	}
	return list
}

// checkedDirectory is readDirectory for a structure whose address may be wrong.
func (t *tables) checkedDirectory() ([]GA, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	return t.readDirectory()
}

// locate returns where all tables of t are. Each of them has been asked.
func (t *tables) locate() ([]hashed.Table, error) {
	list, err := t.checkedDirectory()
	if err != nil {
		return nil, err
	}
	all := make([]hashed.Table, len(list))
	for i := range all {
		if all[i], err = t.ask(list, uint32(i)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// local returns where the tables of t on the calling rank are. Each of them has been
// asked. If there is none, the first table has been asked, so that a structure that has
// been destroyed is not one that is empty here.
func (t *tables) local() ([]hashed.Table, error) {
	list, err := t.checkedDirectory()
	if err != nil {
		return nil, err
	}
	var here []hashed.Table
	for i, ga := range list {
		if ga.rank() != t.p.Rank() {
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

// ask returns table i, which is where list says. Fails with am.ErrGone if it is not.
func (t *tables) ask(list []GA, i uint32) (hashed.Table, error) {
	table := t.place(i)
	table.GA = uint64(list[i])
	_, err := t.execAt(&table, hashed.Verify, 0, &am.Call{}, nil)
	return table, err
}

// onTable carries out op on a slot of table i; c has what else it needs. If from is not
// nil, Data and More are taken from there.
func (t *tables) onTable(op hashed.Op, i, slot uint32, c *am.Call, from *[2]span) (am.Result, error) {
	r, remembered, err := t.tryTable(op, i, slot, c, from)
	if err != nil && remembered && errors.Is(err, am.ErrGone) {
		t.p.directories.forget(t.at.GA)
		r, _, err = t.tryTable(op, i, slot, c, from)
	}
	return r, err
}

func (t *tables) tryTable(op hashed.Op, i, slot uint32, c *am.Call, from *[2]span) (r am.Result, remembered bool, err error) {
	table, remembered, err := t.hint(i)
	if err != nil {
		return r, false, err
	}
	r, err = t.execAt(&table, op, slot, c, from)
	return r, remembered, err
}

// execAt carries out op at one place, and nowhere else. Fails with am.ErrGone if the
// table is not there.
func (t *tables) execAt(table *hashed.Table, op hashed.Op, slot uint32, c *am.Call, from *[2]span) (am.Result, error) {
	table.Address(c, t.kind, op, slot)
	rank := GA(table.GA).rank()
	switch {
	case int(rank) >= t.p.procs:
		return am.Result{}, cause(am.ErrGone)
	case from == nil:
		return t.p.execOn(t.p.member(rank), c)
	}
	// Without the bytes of c, which stay with its caller.
	return t.p.execFrom(&am.Call{Op: c.Op, GA: c.GA, Args: c.Args}, from[0], from[1])
}
