package object

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

var forever = context.Background()

// seeded logs a seed and returns the generator of a thread for it.
func seeded(t testing.TB) func(th Thread) *rand.Rand {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return func(th Thread) *rand.Rand {
		return rand.New(rand.NewPCG(seed, uint64(th.Member)<<32+uint64(th.Number)))
	}
}

// TestMutexHandOvers: threads of several processes exclude each other, and no wake-up is lost.
func TestMutexHandOvers(t *testing.T) {
	for _, c := range []struct{ processes, each int }{{1, 2}, {2, 1}, {3, 4}, {8, 16}} {
		w, all := newWorld(t, c.processes)
		addr := w.at(MutexSize)
		must(t, all[0].InitMutex(addr))
		exclude(t, all, c.each, *handOvers/(c.processes*c.each),
			func(o *Objects, th Thread) error { return o.Lock(forever, addr, th) },
			func(o *Objects, th Thread) error { return o.Unlock(addr, th) })
		must(t, all[0].DestroyMutex(addr))
		w.idle(all)
	}
}

// TestMutexOrder: a mutex is granted in order of arrival, with every length of the queue.
func TestMutexOrder(t *testing.T) {
	w, all := newWorld(t, 3)
	addr := w.at(MutexSize)
	must(t, all[0].InitMutex(addr))
	for n := range 12 {
		first := Thread{0, 999}
		must(t, all[0].Lock(forever, addr, first))
		var order []int
		var group sync.WaitGroup
		for i := range n {
			o, th := all[i%3], Thread{i % 3, uint32(i)}
			group.Go(func() {
				if err := o.Lock(forever, addr, th); err != nil {
					t.Error(err)
				}
				order = append(order, i)
				if err := o.Unlock(addr, th); err != nil {
					t.Error(err)
				}
			})
			w.until(func() bool { return w.queued(addr) == i+1 })
		}
		must(t, all[0].Unlock(addr, first))
		group.Wait()
		for i, got := range order {
			if got != i || len(order) != n {
				t.Fatalf("granted in the order %v", order)
			}
		}
	}
	w.idle(all)
}

// TestMutexMisuse: each misuse fails with its text and changes nothing.
func TestMutexMisuse(t *testing.T) {
	w, all := newWorld(t, 2)
	addr := w.at(4096)
	o, a, b := all[0], Thread{0, 1}, Thread{0, 2}
	expect(t, o.Lock(forever, addr, a), ErrNotInitialised, "mutex at 0x100000000: it has not been initialised, or it has been destroyed")
	must(t, o.InitMutex(addr))
	must(t, o.InitCond(addr+64))
	expect(t, o.Lock(forever, addr+64, a), ErrKind, "mutex at 0x100000040: the address has an object of another kind: a condition variable")
	for op, err := range map[string]error{"init": o.InitMutex(addr + 132), "lock": o.Lock(forever, addr+132, a), "destroy": o.DestroyMutex(addr + 4)} {
		if !errors.Is(err, ErrArgument) || !strings.HasSuffix(err.Error(), ": invalid argument: the address is not a multiple of 8") {
			t.Errorf("%s at an address that is not aligned: %v", op, err)
		}
	}
	expect(t, o.Unlock(addr, a), ErrNotLocked, "mutex at 0x100000000: it is not locked")
	must(t, o.Lock(forever, addr, a))
	expect(t, o.Lock(forever, addr, a), ErrOwned, "mutex at 0x100000000: the calling thread is the owner already")
	expect(t, o.Unlock(addr, b), ErrOwner, "mutex at 0x100000000: the calling thread is not the owner")
	expect(t, all[1].Unlock(addr, Thread{1, 1}), ErrOwner, "mutex at 0x100000000: the calling thread is not the owner")
	expect(t, o.DestroyMutex(addr), ErrLocked, "mutex at 0x100000000: it is locked")
	for _, th := range []Thread{a, b} {
		if got, err := o.TryLock(addr, th); got || err != nil {
			t.Errorf("TryLock of a locked mutex returns %v, %v", got, err)
		}
	}
	must(t, o.Unlock(addr, a))
	if got, err := o.TryLock(addr, b); !got || err != nil {
		t.Errorf("TryLock of a free mutex returns %v, %v", got, err)
	}
	must(t, o.Unlock(addr, b))
	must(t, o.DestroyMutex(addr))
	if _, err := o.TryLock(addr, a); !errors.Is(err, ErrNotInitialised) {
		t.Errorf("TryLock of a destroyed mutex returns %v", err)
	}
	if err := o.Lock(forever, 72, a); err == nil || err.Error() != "mutex at 0x48: no space has the address 0x48" {
		t.Errorf("Lock outside of all spaces returns %v", err)
	}
	w.idle(all)
}

// TestMutexContexts: threads whose context ends do not own the mutex, and the others get it.
func TestMutexContexts(t *testing.T) {
	w, all := newWorld(t, 3)
	addr := w.at(MutexSize)
	must(t, all[0].InitMutex(addr))
	random := seeded(t)
	counter, want := 0, 0
	var mu sync.Mutex
	threads(t, all, 5, func(o *Objects, th Thread) error {
		rnd, mine := random(th), 0
		for range *handOvers / 20 {
			ctx, cancel := context.WithCancel(forever)
			if rnd.IntN(3) == 0 {
				go func() {
					dither()
					cancel()
				}()
			}
			err := o.Lock(ctx, addr, th)
			cancel()
			if errors.Is(err, context.Canceled) {
				continue
			}
			if err != nil {
				return err
			}
			counter++
			mine++
			if err := o.Unlock(addr, th); err != nil {
				return err
			}
		}
		mu.Lock()
		want += mine
		mu.Unlock()
		return nil
	})
	if counter != want {
		t.Errorf("%d critical sections; expected %d", counter, want)
	}
	w.idle(all)
	must(t, all[0].DestroyMutex(addr))
}

// TestWaitsEndWithTheRun: all kinds of waits fail when the run is over.
func TestWaitsEndWithTheRun(t *testing.T) {
	w, all := newWorld(t, 1)
	o, addr := all[0], w.at(4096)
	must(t, o.InitMutex(addr))
	must(t, o.InitMutex(addr+64))
	must(t, o.InitCond(addr+128))
	must(t, o.InitBarrier(addr+192))
	l, err := o.NewLocalBarrier(addr + 192)
	must(t, err)
	must(t, o.Lock(forever, addr, Thread{0, 1}))
	errs := make(chan error)
	go func() { errs <- o.Lock(forever, addr, Thread{0, 2}) }()
	go func() { errs <- l.Sync(forever, 2) }()
	go func() {
		err := o.Lock(forever, addr+64, Thread{0, 3})
		errs <- errors.Join(err, o.Wait(forever, addr+128, addr+64, Thread{0, 3}))
	}()
	w.until(func() bool { return w.queued(addr) == 1 && w.queued(addr+128) == 1 && w.slotsInUse() == 3 })
	for range 3 {
		w.over <- struct{}{}
	}
	for range 3 {
		if err := <-errs; !errors.Is(err, errOver) {
			t.Errorf("a wait ends with %v", err)
		}
	}
}
