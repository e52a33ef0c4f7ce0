package object

import (
	"context"
	"errors"
	"sync"
	"testing"
)

// buffer is a bounded buffer of numbers, whose threads wait at two condition variables.
type buffer struct {
	mutex, full, empty int64
	n, room            int
	in, out            int
}

// change adds d to the buffer when it may. It signals other, or broadcasts to it.
func (b *buffer) change(ctx context.Context, o *Objects, th Thread, d int, cond, other int64, all bool) error {
	if err := o.Lock(forever, b.mutex, th); err != nil {
		return err
	}
	for b.n+d < 0 || b.n+d > b.room {
		if err := o.Wait(ctx, cond, b.mutex, th); err != nil {
			if errors.Is(err, context.Canceled) {
				return errors.Join(err, o.Unlock(b.mutex, th))
			}
			return err
		}
	}
	b.n += d
	if d > 0 {
		b.in++
	} else {
		b.out++
	}
	wake := o.SignalCond
	if all {
		wake = o.BroadcastCond
	}
	return errors.Join(wake(other), o.Unlock(b.mutex, th))
}

// TestCondHandOvers: threads of several processes hand numbers over through a bounded buffer. If a wake-up were lost, all
// of them would wait.
func TestCondHandOvers(t *testing.T) {
	for _, c := range []struct{ processes, each, room, cancels int }{{1, 2, 1, 0}, {2, 1, 1, 0}, {3, 4, 1, 0}, {4, 8, 3, 0}, {3, 4, 2, 4}} {
		w, all := newWorld(t, c.processes)
		random := seeded(t)
		at := w.at(4096)
		b := &buffer{mutex: at, full: at + 64, empty: at + 128, room: c.room}
		must(t, all[0].InitMutex(b.mutex))
		must(t, all[0].InitCond(b.full))
		must(t, all[0].InitCond(b.empty))
		rounds := *handOvers / (c.processes * c.each)
		threads(t, all, c.each, func(o *Objects, th Thread) error {
			rnd := random(th)
			d, cond, other := 1, b.full, b.empty
			if (th.Member+int(th.Number))%2 == 0 {
				d, cond, other = -1, b.empty, b.full
			}
			for range rounds {
				for again := true; again; {
					ctx, cancel := context.WithCancel(forever)
					if c.cancels != 0 && rnd.IntN(c.cancels) == 0 {
						go func() {
							dither()
							cancel()
						}()
					}
					err := b.change(ctx, o, th, d, cond, other, rnd.IntN(4) == 0)
					cancel()
					if again = errors.Is(err, context.Canceled); err != nil && !again {
						return err
					}
				}
			}
			return nil
		})
		if b.in != b.out || b.in != rounds*c.processes*c.each/2 || b.n != 0 {
			t.Errorf("%v: %d in, %d out, %d left", c, b.in, b.out, b.n)
		}
		w.idle(all)
		for _, err := range []error{all[0].DestroyCond(b.full), all[0].DestroyCond(b.empty), all[0].DestroyMutex(b.mutex)} {
			must(t, err)
		}
	}
}

// sleepers are threads that wait at a condition variable, in a known order.
type sleepers struct {
	w           *world
	all         []*Objects
	cond, mutex int64
	group       sync.WaitGroup
	mu          sync.Mutex
	order       []int
	errs        []error
}

func newSleepers(w *world, all []*Objects, n int) *sleepers {
	w.t.Helper()
	at := w.at(4096)
	s := &sleepers{w: w, all: all, cond: at, mutex: at + 64}
	must(w.t, all[0].InitCond(s.cond))
	must(w.t, all[0].InitMutex(s.mutex))
	for i := range n {
		o, th := all[i%len(all)], Thread{i % len(all), uint32(i)}
		s.group.Go(func() {
			err := o.Lock(forever, s.mutex, th)
			if err == nil {
				err = o.Wait(forever, s.cond, s.mutex, th)
			}
			s.mu.Lock()
			s.order, s.errs = append(s.order, i), append(s.errs, err)
			s.mu.Unlock()
			if err == nil {
				err = o.Unlock(s.mutex, th)
			}
			if err != nil && !errors.Is(err, ErrKind) {
				w.t.Error(err)
			}
		})
		w.until(func() bool { return w.queued(s.cond) == i+1 })
	}
	return s
}

// TestCondOrder: a broadcast wakes all threads that wait, in order, and a signal wakes one, also those that come while
// the object does not know its first thread. A condition variable whose threads have all been woken can be destroyed.
func TestCondOrder(t *testing.T) {
	for n := range 9 {
		w, all := newWorld(t, 3)
		s := newSleepers(w, all, n)
		if n != 0 {
			expect(t, all[0].DestroyCond(s.cond), ErrWaiting, failed(condKind, s.cond, ErrWaiting).Error())
		}
		must(t, all[1].BroadcastCond(s.cond))
		must(t, all[0].DestroyCond(s.cond))
		s.group.Wait()
		for i, got := range s.order {
			if i != got {
				t.Errorf("woken in the order %v", s.order)
				break
			}
		}
		w.idle(all)

		s = newSleepers(w, all, n)
		for range n / 2 {
			must(t, all[2].SignalCond(s.cond))
		}
		w.until(func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return len(s.order) == n/2
		})
		if n%2 == 0 {
			must(t, all[2].BroadcastCond(s.cond))
		}
		for range n - n/2 {
			must(t, all[2].SignalCond(s.cond))
		}
		must(t, all[0].DestroyCond(s.cond))
		s.group.Wait()
		w.idle(all)
	}
}

// TestCondWithoutMutex: if the mutex has gone, all threads that are woken learn it.
func TestCondWithoutMutex(t *testing.T) {
	for n := 1; n < 7; n++ {
		for _, all := range []bool{true, false} {
			w, objects := newWorld(t, 2)
			s := newSleepers(w, objects, n)
			w.until(func() bool { return objects[0].DestroyMutex(s.mutex) == nil }) // the last thread has unlocked it
			must(t, objects[0].InitSpin(s.mutex))
			for range n {
				wake := objects[0].SignalCond
				if all {
					wake = objects[0].BroadcastCond
				}
				if err := wake(s.cond); err != nil && !errors.Is(err, ErrKind) {
					t.Error(err)
				}
			}
			s.group.Wait()
			for _, err := range s.errs {
				if !errors.Is(err, ErrKind) {
					t.Errorf("a thread that waited gets %v", err)
				}
			}
			w.idle(objects)
		}
	}
}

// TestCondMisuse: each misuse fails with its text and changes nothing.
func TestCondMisuse(t *testing.T) {
	w, all := newWorld(t, 1)
	addr, o, a := w.at(4096), all[0], Thread{0, 1}
	cond, mutex, other := addr, addr+64, addr+128
	must(t, o.InitMutex(mutex))
	must(t, o.InitMutex(other))
	must(t, o.Lock(forever, mutex, a))
	missing := "condition variable at 0x100000000: it has not been initialised, or it has been destroyed"
	expect(t, o.Wait(forever, cond, mutex, a), ErrNotInitialised, missing)
	expect(t, o.SignalCond(cond), ErrNotInitialised, missing)
	expect(t, o.BroadcastCond(cond), ErrNotInitialised, missing)
	expect(t, o.DestroyCond(cond), ErrNotInitialised, missing)
	must(t, o.InitCond(cond))
	expect(t, o.Wait(forever, cond, mutex, Thread{0, 2}), ErrOwner, "mutex at 0x100000040: the calling thread is not the owner")
	expect(t, o.Wait(forever, cond, other, a), ErrNotLocked, "mutex at 0x100000080: it is not locked")
	ended := make(chan error)
	go func() { ended <- o.Wait(forever, cond, mutex, a) }()
	w.until(func() bool { return w.queued(cond) == 1 })
	must(t, o.Lock(forever, other, Thread{0, 3}))
	expect(t, o.Wait(forever, cond, other, Thread{0, 3}), ErrOtherMutex,
		"condition variable at 0x100000000: threads wait at it with another mutex than 0x100000080")
	must(t, o.Unlock(other, Thread{0, 3}))
	must(t, o.SignalCond(cond))
	must(t, <-ended)
	must(t, o.Unlock(mutex, a))
	w.idle(all)
}
