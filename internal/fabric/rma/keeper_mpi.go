//go:build mpi

package rma

import (
	"sync/atomic"
	"time"
)

// keeper wakes the agents of targets: before an operation, if the last time is a while
// ago, and by its goroutine while operations take long.
type keeper struct {
	wake  func(member int)
	start time.Time
	woken []atomic.Int64 // by member: when it was woken last, ns since start; 0 = never
	busy  []atomic.Int32 // by member: operations under way
	slow  []atomic.Bool  // by member: an operation that was taken for quick was not

	asleep atomic.Bool
	last   atomic.Int64 // when an operation began, ns since start
	bell   chan struct{}
	quit   chan struct{}
	done   chan struct{}
}

// vigil is how long the goroutine stays awake after an operation.
const vigil = 10 * time.Millisecond

func startKeeper(members int, wake func(int)) *keeper {
	k := &keeper{
		wake: wake, start: time.Now(),
		woken: make([]atomic.Int64, members), busy: make([]atomic.Int32, members), slow: make([]atomic.Bool, members),
		bell: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{}),
	}
	k.asleep.Store(true)
	go k.run()
	return k
}

// enter announces an operation on member and wakes its agent, unless the operation is
// quick. Whether plain copies between members of one host are is a matter of what MPI
// finds between them: where it once was not so, it is not believed again. The result is
// for leave.
func (k *keeper) enter(member int, quick bool) (began int64) {
	k.busy[member].Add(1)
	now := int64(time.Since(k.start)) + 1
	k.last.Store(now)
	if !quick || k.slow[member].Load() {
		k.prompt(member, now)
		quick = false
	}
	if k.asleep.Load() {
		select {
		case k.bell <- struct{}{}:
		default:
		}
	}
	if !quick {
		return 0
	}
	return now
}

// leave announces the end of an operation, which began then if it was to be quick.
func (k *keeper) leave(member int, began int64) {
	k.busy[member].Add(-1)
	if began != 0 && int64(time.Since(k.start))-began > int64(renewal) {
		k.slow[member].Store(true)
	}
}

func (k *keeper) prompt(member int, now int64) {
	if before := k.woken[member].Load(); before == 0 || now-before > int64(renewal) {
		k.woken[member].Store(now)
		k.wake(member)
	}
}

// run prompts those that operations wait for.
func (k *keeper) run() {
	defer close(k.done)
	tick := time.NewTicker(time.Hour)
	defer tick.Stop()
	for {
		tick.Reset(time.Hour)
		k.asleep.Store(true)
		select {
		case <-k.quit:
			return
		case <-k.bell:
		}
		k.asleep.Store(false)
		tick.Reset(2 * renewal)
		for k.attend(tick.C) {
		}
	}
}

// attend waits for a tick and looks after the members. It returns false when there is
// nothing to do any more.
func (k *keeper) attend(tick <-chan time.Time) bool {
	select {
	case <-k.quit:
		return false
	case <-tick:
	}
	now := int64(time.Since(k.start)) + 1
	any := false
	for m := range k.busy {
		if k.busy[m].Load() > 0 {
			any = true
			k.prompt(m, now)
		}
	}
	return any || now-k.last.Load() < int64(vigil)
}

func (k *keeper) stop() {
	select {
	case <-k.quit:
	default:
		close(k.quit)
	}
	<-k.done
}
