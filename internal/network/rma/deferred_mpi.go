//go:build mpi

package rma

import (
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/mpi"
)

// maxDeferred bounds the operations that MPI has taken and that a flush completes. The next one
// flushes first.
const maxDeferred = 1024

// deferred has the operations that MPI has taken and that a flush completes. The lock of the calls
// guards it; n may be read without.
type deferred struct {
	n     atomic.Int32
	all   [maxDeferred]deferredOperation
	cells *[maxDeferred]cell // of atomics, outside the Go heap: the one at i belongs to all[i]

	soon chan struct{} // wakes the goroutine that flushes
	quit chan struct{}
	once sync.Once
	done chan struct{}
}

// deferredOperation is one that a flush completes.
type deferredOperation struct {
	done   fabric.Completion
	to     target
	member int
	bytes  uint64
	width  int // of an atomic; 0: it is a copy
	ended  bool
	err    error
}

// cell is the memory of an atomic that MPI uses until the flush.
type cell struct{ operand, compare, old [8]byte }

func (d *deferred) init() error {
	mem, err := unix.Mmap(-1, 0, int(unsafe.Sizeof(*d.cells)), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return fmt.Errorf("memory for %d atomics: %w", maxDeferred, err)
	}
	d.cells = (*[maxDeferred]cell)(unsafe.Pointer(unsafe.SliceData(mem)))
	d.soon, d.quit, d.done = make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
	return nil
}

// leave tells the goroutine that flushes to end. It does not wait for it.
func (d *deferred) leave() { d.once.Do(func() { close(d.quit) }) }

// free gives the memory of the cells back, which MPI does not use any more.
func (d *deferred) free() error {
	return unix.Munmap(unsafe.Slice((*byte)(unsafe.Pointer(d.cells)), unsafe.Sizeof(*d.cells)))
}

// defers reports whether an operation on a member may wait for a flush. Operations on members of this
// host take hardly longer with a flush of their own.
func (t *Transport) defers(member int, done fabric.Completion) bool {
	_, may := done.(fabric.Deferred)
	return may && t.Defers(member)
}

// Defers implements fabric.Deferring: it reports whether a member is known to be on another host.
func (t *Transport) Defers(member int) bool { return t.cfg.Shared != nil && !t.cfg.Shared(member) }

// issue makes MPI take an operation, which is of kind what on memory of the library, and which a flush
// completes.
func (t *Transport) issue(pos uint64, what kind, o deferredOperation, start func(to target, c *cell) error) error {
	to, err := t.enter(o.member, pos, o.bytes, what)
	if err != nil {
		return err
	}
	d := &t.deferred
	var ended []fabric.Outcome
	if d.n.Load() == maxDeferred {
		ended = t.flush()
	}
	i := d.n.Load()
	t.monitor.enter(o.member, to.kind, o.bytes)
	if err = start(to, &d.cells[i]); err == nil {
		o.to = to
		d.all[i] = o
		d.n.Store(i + 1) // the monitor sees the operation or this
	}
	t.monitor.leave()
	t.calls.Unlock()
	fabric.CompleteAll(ended)
	return err
}

// flush completes the operations that wait for that, and returns their outcomes. The caller has the
// lock. It tells the outcomes when it has given the lock back.
func (t *Transport) flush() []fabric.Outcome {
	d := &t.deferred
	all := d.all[:d.n.Load()]
	outcomes := make([]fabric.Outcome, 0, len(all))
	for i := range all {
		o := &all[i]
		if !o.ended {
			t.flushTarget(all[i:])
		}
		outcome := fabric.Outcome{Done: o.done, Err: fabric.Over(name, o.err)}
		if o.width != 0 && o.err == nil {
			outcome.Old = d.cells[i].found(o.width)
		}
		outcomes = append(outcomes, outcome)
	}
	clear(all)
	d.n.Store(0)
	return outcomes
}

// flushTarget completes all of the operations that have the target of the first one.
func (t *Transport) flushTarget(all []deferredOperation) {
	first, bytes := all[0].to, uint64(0)
	same := func(o *deferredOperation) bool { return o.to.rank == first.rank && o.to.win == first.win }
	for i := range all {
		if same(&all[i]) {
			bytes += all[i].bytes
		}
	}
	t.monitor.enter(all[0].member, first.kind, bytes)
	err := first.win.Flush(first.rank)
	t.monitor.leave()
	for i := range all {
		if same(&all[i]) {
			all[i].ended, all[i].err = true, err
		}
	}
}

// HasDeferred implements fabric.Deferring.
func (t *Transport) HasDeferred() bool { return t.deferred.n.Load() != 0 }

// Flush implements fabric.Deferring.
func (t *Transport) Flush() {
	// If the run is over, the initiators wait no longer.
	_ = t.flushUnless(t.cfg.Over)
}

// flushUnless is Flush, and fails with the error of over if another thread keeps the lock until that
// is not nil.
func (t *Transport) flushUnless(over func() error) error {
	if !t.HasDeferred() {
		return nil
	}
	if err := t.calls.lockUnless(over); err != nil {
		return err
	}
	ended := t.flush()
	t.calls.Unlock()
	fabric.CompleteAll(ended)
	return nil
}

// FlushSoon implements fabric.Deferring.
func (t *Transport) FlushSoon() {
	select {
	case t.deferred.soon <- struct{}{}:
	default: // it is going to flush
	}
}

// flushOften flushes when soon has a value, until quit is closed.
func (t *Transport) flushOften() {
	defer close(t.deferred.done)
	for {
		select {
		case <-t.deferred.quit:
			return
		case <-t.deferred.soon:
			t.Flush()
		}
	}
}

// put stores the operands of an atomic in a cell.
func (c *cell) put(a fabric.Atomic) (operand, compare, old []byte) {
	*(*uint64)(unsafe.Pointer(&c.operand)), *(*uint64)(unsafe.Pointer(&c.compare)) = a.Operand, a.Compare
	return c.operand[:a.Width], c.compare[:a.Width], c.old[:a.Width] // 4 bytes are the low ones: see calls.c
}

// found returns the value that an atomic has found.
func (c *cell) found(width int) uint64 {
	if width == 4 {
		return uint64(*(*uint32)(unsafe.Pointer(&c.old)))
	}
	return *(*uint64)(unsafe.Pointer(&c.old))
}

// start makes MPI take an atomic, which is an add, a swap or a compare and swap.
func (t target) start(a fabric.Atomic, c *cell) error {
	operand, compare, old := c.put(a)
	switch a.Op {
	case fabric.OpCas:
		return t.win.CompareAndSwap(operand, compare, old, typeOf(a), t.rank, t.disp)
	case fabric.OpAdd:
		return t.win.FetchAndOp(operand, old, typeOf(a), mpi.Sum, t.rank, t.disp)
	}
	return t.win.FetchAndOp(operand, old, typeOf(a), mpi.Replace, t.rank, t.disp)
}

var _ fabric.Deferring = (*Transport)(nil)
