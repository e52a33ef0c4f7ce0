//go:build mpi

package mpi_test

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"syscall"

	"github.com/goacp/goacp/mpi"
)

// area is a window with a part in every process, and the way to access the parts.
type area struct {
	win    mpi.Win
	memory []byte // of this process
	bases  []int  // displacement of the memory of each process
	close  func() error
}

const (
	areaSize = 100000 + 64
	guard    = 0xee
)

// kinds make areas of areaSize bytes, with a displacement unit of 1.
var kinds = []struct {
	name string
	open func(world) (area, error)
}{
	{"allocated", allocated},
	{"shared", allocatedShared},
	{"created on MPI's memory", createdOn(mpiMemory)},
	{"created on mapped memory", createdOn(mapped)},
	{"created on pinned Go memory", createdOn(pinned)},
	{"dynamic", dynamic},
}

// withArea runs f with an area of each kind, locked for all.
func withArea(w world, f func(area) error) error {
	for i, k := range kinds {
		if w.crowded() && i%5 != 0 {
			continue // the first and the last have to do
		}
		a, err := k.open(w)
		if err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
		fill(a.memory, guard)
		if err := errors.Join(a.win.LockAll(mpi.NoCheck), w.comm.Barrier()); err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
		if err := f(a); err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
		if err := errors.Join(w.comm.Barrier(), a.win.UnlockAll(), w.comm.Barrier(), a.close()); err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
	}
	return nil
}

func fill(b []byte, with byte) {
	for i := range b {
		b[i] = with
	}
}

func allocated(w world) (area, error) {
	win, memory, err := w.comm.AllocateWin(areaSize, 1, mpi.Info{})
	return area{win, memory, make([]int, w.size), win.Free}, err
}

func allocatedShared(w world) (area, error) {
	win, memory, err := w.comm.AllocateSharedWin(areaSize, 1, mpi.Info{})
	return area{win, memory, make([]int, w.size), win.Free}, err
}

type memory func() (m []byte, free func() error, err error)

func mpiMemory() ([]byte, func() error, error) {
	m, err := mpi.AllocMemory(areaSize, mpi.Info{})
	return m, func() error { return mpi.FreeMemory(m) }, err
}

func mapped() ([]byte, func() error, error) {
	m, err := syscall.Mmap(-1, 0, areaSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED|syscall.MAP_ANON)
	return m, func() error { return syscall.Munmap(m) }, err
}

func pinned() ([]byte, func() error, error) {
	m := make([]byte, areaSize)
	var p runtime.Pinner
	p.Pin(&m[0])
	return m, func() error { p.Unpin(); return nil }, nil
}

func createdOn(get memory) func(world) (area, error) {
	return func(w world) (area, error) {
		m, free, err := get()
		if err != nil {
			return area{}, err
		}
		win, err := w.comm.CreateWin(m, 1, mpi.Info{})
		return area{win, m, make([]int, w.size), func() error { return errors.Join(win.Free(), free()) }}, err
	}
}

func dynamic(w world) (area, error) {
	m, free, err := mapped()
	if err != nil {
		return area{}, err
	}
	win, err := w.comm.CreateDynamicWin(mpi.Info{})
	if err != nil {
		return area{}, err
	}
	if err := win.Attach(m); err != nil {
		return area{}, err
	}
	base, err := mpi.Address(m)
	if err != nil {
		return area{}, err
	}
	bases, err := w.gatherInts(base)
	return area{win, m, bases, func() error {
		return errors.Join(w.comm.Barrier(), win.Detach(m), win.Free(), free())
	}}, err
}

// windows puts to the right and gets from the left, by every call that can do that.
func windows(w world) error {
	if err := windowHints(w); err != nil {
		return err
	}
	return withArea(w, func(a area) error {
		if unified, err := a.win.Unified(); err != nil || !unified {
			return fmt.Errorf("unified: %v, %v", unified, err)
		}
		buf, err := mpi.AllocMemory(areaSize, mpi.Info{})
		if err != nil {
			return err
		}
		defer mpi.FreeMemory(buf) //nolint:errcheck // the test is over
		sizes := []int{0, 1, 7, 8, 4097, 100000}
		if w.crowded() {
			sizes = []int{0, 7, 100000}
		}
		for _, way := range ways {
			for _, n := range sizes {
				if err := w.transfer(a, buf, way, n); err != nil {
					return fmt.Errorf("%s of %d bytes: %w", way.name, n, err)
				}
			}
		}
		return nil
	})
}

// ways are pairs of calls that copy there and back. Both return when the copy is
// complete at both ends.
var ways = []struct {
	name     string
	put, get func(win mpi.Win, b []byte, target, disp int) error
}{
	{"Put, Get and Flush", func(win mpi.Win, b []byte, target, disp int) error {
		return errors.Join(win.Put(b, target, disp), win.Flush(target))
	}, func(win mpi.Win, b []byte, target, disp int) error {
		return errors.Join(win.Get(b, target, disp), win.Flush(target))
	}},
	{"PutFlush and GetFlush", mpi.Win.PutFlush, mpi.Win.GetFlush},
	{"PutFlush and GetFlush of Go memory", func(win mpi.Win, b []byte, target, disp int) error {
		return win.PutFlush(slices.Clone(b), target, disp)
	}, func(win mpi.Win, b []byte, target, disp int) error {
		m := make([]byte, len(b))
		err := win.GetFlush(m, target, disp)
		copy(b, m)
		return err
	}},
	{"Rput and Rget", func(win mpi.Win, b []byte, target, disp int) error {
		r, err := win.Rput(b, target, disp)
		return errors.Join(err, r.Wait(), win.Flush(target))
	}, func(win mpi.Win, b []byte, target, disp int) error {
		r, err := win.Rget(b, target, disp)
		return errors.Join(err, r.Wait())
	}},
}

// transfer puts n bytes to the right neighbour, checks those that came from the left,
// and gets its own back from the right. The memory around them must not change.
func (w world) transfer(a area, buf []byte, way struct {
	name     string
	put, get func(win mpi.Win, b []byte, target, disp int) error
}, n int) error {
	const at = 13
	fill(buf, byte(100+w.rank))
	if err := way.put(a.win, buf[:n], w.right(), a.bases[w.right()]+at); err != nil {
		return err
	}
	if err := errors.Join(w.comm.Barrier(), a.win.Sync()); err != nil {
		return err
	}
	if err := holds(a.memory, at, n, byte(100+w.left()), guard); err != nil {
		return fmt.Errorf("after the put: %w", err)
	}
	fill(buf, 1)
	if err := way.get(a.win, buf[at:at+n], w.right(), a.bases[w.right()]+at); err != nil {
		return err
	}
	if err := holds(buf, at, n, byte(100+w.rank), 1); err != nil {
		return fmt.Errorf("after the get: %w", err)
	}
	if err := w.comm.Barrier(); err != nil {
		return err
	}
	fill(a.memory, guard)
	return errors.Join(a.win.Sync(), w.comm.Barrier())
}

// holds returns an error unless the n bytes at position at are value, and all
// others are guard.
func holds(b []byte, at, n int, value, guard byte) error {
	want := bytes.Repeat([]byte{guard}, len(b))
	fill(want[at:at+n], value)
	for i := range b {
		if b[i] != want[i] {
			return fmt.Errorf("byte %d is %d, expected %d", i-at, b[i], want[i])
		}
	}
	return nil
}

func windowHints(w world) error {
	hints, err := mpi.NewInfo(map[string]string{"no_locks": "false"})
	if err != nil {
		return err
	}
	win, _, err := w.comm.AllocateWin(8, 1, hints)
	if err != nil {
		return err
	}
	if err := win.SetInfo(hints); err != nil {
		return err
	}
	used, err := win.Info()
	if err != nil {
		return err
	}
	if _, err := used.Hints(); err != nil {
		return err
	}
	_, _, err = win.Shared(w.rank)
	if err := expect("Shared on another window", err, mpi.ErrRMAFlavor); err != nil {
		return err
	}
	other, _, err := w.comm.AllocateWin(8, 1, hints)
	if err != nil {
		return err
	}
	if a, b := win.Fortran(), other.Fortran(); a == b {
		return fmt.Errorf("two windows have the number %d", a)
	}
	return errors.Join(used.Free(), hints.Free(), win.Free(), other.Free())
}

// sharedMemory is of a different size in every process, and reached by loads and
// stores.
func sharedMemory(w world) error {
	const unit = 8
	win, mine, err := w.comm.AllocateSharedWin(unit*w.rank, unit, mpi.Info{})
	if err != nil {
		return err
	}
	fill(mine, byte(w.rank))
	if err := errors.Join(win.LockAll(mpi.NoAssert), win.Sync(), w.comm.Barrier(), win.Sync()); err != nil {
		return err
	}
	for r := range w.size {
		theirs, u, err := win.Shared(r)
		if err != nil {
			return err
		}
		if u != unit || !bytes.Equal(theirs, bytes.Repeat([]byte{byte(r)}, unit*r)) {
			return fmt.Errorf("memory of rank %d: unit %d, %v", r, u, theirs)
		}
	}
	return errors.Join(w.comm.Barrier(), win.UnlockAll(), win.FreeAlone())
}
