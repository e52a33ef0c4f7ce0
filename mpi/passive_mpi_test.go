//go:build mpi

package mpi_test

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/goacp/goacp/mpi"
)

// locks makes every process increase a number at rank 0 under an exclusive lock,
// by separate accesses for reading and writing.
func locks(w world) error {
	const rounds = 5
	win, mine, err := w.comm.AllocateWin(8, 1, mpi.Info{})
	if err != nil {
		return err
	}
	fill(mine, 0)
	if err := w.comm.Barrier(); err != nil {
		return err
	}
	number := make([]byte, 8)
	for range rounds {
		if err := win.Lock(mpi.LockExclusive, 0, mpi.NoAssert); err != nil {
			return err
		}
		if err := win.GetFlush(number, 0, 0); err != nil {
			return err
		}
		binary.LittleEndian.PutUint64(number, binary.LittleEndian.Uint64(number)+1)
		if err := errors.Join(win.PutFlush(number, 0, 0), win.Unlock(0)); err != nil {
			return err
		}
	}
	if err := w.comm.Barrier(); err != nil {
		return err
	}
	if err := win.Lock(mpi.LockShared, 0, mpi.NoAssert); err != nil {
		return err
	}
	if err := errors.Join(win.GetFlush(number, 0, 0), win.Unlock(0)); err != nil {
		return err
	}
	if n := binary.LittleEndian.Uint64(number); n != uint64(rounds*w.size) {
		return fmt.Errorf("%d increments were counted, expected %d", n, rounds*w.size)
	}
	return errors.Join(
		expect("unknown kind of lock", win.Lock(2, 0, mpi.NoAssert), mpi.ErrLockType),
		expect("unknown assertion", win.Lock(mpi.LockShared, 0, 7), mpi.ErrAssert),
		expect("unknown assertion for all", win.LockAll(7), mpi.ErrAssert),
		w.comm.Barrier(), win.Free())
}

// flushes puts to all processes and completes in each of the ways.
func flushes(w world) error {
	return withArea(w, func(a area) error {
		buf, err := mpi.AllocMemory(8, mpi.Info{})
		if err != nil {
			return err
		}
		each := func(f func(int) error) func() error {
			return func() (err error) {
				for r := range w.size {
					err = errors.Join(err, f(r))
				}
				return err
			}
		}
		for i, f := range []struct {
			name     string
			complete func() error
			remote   bool
		}{
			{"Flush", each(a.win.Flush), true},
			{"FlushAll", a.win.FlushAll, true},
			{"FlushLocal", each(a.win.FlushLocal), false},
			{"FlushLocalAll", a.win.FlushLocalAll, false},
		} {
			value := byte(10*i + w.rank)
			fill(buf, value)
			for r := range w.size {
				if err := a.win.Put(buf, r, a.bases[r]+8*w.rank); err != nil {
					return err
				}
			}
			if err := f.complete(); err != nil {
				return fmt.Errorf("%s: %w", f.name, err)
			}
			fill(buf, 0xaa) // the buffer is ours again
			if !f.remote {
				if err := a.win.FlushAll(); err != nil {
					return err
				}
			}
			if err := errors.Join(w.comm.Barrier(), a.win.Sync()); err != nil {
				return err
			}
			for r := range w.size {
				if err := holds(a.memory[8*r:8*r+8], 0, 8, byte(10*i+r), 0); err != nil {
					return fmt.Errorf("%s: from rank %d: %w", f.name, r, err)
				}
			}
			if err := w.comm.Barrier(); err != nil {
				return err
			}
		}
		return mpi.FreeMemory(buf)
	})
}
