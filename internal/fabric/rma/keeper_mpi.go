//go:build mpi

package rma

import (
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// keeper wakes the agents of targets: before an operation that needs that, if the last
// time is a while ago, and by its goroutine while an operation takes long.
type keeper struct {
	calls *calls
	wake  func(member int)
	start time.Time
	last  []atomic.Int64 // by member: when it was woken last, ns since start; 0 = never

	mu    sync.Mutex
	awake []int // members that count as awake in C, until the next tick

	bell chan struct{}
	quit chan struct{}
	done chan struct{}
}

// vigil is how long the goroutine stays awake after an operation.
const vigil = 10 * time.Millisecond

func startKeeper(c *calls, wake func(int)) *keeper {
	k := &keeper{
		calls: c, wake: wake, start: time.Now(), last: make([]atomic.Int64, c.c.procs),
		bell: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{}),
	}
	go k.run()
	return k
}

// enter announces an operation on n bytes of member and wakes its agent, unless the
// operation needs no help or that was done just now. The caller has the turn.
func (k *keeper) enter(member int, what kind, n uint64) {
	if !k.calls.begin(member, what, n) {
		select {
		case k.bell <- struct{}{}:
		default:
		}
	}
	if !k.calls.needsHelp(member, what) {
		return
	}
	if before := k.last[member].Load(); before == 0 || k.now()-before > int64(renewal) {
		k.prompt(member)
	}
}

// leave announces the end of the operation.
func (k *keeper) leave() { k.calls.end() }

func (k *keeper) now() int64 { return int64(time.Since(k.start)) + 1 }

// prompt wakes the agent of a member, so that C need not have it woken until the next
// tick.
func (k *keeper) prompt(member int) {
	k.last[member].Store(k.now())
	k.mu.Lock()
	k.calls.setAwake(member, true)
	k.awake = append(k.awake, member)
	k.mu.Unlock()
	k.wake(member)
}

// expire lets C leave the next operations to Go, which wakes the agents.
func (k *keeper) expire() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, m := range k.awake {
		k.calls.setAwake(m, false)
	}
	k.awake = k.awake[:0]
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
		tick.Reset(renewal)
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
	for idle := time.Duration(0); idle < vigil; idle += renewal {
		select {
		case <-k.quit:
			return false
		case <-tick:
		}
		k.expire()
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
	if !op.long && used >= renewal/2 {
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
