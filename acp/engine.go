package acp

import (
	"container/heap"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/goacp/goacp/internal/direct"
	"github.com/goacp/goacp/internal/network"
	"github.com/goacp/goacp/internal/wait"
)

// maxInFlight bounds the GMAs that one process may have issued and not yet
// completed. A call that would exceed it waits.
const maxInFlight = 1 << 14

// drainInline is how many bytes a GMA whose turn has come may move on the
// goroutine that noticed it, which often is one that serves peers.
// Nothing is started there where a path may wait for a peer.
const drainInline = 64 << 10

// engine keeps the GMAs in flight: their order of issue, in which they are
// retired, and those that wait for their turn.
//
// GMAs whose order is satisfied and whose memory is reached directly never come
// here, except while others are in flight.
type engine struct {
	table *direct.Table
	poll  func() bool // makes the fabrics progress, reports whether there was anything

	failed   atomic.Bool // failures is not empty
	onFailed func(error) // may be nil

	cond     *wait.Cond // its lock guards what follows; a broadcast says that a GMA was retired
	queue    ring       // in flight, in order of issue
	waiting  turnHeap   // of those, the ones that may not start yet
	ready    []*gma     // their turn has come
	draining bool       // a goroutine is starting the ready ones
	free     []*gma
	last     *gma // issued most recently
	failures []failure

	starters sync.WaitGroup // goroutines that start GMAs
}

type failure struct {
	handle uint64
	err    error
}

func newEngine(t *direct.Table, poll func() bool, c *wait.Cond) *engine {
	return &engine{table: t, poll: poll, cond: c}
}

// issue gives g a handle and starts it if its order allows.
func (e *engine) issue(p *Process, fill func(*gma), order Handle) (Handle, error) {
	e.cond.Lock()
	_ = e.cond.Park(func() bool { return e.queue.len() < maxInFlight })
	if over := e.cond.Over(); over != nil {
		e.cond.Unlock()
		return HandleNull, over
	}
	g := e.take(p)
	fill(g)
	g.order, g.after = order, e.condition(g, order)
	// Before the handle exists: who finds nothing pending takes everything up to a newer
	// handle of its own for complete.
	atomic.StoreUint64(&e.table.Pending, uint64(e.queue.len()+1))
	g.handle = e.table.Next()
	handle := Handle(g.handle)
	e.queue.push(g)
	e.last = g
	startNow := e.queue.front().handle > g.after
	if !startNow {
		heap.Push(&e.waiting, g)
	}
	e.cond.Unlock()
	if startNow {
		p.start(g)
	}
	return handle, nil
}

// condition turns an order into the handle up to which everything has to be
// complete. A handle that was never issued is no condition.
func (e *engine) condition(g *gma, order Handle) uint64 {
	issued := atomic.LoadUint64(&e.table.Issued)
	switch {
	case order == HandleCont:
		if e.continues(g) {
			return e.last.after
		}
		return issued
	case order == HandleAll:
		return issued
	case uint64(order) > issued:
		return 0
	}
	return uint64(order)
}

// continues reports whether g may start under the condition of the GMA before it
// and yet cannot overtake it: both take the same ordered path, and that one has
// been handed over. Anything else waits, which is always allowed.
func (e *engine) continues(g *gma) bool {
	prev := e.last
	if prev == nil || prev.handle != atomic.LoadUint64(&e.table.Issued) || !prev.started || !prev.path.Ordered() {
		return false
	}
	return prev.dst.rank() == g.dst.rank() && prev.src.rank() == g.src.rank() &&
		g.p.expectedPath(g) == prev.path
}

// expectedPath is the path that g would take if it started now.
func (p *Process) expectedPath(g *gma) network.Path {
	dst, derr := p.locate(g.dst, g.size)
	src, serr := p.locate(g.src, g.size)
	switch {
	case derr != nil || serr != nil:
		return network.Path{}
	case g.isCopy:
		return network.Between(dst, src)
	}
	return p.net.AtomicPath(src)
}

// complete records the end of g and retires what is now complete in order.
func (e *engine) complete(g *gma, err error) {
	var opErr error
	if err != nil {
		failed := g.opError(err)
		opErr = failed
		// Before g can be found complete: C looks at the table alone.
		if e.onFailed != nil {
			e.onFailed(opErr)
		} else {
			_ = g.p.fail(failed) // Complete returns it
		}
	}
	e.cond.Lock()
	g.done, g.err = true, opErr
	run := e.retire() && e.claim()
	e.cond.Unlock()
	if run {
		e.drain()
	}
}

// retire takes finished GMAs off the front of the queue and moves those whose turn
// has come to ready. It reports whether there are any.
func (e *engine) retire() bool {
	n := e.queue.len()
	for e.queue.len() > 0 && e.queue.front().done {
		g := e.queue.pop()
		if g.err != nil {
			e.failures = append(e.failures, failure{g.handle, g.err})
			e.failed.Store(true)
		}
		e.recycle(g)
	}
	if e.queue.len() != n {
		atomic.StoreUint64(&e.table.Pending, uint64(e.queue.len()))
		e.cond.Broadcast()
	}
	for len(e.waiting) > 0 && e.queue.front().handle > e.waiting[0].after {
		e.ready = append(e.ready, heap.Pop(&e.waiting).(*gma))
	}
	return len(e.ready) > 0
}

// claim makes the caller the one goroutine that starts ready GMAs, so that they
// start in order and a chain of them does not recurse.
func (e *engine) claim() bool {
	if e.draining {
		return false
	}
	e.draining = true
	return true
}

// drain starts what is ready, on a goroutine of its own if that may take long.
func (e *engine) drain() {
	for {
		e.cond.Lock()
		if len(e.ready) == 0 {
			e.draining = false
			e.cond.Unlock()
			return
		}
		g := e.ready[0]
		e.ready = e.ready[1:]
		e.cond.Unlock()
		if g.size > drainInline || g.p.net.MayWait() {
			e.starters.Go(func() {
				g.p.start(g)
				e.drain()
			})
			return
		}
		g.p.start(g)
	}
}

// markStarted notes that g, if it still is the GMA with this handle, has been
// handed over.
func (e *engine) markStarted(g *gma, handle uint64) {
	e.cond.Lock()
	if g.handle == handle {
		g.started = true
	}
	e.cond.Unlock()
}

func (e *engine) take(p *Process) *gma {
	if n := len(e.free); n > 0 {
		g := e.free[n-1]
		e.free = e.free[:n-1]
		*g = gma{p: p}
		return g
	}
	return &gma{p: p}
}

// maxFree bounds the finished GMAs kept for reuse.
const maxFree = 256

func (e *engine) recycle(g *gma) {
	if e.last == g {
		e.last = nil
	}
	g.handle = 0
	if len(e.free) < maxFree {
		e.free = append(e.free, g)
	}
}

// target turns a handle into the newest handle it asks about.
func (e *engine) target(h Handle) uint64 {
	issued := atomic.LoadUint64(&e.table.Issued)
	if h == HandleAll || h == HandleCont {
		return issued
	}
	if uint64(h) > issued {
		return 0 // never issued
	}
	return uint64(h)
}

// reached reports whether everything up to handle is complete. The caller holds
// the lock.
func (e *engine) reached(handle uint64) bool {
	return e.queue.len() == 0 || e.queue.front().handle > handle
}

// quiet reports whether nothing is in flight and there is nothing to tell.
func (e *engine) quiet() bool { return e.table.Idle() && !e.failed.Load() }

// wait returns when everything up to h is complete, with the errors of what failed.
func (e *engine) wait(h Handle) error {
	target := e.target(h)
	if !e.table.Idle() {
		e.cond.Spin(func() bool {
			e.cond.Lock()
			defer e.cond.Unlock()
			return e.reached(target) || e.cond.Over() != nil
		})
	}
	e.cond.Lock()
	defer e.cond.Unlock()
	_ = e.cond.Park(func() bool { return e.reached(target) }) // outcome tells
	return e.outcome(target)
}

// outcome returns and forgets the failures up to target.
func (e *engine) outcome(target uint64) error {
	var errs []error
	rest := e.failures[:0]
	for _, f := range e.failures {
		if f.handle <= target {
			errs = append(errs, f.err)
		} else {
			rest = append(rest, f)
		}
	}
	e.failures = rest
	e.failed.Store(len(rest) > 0)
	if over := e.cond.Over(); over != nil && !e.reached(target) {
		errs = append(errs, over)
	}
	return errors.Join(errs...)
}

// inquire reports whether everything up to h is complete.
func (e *engine) inquire(h Handle) (bool, error) {
	if e.quiet() {
		return true, nil
	}
	e.poll()
	target := e.target(h)
	e.cond.Lock()
	defer e.cond.Unlock()
	if !e.reached(target) && e.cond.Over() == nil {
		return false, nil
	}
	return true, e.outcome(target)
}

// reset forgets handles and failures of a past life. Nothing is in flight.
func (e *engine) reset() {
	e.cond.Lock()
	defer e.cond.Unlock()
	e.failures = nil
	e.failed.Store(false)
}
