package main

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/acp"
)

// Counters of every rank, which all ranks change: words after counterPlace. A ledger has as many
// words for every rank.
const (
	added8 = iota
	added4
	stirred // by Xor8
	compared
	counters
)

// atomics changes the counters of all ranks, whose totals it checks, and the cells of this rank in
// the memory of every rank, whose values it checks.
type atomics struct {
	w     *world
	rnd   *rand.Rand
	did   [][counters]uint64
	cells []uint64
}

func newAtomics(w *world, rnd *rand.Rand) (actor, error) {
	return &atomics{w: w, rnd: rnd, did: make([][counters]uint64, w.procs), cells: make([]uint64, w.procs)}, nil
}

func (a *atomics) counter(rank, which int) acp.GA { return a.w.at(rank, counterPlace+8*which) }

func (a *atomics) step() error {
	p, to, value := a.w.p, a.rnd.IntN(a.w.procs), a.rnd.Uint64()
	old := a.w.at(a.w.rank, atomicPlace)
	did := &a.did[to]
	switch a.rnd.IntN(8) {
	case 0:
		did[added8] += value
		return a.w.complete(p.Add8(old, a.counter(to, added8), value, acp.HandleNull))
	case 1:
		did[added4] += value
		return a.w.complete(p.Add4(old, a.counter(to, added4), uint32(value), acp.HandleNull))
	case 2:
		did[stirred] ^= value
		return a.w.complete(p.Xor8(old, a.counter(to, stirred), value, acp.HandleNull))
	case 3:
		did[compared]++
		return a.increment(to)
	default:
		return a.change(to, value)
	}
}

// increment adds 1 by comparing and swapping.
func (a *atomics) increment(to int) error {
	for expected := uint64(0); ; {
		if err := a.w.complete(a.w.p.Cas8(a.w.at(a.w.rank, atomicPlace), a.counter(to, compared), expected, expected+1, acp.HandleNull)); err != nil {
			return err
		}
		old := *a.w.word(atomicPlace)
		if old == expected {
			return nil
		}
		expected = old
	}
}

// change does any atomic on a cell.
func (a *atomics) change(to int, value uint64) error {
	p, x := a.w.p, a.cells[to]
	old, cell := a.w.at(a.w.rank, atomicPlace), a.w.at(to, cellPlace+8*a.w.rank)
	half := uint32(value)
	low := func(v uint32) uint64 { return x&^0xffffffff | uint64(v) }
	var h acp.Handle
	var err error
	var now uint64
	wide := true
	switch a.rnd.IntN(12) {
	case 0:
		now = value
		h, err = p.Swap8(old, cell, value, acp.HandleNull)
	case 1:
		now = x & value
		h, err = p.And8(old, cell, value, acp.HandleNull)
	case 2:
		now = x | value
		h, err = p.Or8(old, cell, value, acp.HandleNull)
	case 3:
		now = x ^ value
		h, err = p.Xor8(old, cell, value, acp.HandleNull)
	case 4:
		now = x + value
		h, err = p.Add8(old, cell, value, acp.HandleNull)
	case 5:
		now = value
		h, err = p.Cas8(old, cell, x, value, acp.HandleNull)
	case 6:
		now = x
		h, err = p.Cas8(old, cell, x+1, value, acp.HandleNull)
	case 7:
		now, wide = low(half), false
		h, err = p.Swap4(old, cell, half, acp.HandleNull)
	case 8:
		now, wide = low(uint32(x)&half), false
		h, err = p.And4(old, cell, half, acp.HandleNull)
	case 9:
		now, wide = low(uint32(x)|half), false
		h, err = p.Or4(old, cell, half, acp.HandleNull)
	case 10:
		now, wide = low(uint32(x)^half), false
		h, err = p.Xor4(old, cell, half, acp.HandleNull)
	case 11:
		now, wide = low(half), false
		h, err = p.Cas4(old, cell, uint32(x), half, acp.HandleNull)
	}
	if err := a.w.complete(h, err); err != nil {
		return err
	}
	found, want := *a.w.word(atomicPlace), x
	if !wide {
		found, want = found&0xffffffff, x&0xffffffff
	}
	if found != want {
		return fmt.Errorf("the cell on rank %d was %#x, expected %#x", to, found, want)
	}
	a.cells[to] = now
	return nil
}

// settle sends the other ranks the changes of this rank to their counters.
func (a *atomics) settle() error {
	for rank, did := range a.did {
		for which, total := range did {
			*a.w.word(ledgerPlace + 8*(rank*counters+which)) = total
		}
	}
	return nil
}

func (a *atomics) check() error {
	for rank, want := range a.cells {
		if err := a.read(a.w.at(rank, cellPlace+8*a.w.rank)); err != nil {
			return err
		}
		if found := *a.w.word(atomicPlace); found != want {
			return fmt.Errorf("the cell on rank %d is %#x, expected %#x", rank, found, want)
		}
	}
	var total [counters]uint64
	for rank := range a.w.procs {
		for which := range total {
			if err := a.read(a.w.at(rank, ledgerPlace+8*(a.w.rank*counters+which))); err != nil {
				return err
			}
			if which == stirred {
				total[which] ^= *a.w.word(atomicPlace)
			} else {
				total[which] += *a.w.word(atomicPlace)
			}
		}
	}
	total[added4] &= 0xffffffff
	for which, want := range total {
		if found := atomic.LoadUint64(a.w.word(counterPlace + 8*which)); found != want {
			return fmt.Errorf("counter %d is %#x, expected %#x", which, found, want)
		}
	}
	return nil
}

// read copies a word to where results of atomics are.
func (a *atomics) read(from acp.GA) error {
	return a.w.complete(a.w.p.Copy(a.w.at(a.w.rank, atomicPlace), from, uint64(unsafe.Sizeof(uint64(0))), acp.HandleNull))
}

func (a *atomics) close() error { return nil }
