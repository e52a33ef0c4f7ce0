//go:build mpi

package rma

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/goacp/goacp/internal/fabric"
)

// monitor wakes the agents of targets, so that their processes call MPI. It does so before an
// operation that is known to need it, unless the agent was woken shortly before. Its goroutine
// also does so while an operation takes long.
type monitor struct {
	calls *calls
	later fabric.Deferring // operations that MPI has taken
	wake  func(member int)
	start time.Time
	used  func() time.Duration // processor time of this process
	last  []atomic.Int64       // by member: when it was woken last, ns since start; 0 = never

	mu    sync.Mutex
	awake []int // members that count as awake in C

	wakeup chan struct{}
	quit   chan struct{}
	done   chan struct{}
}

// The goroutine checks operations of which it does not know whether they need help at every
// checkInterval, and those that do at every renewal. It sleeps when there has been no operation
// for activeTime.
const (
	checkInterval = time.Millisecond
	activeTime    = 2 * renewal
)

func startMonitor(c *calls, later fabric.Deferring, wake func(int), used func() time.Duration) *monitor {
	k := &monitor{
		calls: c, later: later, wake: wake, start: time.Now(), used: used, last: make([]atomic.Int64, c.c.procs),
		wakeup: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{}),
	}
	go k.run()
	return k
}

// enter announces an operation on n bytes of member and wakes its agent, unless the
// operation needs no help or that was done just now. The caller has the lock.
func (k *monitor) enter(member int, what kind, n uint64) {
	if !k.calls.begin(member, what, n) {
		select {
		case k.wakeup <- struct{}{}:
		default:
		}
	}
	if !k.calls.needsHelp(member, what) {
		return
	}
	if before := k.last[member].Load(); before == 0 || k.now()-before > int64(renewal) {
		k.wakeTarget(member)
	}
}

// leave announces the end of the operation.
func (k *monitor) leave() { k.calls.end() }

func (k *monitor) now() int64 { return int64(time.Since(k.start)) + 1 }

// wakeTarget wakes the agent of a member. C carries out operations on the member by itself
// until expire.
func (k *monitor) wakeTarget(member int) {
	k.last[member].Store(k.now())
	k.mu.Lock()
	if !k.calls.isAwake(member) {
		k.calls.setAwake(member, true)
		k.awake = append(k.awake, member)
	}
	k.mu.Unlock()
	k.wake(member)
}

// expire notes which agents were not woken lately. C leaves the next operation on them to Go,
// which wakes them.
func (k *monitor) expire() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.awake = slices.DeleteFunc(k.awake, func(m int) bool {
		late := k.now()-k.last[m].Load() > int64(renewal)
		if late {
			k.calls.setAwake(m, false)
		}
		return late
	})
}

// run checks operations until stop.
func (k *monitor) run() {
	defer close(k.done)
	tick := time.NewTicker(time.Hour)
	defer tick.Stop()
	for {
		tick.Reset(time.Hour)
		atomic.StoreUint32(k.calls.asleep(), 1)
		// An operation that has begun just now may not have seen that.
		if _, _, any := k.calls.underWay(); !any && !k.later.HasDeferred() {
			select {
			case <-k.quit:
				return
			case <-k.wakeup:
			}
		}
		atomic.StoreUint32(k.calls.asleep(), 0)
		if !k.monitorUntilIdle(tick) {
			return
		}
	}
}

// observation is the operation that the last check has found under way.
type observation struct {
	count uint64        // operations begun
	since int64         // when it was first seen
	used  time.Duration // processor time then
}

// monitorUntilIdle checks operations at every tick until there has been none for activeTime.
// It returns false when the goroutine is to end.
func (k *monitor) monitorUntilIdle(tick *time.Ticker) bool {
	var seen observation
	every := checkInterval
	tick.Reset(every)
	for idle := time.Duration(0); idle < activeTime; idle += every {
		select {
		case <-k.quit:
			return false
		case <-tick.C:
		}
		k.expire()
		if k.later.HasDeferred() {
			k.later.FlushSoon() // perhaps the program waits for their effects alone
		}
		op, count, any := k.calls.underWay()
		if any || count != seen.count {
			idle = 0
		}
		if any {
			every = k.check(op, count, &seen)
			tick.Reset(every)
		}
		seen.count = count
	}
	return true
}

// check checks the operation under way, and returns after which time to check again.
func (k *monitor) check(op operation, count uint64, seen *observation) time.Duration {
	same := count == seen.count
	if same {
		k.learn(op, time.Duration(k.now()-seen.since), k.used()-seen.used)
		k.wakeTarget(op.member)
	} else {
		seen.since, seen.used = k.now(), k.used()
	}
	if !k.calls.needsHelp(op.member, op.kind) {
		return checkInterval
	}
	if !same {
		k.wakeTarget(op.member)
	}
	return renewal
}

// learn decides whether operations of a kind need help. One of them has been under way for the
// time late, in which this process has used the processor time used. If it is overdue, its kind
// needs help. If the process has used little, it did not wait for MPI, which polls, but for a
// processor.
func (k *monitor) learn(op operation, late, used time.Duration) {
	if late >= op.due() && used >= late/2 {
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

func (k *monitor) stop() {
	select {
	case <-k.quit:
	default:
		close(k.quit)
	}
	<-k.done
}
