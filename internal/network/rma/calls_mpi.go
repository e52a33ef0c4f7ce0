//go:build mpi

package rma

// #cgo nocallback goacp_rma_progress
// #include "calls.h"
import "C"

import (
	"errors"
	"math/bits"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/futex"
	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/mpi"
)

// kind says what an operation works on, which decides whether it needs the help of the
// target's agent.
type kind int

const (
	kindCopy       kind = C.GOACP_RMA_COPY
	kindAtomic     kind = C.GOACP_RMA_ATOMIC
	kindRegistered kind = C.GOACP_RMA_REGISTERED
)

// everything is the set of all kinds.
const everything = 1<<C.GOACP_RMA_KINDS - 1

// calls is the state that the threads which call MPI share, also those of C. One thread at a
// time calls MPI, for two reasons. Open MPI over UCX keeps information about the target of a
// dynamic window in memory that threads share. And with any window, threads that call MPI spin
// while they wait for each other.
type calls struct {
	c  *C.struct_goacp_rma
	mu sync.Mutex // at most one goroutine tries to take the lock that is shared with C
}

func newCalls(members int) (*calls, error) {
	c := C.goacp_rma_new(C.int(members))
	if c == nil {
		return nil, errors.New("no memory for a table of ranks")
	}
	return &calls{c: c}, nil
}

// Words that C changes, too.
func (c *calls) lock() *futex.Mutex { return (*futex.Mutex)(unsafe.Pointer(&c.c.lock)) }
func (c *calls) asleep() *uint32    { return (*uint32)(&c.c.asleep) }
func (c *calls) current() *uint64   { return (*uint64)(&c.c.current) }
func (c *calls) count() *uint64     { return (*uint64)(&c.c.count) }

func (c *calls) member(m int) *C.struct_goacp_rma_member {
	return &unsafe.Slice(c.c.members, c.c.procs)[m]
}

// Lock waits until no other thread calls MPI.
func (c *calls) Lock() {
	c.mu.Lock()
	_ = c.lock().Lock(nil) // which does not fail
}

// Unlock lets another thread call MPI.
func (c *calls) Unlock() {
	c.lock().Unlock()
	c.mu.Unlock()
}

// lockUnless is Lock, and fails with the error of over if the run ends first: another thread
// may then be in a call of MPI that does not return.
func (c *calls) lockUnless(over func() error) error {
	if !c.mu.TryLock() {
		if err := c.queueUnless(over); err != nil {
			return err
		}
	}
	if err := c.lock().Lock(over); err != nil {
		c.mu.Unlock()
		return err
	}
	return nil
}

// queueUnless waits for c.mu in the queue of other goroutines, which TryLock does not do. It
// fails with the error of over if the run ends first.
func (c *calls) queueUnless(over func() error) error {
	locked := make(chan struct{})
	go func() {
		c.mu.Lock()
		close(locked)
	}()
	tick := time.NewTicker(overInterval)
	defer tick.Stop()
	for {
		select {
		case <-locked:
			return nil
		case <-tick.C:
		}
		if err := over(); err != nil {
			go func() { // the lock may never become free
				<-locked
				c.mu.Unlock()
			}()
			return err
		}
	}
}

// begin announces an operation and reports whether the monitor is awake. The caller has
// the lock.
func (c *calls) begin(member int, k kind, n uint64) bool {
	atomic.AddUint64(c.count(), 1)
	o := operation{member: member, kind: k, digits: bits.Len64(n | 1)}
	atomic.StoreUint64(c.current(), o.word())
	return atomic.LoadUint32(c.asleep()) == 0
}

// end announces the end of the operation.
func (c *calls) end() { atomic.StoreUint64(c.current(), 0) }

// operation is one that is under way.
type operation struct {
	member int
	kind   kind
	digits int // binary, of the number of bytes
}

// word returns the word that stands for the operation in memory: GOACP_RMA_OPERATION.
func (o operation) word() uint64 {
	return 1 + uint64(o.digits) + C.GOACP_RMA_DIGITS*(uint64(o.kind)+C.GOACP_RMA_KINDS*uint64(o.member))
}

// underWay returns the operation that is under way.
func (c *calls) underWay() (o operation, count uint64, any bool) {
	count = atomic.LoadUint64(c.count())
	v := atomic.LoadUint64(c.current())
	if v == 0 {
		return o, count, false
	}
	v--
	rest := v / C.GOACP_RMA_DIGITS
	return operation{
		member: int(rest / C.GOACP_RMA_KINDS), kind: kind(rest % C.GOACP_RMA_KINDS),
		digits: int(v % C.GOACP_RMA_DIGITS),
	}, count, true
}

// due is how long the operation takes at most if it needs no help: the time to copy its bytes
// at 4 GB/s, and half of checkInterval.
func (o operation) due() time.Duration { return checkInterval/2 + 1<<min(o.digits, 40)/4 }

// needsHelp reports whether operations on a member need its agent.
func (c *calls) needsHelp(member int, k kind) bool {
	return atomic.LoadUint32((*uint32)(&c.member(member).helped))>>k&1 != 0
}

// setHelp records that operations of the set kinds on a member need its agent.
func (c *calls) setHelp(member int, kinds uint32) {
	atomic.OrUint32((*uint32)(&c.member(member).helped), kinds)
}

// setFar records whether a member is on another host. C leaves operations on it to Go, which does not
// wait for each of them.
func (c *calls) setFar(member int, far bool) {
	if far {
		c.member(member).far = 1
	}
}

// setAwake records whether the agent of a member is awake.
func (c *calls) setAwake(member int, awake bool) {
	v := uint32(0)
	if awake {
		v = 1
	}
	atomic.StoreUint32((*uint32)(&c.member(member).awake), v)
}

// isAwake returns the value of setAwake.
func (c *calls) isAwake(member int) bool {
	return atomic.LoadUint32((*uint32)(&c.member(member).awake)) != 0
}

// enter makes the library's memory of a member known to C, as that of a rank of ACP.
func (c *calls) enter(rank, member, inWindow, disp int, l segment.Layout) {
	unsafe.Slice(c.c.targets, c.c.procs)[rank] = C.struct_goacp_rma_target{
		from:   [2]C.uint64_t{segment.StarterOffset, C.uint64_t(l.HeapOffset())},
		size:   [2]C.uint64_t{C.uint64_t(l.Starter), C.uint64_t(l.Heap)},
		disp:   C.int64_t(disp),
		rank:   C.int32_t(inWindow),
		member: C.uint32_t(member),
	}
}

func (c *calls) setWindow(w mpi.Win) { C.goacp_rma_set_window(c.c, C.MPI_Fint(w.Fortran())) }

func (c *calls) setNever(r *mpi.Request) { c.c.never = C.MPI_Fint(r.Fortran()) }

func (c *calls) letSpin() { atomic.StoreUint32((*uint32)(&c.c.spins), 1) }
func (c *calls) ask()     { atomic.AddUint32((*uint32)(&c.c.asked), 1) }
func (c *calls) quit()    { atomic.StoreUint32((*uint32)(&c.c.quit), 1) }

// progress calls MPI as long as other members ask for it. It reports whether MPI has completed
// the request never, which it does if MPI fails.
func (c *calls) progress() (ended bool) {
	return C.goacp_rma_progress(c.c, C.int64_t(eager), C.int64_t(lease), C.int64_t(pause)) != 0
}

func (c *calls) free() { C.goacp_rma_free(c.c) }

var _ sync.Locker = (*calls)(nil)

// Calls returns the functions and the table by which C carries out operations on the
// library's memory (calls.h). They can be used from Open to Close, and stay as long as
// the transport.
func (t *Transport) Calls() unsafe.Pointer { return unsafe.Pointer(&t.calls.c.windows) }

// Enter makes the library's memory of a member known to C as that of a rank. No operation
// is under way.
func (t *Transport) Enter(rank, member int, l segment.Layout) {
	inWindow, disp := t.cfg.Rank(member), 0
	if inWindow >= 0 {
		disp = int(t.shifts[inWindow])
	}
	t.calls.enter(rank, member, inWindow, disp, l)
}
