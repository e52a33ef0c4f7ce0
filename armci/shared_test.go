package armci_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goacp/goacp/armci"
)

// TestCounter: each process takes numbers from a counter of the last one. No number is taken twice, and
// none is left out.
func TestCounter(t *testing.T) {
	const each = 200
	forEach(t, []int{1, 3}, func(w *armci.World) error {
		return errors.Join(counter[int32](w, each), counter[int64](w, each), counter[int](w, each))
	})
}

func counter[T armci.Integer](w *armci.World, each int) error {
	n := each * w.Procs()
	m, err := armci.Malloc[T](w, 1+n)
	if err != nil {
		return err
	}
	last := m.On(w.Procs() - 1)
	taken := m.On(0).At(1)
	for range each {
		i, err := armci.FetchAdd(w, last, 1)
		if err != nil {
			return err
		}
		before, err := armci.Swap(w, taken.At(int(i)), T(w.Proc()+1))
		if err != nil || before != 0 {
			return fmt.Errorf("number %d was taken by process %d: %w", i, before-1, err)
		}
	}
	if err := w.Barrier(); err != nil {
		return err
	}
	if end, err := armci.GetValue(w, last); err != nil || int(end) != n {
		return fmt.Errorf("the counter is %d, want %d: %w", end, n, err)
	}
	return m.Free()
}

// TestAccumulates: concurrent accumulates to the same elements lose nothing.
func TestAccumulates(t *testing.T) {
	const n, turns = 700, 30
	forEach(t, []int{3}, func(w *armci.World) error {
		m, err := armci.Malloc[complex128](w, n)
		if err != nil {
			return err
		}
		ones := make([]complex128, n)
		for i := range ones {
			ones[i] = complex(1, float64(i))
		}
		h := w.NewHandle()
		for turn := range turns {
			is := []armci.Issuer{w, h, w.NonBlocking()}[turn%3]
			for proc := range w.Procs() {
				if err := armci.Acc(is, 2, m.On(proc), ones); err != nil {
					return err
				}
			}
		}
		if err := errors.Join(h.Wait(), w.WaitAll(), w.Barrier()); err != nil {
			return err
		}
		for i, x := range m.Local() {
			if want := complex(2*turns*3, 2*turns*3*float64(i)); x != want {
				return fmt.Errorf("element %d is %v, want %v", i, x, want)
			}
		}
		return m.Free()
	})
}

// TestMutexes: only one process or goroutine holds a mutex, and it sees earlier stores under the mutex.
func TestMutexes(t *testing.T) {
	const goroutines, turns = 3, 20
	forEach(t, []int{1, 3}, func(w *armci.World) error {
		m, err := armci.Malloc[int64](w, 1)
		if err != nil {
			return err
		}
		locks, err := armci.NewMutexes(w, 2)
		if err != nil {
			return err
		}
		holder, value := w.Procs()-1, m.On(0)
		add := func() error {
			if err := locks.Lock(1, holder); err != nil {
				return err
			}
			x, err := armci.GetValue(w, value)
			return errors.Join(err, armci.PutValue(w, value, x+1), locks.Unlock(1, holder))
		}
		errs := make([]error, goroutines)
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() {
				for range turns {
					errs[i] = errors.Join(errs[i], add())
				}
			})
		}
		all.Wait()
		if err := errors.Join(errors.Join(errs...), w.Barrier()); err != nil {
			return err
		}
		if got := m.Local()[0]; w.Proc() == 0 && got != int64(goroutines*turns*w.Procs()) {
			return fmt.Errorf("the number is %d", got)
		}
		if taken, err := locks.TryLock(0, w.Proc()); !taken || err != nil {
			return fmt.Errorf("a free mutex: %v, %w", taken, err)
		}
		if taken, err := locks.TryLock(0, w.Proc()); taken || err != nil {
			return fmt.Errorf("a mutex that is locked: %v, %w", taken, err)
		}
		return errors.Join(locks.Unlock(0, w.Proc()), expect(armci.ErrState, locks.Unlock(0, w.Proc())),
			expect(armci.ErrIndex, locks.Lock(2, 0)), expect(armci.ErrProc, locks.Lock(0, w.Procs())), locks.Destroy(), m.Free())
	})
}

// TestSignals: flags and notifications come behind the data.
func TestSignals(t *testing.T) {
	const turns, n = 40, 500
	forEach(t, []int{1, 3}, func(w *armci.World) error {
		data, err := armci.Malloc[int64](w, 2*n)
		if err != nil {
			return err
		}
		flags, err := armci.Malloc[int32](w, 1)
		if err != nil {
			return err
		}
		next, previous := (w.Proc()+1)%w.Procs(), (w.Proc()+w.Procs()-1)%w.Procs()
		row := make([]int64, n)
		for turn := 1; turn <= turns; turn++ {
			for i := range row {
				row[i] = int64(turn)
			}
			err := errors.Join(armci.Put(w, data.On(next), row), armci.SetFlag(w, flags.On(next), int32(turn)))
			if err != nil {
				return err
			}
			for atomic.LoadInt32(&flags.Local()[0]) != int32(turn) {
				time.Sleep(10 * time.Microsecond)
			}
			if got := data.Local()[n-1]; got != int64(turn) {
				return fmt.Errorf("after flag %d: %d", turn, got)
			}
			if err := armci.Put(w, data.On(next).At(n), row); err != nil {
				return err
			}
			if sent, err := w.Notify(next); err != nil || sent != turn {
				return fmt.Errorf("notification %d is number %d: %w", turn, sent, err)
			}
			awaited, come, err := w.AwaitNotify(previous)
			if err != nil || awaited != turn || come < turn || data.Local()[2*n-1] != int64(turn) {
				return fmt.Errorf("notification %d of %d, %d after it: %w", awaited, come, data.Local()[2*n-1], err)
			}
			if err := w.Barrier(); err != nil {
				return err
			}
		}
		return errors.Join(data.Free(), flags.Free())
	})
}

// TestBlocks: other processes use a block of one process by its Remote, which they get through memory.
func TestBlocks(t *testing.T) {
	forEach(t, []int{2}, func(w *armci.World) error {
		type point struct{ X, Y int32 }
		b, err := armci.Alloc[point](w, 5)
		if err != nil {
			return err
		}
		names, err := armci.Malloc[armci.Remote[point]](w, 1)
		if err != nil {
			return err
		}
		other := 1 - w.Proc()
		err = errors.Join(armci.PutValue(w, names.On(other), b.Remote()), w.Barrier())
		if err != nil {
			return err
		}
		theirs := names.Local()[0]
		if theirs.Proc() != other || theirs.Len() != 5 {
			return fmt.Errorf("the name of %d elements of process %d", theirs.Len(), theirs.Proc())
		}
		again, err := armci.RemoteAt[point](w, other, theirs.Addr(), theirs.Len())
		if err != nil || again != theirs {
			return fmt.Errorf("%v, want %v: %w", again, theirs, err)
		}
		if err := errors.Join(armci.PutValue(w, theirs.At(4), point{1, int32(w.Proc())}), w.Barrier()); err != nil {
			return err
		}
		if got := b.Local()[4]; got != (point{1, int32(other)}) {
			return fmt.Errorf("element 4 is %v", got)
		}
		if own, ok := armci.View(w, b.Remote()); !ok || &own[0] != &b.Local()[0] {
			return errors.New("the own memory is another")
		}
		if view, ok := armci.View(w, theirs); ok && view[4] != (point{1, int32(w.Proc())}) {
			return fmt.Errorf("the memory of process %d has %v", other, view[4])
		}
		if err := w.Barrier(); err != nil {
			return err
		}
		return errors.Join(b.Free(), expect(armci.ErrState, b.Free()), names.Free(), expect(armci.ErrState, names.Free()))
	})
}

// TestContext: a call gives up when the context of its world ends. The result for which it waited is
// not lost.
func TestContext(t *testing.T) {
	forEach(t, []int{2}, func(w *armci.World) error {
		m, err := armci.Malloc[int64](w, 8)
		if err != nil {
			return err
		}
		locks, err := armci.NewMutexes(w, 1)
		if err != nil {
			return err
		}
		over, cancel := context.WithCancel(context.Background())
		cancel()
		late := w.WithContext(over)
		_, add := armci.FetchAdd(late, m.On(0), 1)
		_, notify := late.Notify(0)
		for i, err := range []error{armci.Put(late, m.On(0), []int64{1}), add, notify, late.Fence(0), late.AllFence(), armci.SetFlag(late, armci.Remote[int32]{}, 1)} {
			var op *armci.OpError
			if !errors.As(err, &op) || !errors.Is(err, context.Canceled) && !errors.Is(err, armci.ErrBounds) {
				return fmt.Errorf("call %d with a context that has ended: %w", i, err)
			}
		}
		if err := errors.Join(w.Barrier(), giveUp(w, locks), w.Barrier()); err != nil {
			return err
		}
		if m.Local()[0] != 0 {
			return errors.New("a call whose context has ended did something")
		}
		return errors.Join(locks.Destroy(), m.Free())
	})
}

// giveUp has process 1 wait in vain for a mutex and a notification of process 0.
func giveUp(w *armci.World, locks *armci.Mutexes) error {
	if w.Proc() == 0 {
		if err := errors.Join(locks.Lock(0, 0), w.Barrier(), w.Barrier(), locks.Unlock(0, 0)); err != nil {
			return err
		}
		_, err := w.Notify(1)
		return err
	}
	if err := w.Barrier(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	limited := w.WithContext(ctx)
	_, _, await := limited.AwaitNotify(0)
	if err := errors.Join(expect(context.DeadlineExceeded, await), expect(context.DeadlineExceeded, locks.WithContext(ctx).Lock(0, 0)), w.Barrier()); err != nil {
		return err
	}
	// The mutex comes and goes.
	return errors.Join(locks.Lock(0, 0), locks.Unlock(0, 0))
}
