//go:build mpi

package rma

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/mpi"
	"github.com/goacp/goacp/mpi/mpitest"
)

func TestMain(m *testing.M) { mpitest.Main(m, cases) }

var cases = map[string]func() error{
	"copies":     within(copies),
	"atomics":    within(atomics),
	"regions":    within(regions),
	"crowd":      within(crowdOfRegions),
	"wrong":      within(wrong),
	"computing":  within(computing),
	"reopen":     reopen,
	"strangers":  within(strangers),
	"deferred":   within(deferring),
	"afterwards": within(detached),
	"library":    obey(false),
	"registered": obey(true),
}

func TestCopies(t *testing.T)    { mpitest.Run(t, 3, "copies", mpitest.Windows()...) }
func TestAtomics(t *testing.T)   { mpitest.Run(t, 3, "atomics", mpitest.Windows()...) }
func TestRegions(t *testing.T)   { mpitest.Run(t, 3, "regions", mpitest.Windows()...) }
func TestCrowd(t *testing.T)     { mpitest.Run(t, 2, "crowd", mpitest.Windows()...) }
func TestWrong(t *testing.T)     { mpitest.Run(t, 2, "wrong", mpitest.Windows()...) }
func TestComputing(t *testing.T) { mpitest.Run(t, 2, "computing", mpitest.Windows()...) }
func TestReopen(t *testing.T)    { mpitest.Run(t, 2, "reopen", mpitest.Windows()...) }
func TestStrangers(t *testing.T) { mpitest.Run(t, 2, "strangers", mpitest.Windows()...) }
func TestDeferred(t *testing.T)  { mpitest.Run(t, 3, "deferred", mpitest.Windows()...) }
func TestDetached(t *testing.T)  { mpitest.Run(t, 2, "afterwards", mpitest.Windows()...) }

const size = 1 << 20

// playground lets every member write and read at random its own part of the memory of
// all members, from position base on, against a model.
func (m *member) playground(base uint64, n int, steps int) error {
	rnd := rand.New(rand.NewPCG(7, uint64(m.self)))
	part := n / m.size
	mine := base + uint64(m.self*part)
	model := make([][]byte, m.size)
	for i := range model {
		model[i] = make([]byte, part)
	}
	scratch, err := pages(part)
	if err != nil {
		return err
	}
	for range steps {
		peer, at := rnd.IntN(m.size), rnd.IntN(part)
		length := min(rnd.IntN(1<<rnd.IntN(17)), part-at)
		b, pos := scratch[:length], mine+uint64(at)
		if rnd.IntN(2) == 0 {
			for i := range b {
				b[i] = byte(rnd.Uint32())
			}
			copy(model[peer][at:], b)
			_, err = wait(func(o fabric.Completion) { m.Put(peer, pos, unsafe.Pointer(&scratch[0]), uint64(length), o) })
		} else {
			clear(b)
			_, err = wait(func(o fabric.Completion) { m.Get(peer, pos, unsafe.Pointer(&scratch[0]), uint64(length), o) })
			if err == nil && !bytes.Equal(b, model[peer][at:at+length]) {
				err = errors.New("got other bytes than were put")
			}
		}
		if err != nil {
			return fmt.Errorf("%d bytes at %#x of member %d: %w", length, pos, peer, err)
		}
	}
	return nil
}

func copies(m *member) error { return m.playground(0, size, 2000) }

func regions(m *member) error {
	b, err := m.register(1<<40+4096, size)
	if err != nil {
		return err
	}
	if err := m.announce(); err != nil {
		return err
	}
	if err := m.playground(1<<40+4096, size, 500); err != nil {
		return err
	}
	_ = b
	return nil
}

// atomics lets all members add at the same place, and checks every operation against
// what it does to an integer.
func atomics(m *member) error {
	_, err := m.register(1<<40, 4096)
	if err != nil {
		return err
	}
	if err := m.announce(); err != nil {
		return err
	}
	for _, base := range []uint64{0, 1 << 40} {
		for range 300 {
			for _, width := range []uint8{4, 8} {
				add := fabric.Atomic{Op: fabric.OpAdd, Width: width, Operand: 3}
				if _, err := wait(func(o fabric.Completion) { m.Atomic(0, base+uint64(8*width), add, o) }); err != nil {
					return err
				}
			}
		}
		if err := m.singly(base + 256 + 64*uint64(m.self)); err != nil {
			return err
		}
		if err := mpi.World().Barrier(); err != nil {
			return err
		}
		for _, width := range []uint8{4, 8} {
			none := fabric.Atomic{Op: fabric.OpOr, Width: width}
			sum, err := wait(func(o fabric.Completion) { m.Atomic(0, base+uint64(8*width), none, o) })
			if want := uint64(900 * m.size); err != nil || sum != want {
				return fmt.Errorf("the sum of width %d is %d, %v; want %d", width, sum, err, want)
			}
		}
	}
	return nil
}

// singly tries every operation on a place of its own.
func (m *member) singly(pos uint64) error {
	rnd := rand.New(rand.NewPCG(9, uint64(m.self)))
	for i, op := range []fabric.Op{fabric.OpAdd, fabric.OpCas, fabric.OpSwap, fabric.OpAnd, fabric.OpOr, fabric.OpXor} {
		for j, width := range []uint8{4, 8} {
			var x uint64
			for step := range 20 {
				a := fabric.Atomic{Op: op, Width: width, Operand: rnd.Uint64(), Compare: x}
				if step%3 == 2 {
					a.Compare++
				}
				peer := (m.self + 1) % m.size
				old, err := wait(func(o fabric.Completion) { m.Atomic(peer, pos+uint64(16*(i%2)+8*j), a, o) })
				if err != nil {
					return err
				}
				if step > 0 && old != x {
					return fmt.Errorf("%v%d found %#x, want %#x", op, width, old, x)
				}
				x = after(a, old)
			}
		}
	}
	return nil
}

// after is what the operation makes of old.
func after(a fabric.Atomic, old uint64) uint64 {
	place := old
	if a.Width == 4 {
		small := uint32(old)
		a.Apply(unsafe.Pointer(&small))
		return uint64(small)
	}
	a.Apply(unsafe.Pointer(&place))
	return place
}

// crowdOfRegions registers more than windows hold; the fallback gets the rest.
func crowdOfRegions(m *member) error {
	count := capacityOf(mpi.Vendor()).free() + 20
	for i := range count {
		if _, err := m.register(1<<40+uint64(i)<<20, 4096); err != nil {
			return fmt.Errorf("region %d: %w", i, err)
		}
	}
	if err := m.announce(); err != nil {
		return err
	}
	beyond := 0
	b, err := pages(4096)
	if err != nil {
		return err
	}
	for i := range count {
		_, err := wait(func(o fabric.Completion) {
			m.Put(1-m.self, 1<<40+uint64(i)<<20+8*uint64(m.self), unsafe.Pointer(&b[0]), 8, o)
		})
		switch {
		case errors.Is(err, errRefused):
			beyond++
		case err != nil:
			return fmt.Errorf("region %d: %w", i, err)
		}
	}
	if beyond != 20 || m.fallback.used != 20 {
		return fmt.Errorf("%d regions are beyond the windows, want 20", beyond)
	}
	if err := mpi.World().Barrier(); err != nil {
		return err
	}
	// Regions inside others take no room, and room that was given back is used.
	r, err := m.Region(m.self, 1<<40)
	if err != nil {
		return err
	}
	m.Published(1<<41, 64, uintptr(r.Addr+64))
	if inner, err := m.Region(m.self, 1<<41); err != nil || inner.Window != r.Window {
		return fmt.Errorf("a region inside another: %+v, %w", inner, err)
	}
	m.Withdrawn(1 << 40)
	m.Withdrawn(1 << 41)
	if err := m.Withdraw(nil, m.cfg.Over); err != nil {
		return err
	}
	if _, err := m.register(1<<42, 4096); err != nil {
		return err
	}
	if again, err := m.Region(m.self, 1<<42); err != nil || again.Window < 0 {
		return fmt.Errorf("a region after another was taken back: %+v, %w", again, err)
	}
	return nil
}

func wrong(m *member) error {
	var outside *fabric.RangeError
	b, err := pages(4096)
	if err != nil {
		return err
	}
	for _, pos := range []uint64{size, size - 4, 1 << 40, ^uint64(0)} {
		if _, err := wait(func(o fabric.Completion) { m.Put(1-m.self, pos, unsafe.Pointer(&b[0]), 8, o) }); !errors.As(err, &outside) {
			return fmt.Errorf("put at %#x: %v", pos, err)
		}
	}
	add := fabric.Atomic{Op: fabric.OpAdd, Width: 8}
	if _, err := wait(func(o fabric.Completion) { m.Atomic(1-m.self, 4, add, o) }); !errors.Is(err, fabric.ErrInvalid) {
		return fmt.Errorf("misaligned: %v", err)
	}
	if _, err := wait(func(o fabric.Completion) { m.Get(9, 0, unsafe.Pointer(&b[0]), 8, o) }); err == nil {
		return errors.New("there is a member 9")
	}
	_, err = wait(func(o fabric.Completion) { m.Put(1-m.self, 64, unsafe.Pointer(&b[0]), 0, o) })
	return err
}

// strangers have no windows.
func strangers(m *member) error {
	if _, err := wait(func(o fabric.Completion) { m.Put(m.size, 0, unsafe.Pointer(&m.Memory()[0]), 8, o) }); !errors.Is(err, errRefused) {
		return fmt.Errorf("put: %v", err)
	}
	return nil
}

// computing: member 0 calls MPI only in its progress thread, and the accesses of the other one
// all complete.
func computing(m *member) error {
	if _, err := m.register(1<<40, 4096); err != nil {
		return err
	}
	if err := m.announce(); err != nil {
		return err
	}
	if m.self == 1 {
		add := fabric.Atomic{Op: fabric.OpAdd, Width: 8, Operand: 1}
		for _, pos := range []uint64{64, 1 << 40} {
			for range 50 {
				if _, err := wait(func(o fabric.Completion) { m.Atomic(0, pos, add, o) }); err != nil {
					return err
				}
			}
		}
		m.Memory()[0] = 1
		return nil
	}
	// The last value of the counters shows that everything has arrived.
	for deadline := time.Now().Add(15 * time.Second); ; {
		add := fabric.Atomic{Op: fabric.OpOr, Width: 8}
		if time.Now().After(deadline) {
			return errors.New("accesses did not complete")
		}
		time.Sleep(10 * time.Millisecond)
		a, err1 := wait(func(o fabric.Completion) { m.Atomic(0, 64, add, o) })
		b, err2 := wait(func(o fabric.Completion) { m.Atomic(0, 1<<40, add, o) })
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		if a == 50 && b == 50 {
			return nil
		}
	}
}

// detached checks that a member does not reach memory any more after its owner has detached it,
// even if the member has learnt before where the memory lies.
func detached(m *member) error {
	if _, err := m.register(1<<40, 4096); err != nil {
		return err
	}
	if err := m.announce(); err != nil {
		return err
	}
	b, err := pages(4096)
	if err != nil {
		return err
	}
	put := func() error {
		_, err := wait(func(o fabric.Completion) { m.Put(1-m.self, 1<<40, unsafe.Pointer(&b[0]), 8, o) })
		return err
	}
	if err := put(); err != nil {
		return err
	}
	if _, err := m.Region(1-m.self, 1<<40); err != nil { // as the other one's agent asks
		return err
	}
	if err := mpi.World().Barrier(); err != nil {
		return err
	}
	m.Withdrawn(1 << 40)
	// Without the word of the other one, Withdraw goes on until the run is over.
	lost := errors.New("lost")
	asked := 0
	if err := m.Withdraw(nil, func() error {
		if asked++; asked < 3 {
			return nil
		}
		return lost
	}); err != lost || len(m.informed) != 1 || m.informed[0].member != 1-m.self {
		return fmt.Errorf("Withdraw without word: %v, informed %v", err, m.informed)
	}
	if err := m.announce(); err != nil {
		return err
	}
	if err := m.Forget(1 - m.self); err != nil {
		return err
	}
	m.Forgotten(1-m.self, m.informed[0].ticket)
	if err := m.Withdraw(nil, m.cfg.Over); err != nil || len(m.informed) != 1 {
		return fmt.Errorf("Withdraw when all have forgotten: %v, informed %v", err, m.informed)
	}
	var outside *fabric.RangeError
	if err := put(); !errors.As(err, &outside) {
		return fmt.Errorf("put to detached memory: %v", err)
	}
	return nil
}

// reopen opens and closes transports one after the other.
func reopen() error {
	if _, err := mpi.InitThread(mpi.ThreadMultiple); err != nil {
		return err
	}
	for range 5 {
		m, err := openMember()
		if err != nil {
			return err
		}
		if err := m.Close(); err != nil {
			return err
		}
	}
	return mpi.Finalize()
}
