package object

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/goacp/goacp/internal/ground/activity"
)

// shown is what readers see of a member.
type shown struct {
	mu    sync.Mutex
	waits map[activity.Wait]activity.Reason
	holds map[activity.Hold]heldLock
}

// heldLock is a lock that a thread holds.
type heldLock struct {
	addr   int64
	thread uint32
}

func (s *shown) Say(why activity.Reason) activity.Wait {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waits == nil {
		s.waits = map[activity.Wait]activity.Reason{}
	}
	w := activity.Wait(0)
	for taken := true; taken; _, taken = s.waits[w] {
		w++
	}
	s.waits[w] = why
	return w
}

func (s *shown) Unsay(w activity.Wait) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.waits, w)
}

func (s *shown) Hold(addr int64, thread uint32) activity.Hold {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holds == nil {
		s.holds = map[activity.Hold]heldLock{}
	}
	h := activity.Hold(0)
	for taken := true; taken; _, taken = s.holds[h] {
		h++
	}
	s.holds[h] = heldLock{addr, thread}
	return h
}

func (s *shown) Release(h activity.Hold) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.holds, h)
}

// reasons returns the reasons that all members show.
func (w *world) reasons() map[activity.Reason]int {
	all := map[activity.Reason]int{}
	for _, m := range w.members {
		m.shown.mu.Lock()
		for _, why := range m.shown.waits {
			all[why]++
		}
		m.shown.mu.Unlock()
	}
	return all
}

// holders returns the threads that are shown to hold the lock at an address.
func (w *world) holders(addr int64) (all []Thread) {
	for _, m := range w.members {
		m.shown.mu.Lock()
		for _, h := range m.shown.holds {
			if h.addr == addr {
				all = append(all, Thread{m.number, h.thread})
			}
		}
		m.shown.mu.Unlock()
	}
	return all
}

// TestShownOwner: while threads wait for a mutex, readers see its owner: the thread that is shown to hold it, and if there is none, the owner
// that the waiting threads name.
func TestShownOwner(t *testing.T) {
	w, all := newWorld(t, 3)
	addr := w.at(MutexSize)
	must(t, all[0].InitMutex(addr))
	thread := func(i int) Thread { return Thread{i % 3, uint32(10 + i)} }
	named := func(owner int) activity.Reason { return lockReason(activity.Mutex, addr, asOwner(thread(owner))) }
	const threads = 9
	owners, release := make(chan int), make([]chan bool, threads)
	var group sync.WaitGroup
	enter := func(i int) {
		release[i] = make(chan bool)
		group.Go(func() {
			if err := all[i%3].Lock(forever, addr, thread(i)); err != nil {
				t.Error(err)
			}
			owners <- i
			<-release[i]
			if err := all[i%3].Unlock(addr, thread(i)); err != nil {
				t.Error(err)
			}
		})
	}
	enter(0)
	if got := <-owners; got != 0 {
		t.Fatalf("thread %d owns the free mutex", got)
	}
	for i := 1; i < 6; i++ { // more than the object itself has room for
		enter(i)
		w.until(func() bool { return w.reasons()[named(0)] == i })
	}
	if got := w.holders(addr); got != nil {
		t.Errorf("%v are shown to hold a mutex for which they have not waited", got)
	}
	for owner := range threads - 1 {
		release[owner] <- true
		if got := <-owners; got != owner+1 {
			t.Fatalf("thread %d is the owner after %d", got, owner)
		}
		var want []Thread
		if last := owner+1 == 5 || owner+1 == threads-1; !last { // other threads wait
			want = []Thread{thread(owner + 1)}
		}
		w.until(func() bool { return fmt.Sprint(w.holders(addr)) == fmt.Sprint(want) }) // the owner before may still be shown for a moment
		for i := 6; owner+1 == 5 && i < threads; i++ {
			enter(i)
			w.until(func() bool { return w.reasons()[named(5)] == i-5 })
		}
	}
	release[threads-1] <- true
	group.Wait()
	if got := w.holders(addr); got != nil || len(w.reasons()) != 0 {
		t.Errorf("at the end %v are shown to hold the mutex, and %v to wait", got, w.reasons())
	}
}

// TestShownReasons: readers see the condition variable with its mutex, the barrier with the threads of a round, and the spin lock with its
// owner.
func TestShownReasons(t *testing.T) {
	w, all := newWorld(t, 2)
	addr := w.at(4096)
	mutex, cond, spin, barrier := addr, addr+64, addr+128, addr+192
	must(t, all[0].InitMutex(mutex))
	must(t, all[0].InitCond(cond))
	must(t, all[0].InitSpin(spin))
	must(t, all[0].InitBarrier(barrier))
	var group sync.WaitGroup
	run := func(f func() error) {
		group.Go(func() {
			if err := f(); err != nil {
				t.Error(err)
			}
		})
	}
	a, b := Thread{0, 1}, Thread{1, 2}
	run(func() error {
		must(t, all[0].Lock(forever, mutex, a))
		err := all[0].Wait(forever, cond, mutex, a)
		must(t, all[0].Unlock(mutex, a))
		return err
	})
	expected := activity.For(activity.Condition).At(cond, mutex)
	w.until(func() bool { return w.reasons()[expected] == 1 })
	must(t, all[1].SignalCond(cond))
	group.Wait()

	must(t, all[0].LockSpin(forever, spin, a))
	run(func() error { return all[1].LockSpin(context.Background(), spin, b) })
	expected = activity.On(activity.Spin, 0).At(spin, 1)
	w.until(func() bool { return w.reasons()[expected] == 1 })
	must(t, all[0].UnlockSpin(spin, a))
	group.Wait()
	must(t, all[1].UnlockSpin(spin, b))

	for i := range 3 {
		l, err := all[i%2].NewLocalBarrier(barrier)
		must(t, err)
		run(func() error { return l.Sync(forever, 3) })
		expected = activity.For(activity.Arrival).At(barrier, 3)
		w.until(func() bool { return i == 2 || w.reasons()[expected] == i+1 })
	}
	group.Wait()
	if len(w.reasons()) != 0 {
		t.Errorf("at the end %v are shown", w.reasons())
	}
}
