//go:build mpi

package rma

import (
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// keeper wakes the agents of targets: before an operation that needs that, if the last
// time is a while ago, and by its goroutine while an operation takes long.
type keeper struct {
	calls *calls
	wake  func(member int)
	bell  chan struct{}
	quit  chan struct{}
	done  chan struct{}
}

// vigil is how long the goroutine stays awake after an operation.
const vigil = 10 * time.Millisecond

func startKeeper(c *calls, wake func(int)) *keeper {
	k := &keeper{
		calls: c, wake: wake,
		bell: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{}),
	}
	go k.run()
	return k
}

// enter announces an operation on n bytes of member and wakes its agent, unless the
// operation needs no help or the agent is awake. The caller has the turn.
func (k *keeper) enter(member int, what kind, n uint64) {
	if !k.calls.begin(member, what, n) {
		select {
		case k.bell <- struct{}{}:
		default:
		}
	}
	if k.calls.needsHelp(member, what) {
		k.prompt(member)
	}
}

// leave announces the end of the operation.
func (k *keeper) leave() { k.calls.end() }

// prompt wakes the agent of a member, if it may not be awake for long.
func (k *keeper) prompt(member int) {
	if now := k.calls.now(); now >= k.calls.awake(member) {
		k.calls.setAwake(member, now+int64(renewal))
		k.wake(member)
	}
}

// run looks after operations.
func (k *keeper) run() {
	defer close(k.done)
	tick := time.NewTicker(time.Hour)
	defer tick.Stop()
	for {
		tick.Reset(time.Hour)
		atomic.StoreUint32(k.calls.asleep(), 1)
		// An operation that has begun just now may not have seen that.
		if _, _, any := k.calls.underWay(); !any {
			select {
			case <-k.quit:
				return
			case <-k.bell:
			}
		}
		atomic.StoreUint32(k.calls.asleep(), 0)
		tick.Reset(2 * renewal)
		if !k.attend(tick.C) {
			return
		}
	}
}

// attend looks after operations at every tick until there have been none for a while. It
// returns false when it is to end.
func (k *keeper) attend(tick <-chan time.Time) bool {
	var before uint64      // operations begun
	var used time.Duration // processor time when the one under way was first seen
	for idle := time.Duration(0); idle < vigil; idle += 2 * renewal {
		select {
		case <-k.quit:
			return false
		case <-tick:
		}
		op, count, any := k.calls.underWay()
		switch {
		case !any:
		case count == before:
			k.learn(op, processorTime()-used)
			k.prompt(op.member)
		default:
			used = processorTime()
			if k.calls.needsHelp(op.member, op.kind) {
				k.prompt(op.member)
			}
		}
		if any || count != before {
			idle = 0
		}
		before = count
	}
	return true
}

// learn draws the lesson of an operation that has been under way since the last tick:
// its kind needs help. But if it has used no processor since then, it was only
// interrupted, as waiting for MPI is work.
func (k *keeper) learn(op operation, used time.Duration) {
	if !op.long && used >= renewal {
		k.calls.setHelp(op.member, 1<<op.kind)
	}
}

// processorTime is what all threads of this process have used.
func processorTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

func (k *keeper) stop() {
	select {
	case <-k.quit:
	default:
		close(k.quit)
	}
	<-k.done
}
