//go:build mpi

package rma

import (
	"slices"
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
	used  func() time.Duration // processor time of this process
	last  []atomic.Int64       // by member: when it was woken last, ns since start; 0 = never

	mu    sync.Mutex
	awake []int // members that count as awake in C

	bell chan struct{}
	quit chan struct{}
	done chan struct{}
}

// The goroutine looks every glance after operations that may turn out to need help, and
// every renewal after those that are known to. It stays awake for vigil after the last one.
const (
	glance = time.Millisecond
	vigil  = 2 * renewal
)

func startKeeper(c *calls, wake func(int), used func() time.Duration) *keeper {
	k := &keeper{
		calls: c, wake: wake, start: time.Now(), used: used, last: make([]atomic.Int64, c.c.procs),
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

// prompt wakes the agent of a member, so that C need not have it woken until that has
// expired.
func (k *keeper) prompt(member int) {
	k.last[member].Store(k.now())
	k.mu.Lock()
	if !k.calls.isAwake(member) {
		k.calls.setAwake(member, true)
		k.awake = append(k.awake, member)
	}
	k.mu.Unlock()
	k.wake(member)
}

// expire lets C leave the next operations to Go, which wakes the agents that were not
// woken just now.
func (k *keeper) expire() {
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
		if !k.attend(tick) {
			return
		}
	}
}

// sight is the operation that a tick has found under way.
type sight struct {
	count uint64        // operations begun
	since int64         // when it was first seen
	used  time.Duration // processor time then
}

// attend looks after operations at every tick until there have been none for a while. It
// returns false when it is to end.
func (k *keeper) attend(tick *time.Ticker) bool {
	var seen sight
	every := glance
	tick.Reset(every)
	for idle := time.Duration(0); idle < vigil; idle += every {
		select {
		case <-k.quit:
			return false
		case <-tick.C:
		}
		k.expire()
		op, count, any := k.calls.underWay()
		if any || count != seen.count {
			idle = 0
		}
		if any {
			every = k.look(op, count, &seen)
			tick.Reset(every)
		}
		seen.count = count
	}
	return true
}

// look looks after the operation under way, and returns after which time to look again.
func (k *keeper) look(op operation, count uint64, seen *sight) time.Duration {
	same := count == seen.count
	if same {
		k.learn(op, time.Duration(k.now()-seen.since), k.used()-seen.used)
		k.prompt(op.member)
	} else {
		seen.since, seen.used = k.now(), k.used()
	}
	if !k.calls.needsHelp(op.member, op.kind) {
		return glance
	}
	if !same {
		k.prompt(op.member)
	}
	return renewal
}

// learn draws the lesson of an operation that has been under way for the time late, and of
// what processors meanwhile did for this process: if it is overdue, its kind needs help. But
// if hardly anything was done, it was only interrupted, as waiting for MPI is work.
func (k *keeper) learn(op operation, late, used time.Duration) {
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

func (k *keeper) stop() {
	select {
	case <-k.quit:
	default:
		close(k.quit)
	}
	<-k.done
}
