package gma

import (
	"container/heap"
	"context"
	"sync/atomic"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/memory/maptable"
	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/internal/network/router"
)

// A call that would exceed maxInFlight waits.
const maxInFlight = maptable.MaxInFlight

// startInline is the greatest number of bytes of a GMA that is started by the goroutine that has
// completed the one before. Often that goroutine serves peers. So larger GMAs, and those whose
// start may wait for a peer, start on a goroutine of their own.
const startInline = 64 << 10

// Config is what an Engine needs of its process. All fields but Traffic are required.
type Config struct {
	Table   *maptable.Table // its counters are those of the Engine
	Router  *router.Router  // carries the accesses
	Space   *segment.Space  // what this process publishes
	Traffic *traffic.Table  // counts the accesses; nil: nothing does
	Cond    *wait.Cond      // where goroutines wait for GMAs; its End is that of the run

	// Member returns the member that has a rank now.
	Member func(rank int) int
	// Go runs a function on a goroutine that ends before the memory of peers is unmapped.
	Go func(func())
	// Failed returns the error that Wait and Inquire are to return for an access that has
	// failed with err. It is called once, before any thread can find the access complete.
	Failed func(a *Access, err error) error
}

// Engine keeps the GMAs of one process that are in flight. Its methods may be called by
// several goroutines at once, unless their comment says otherwise.
type Engine struct {
	table   *maptable.Table
	starter starter
	member  func(rank int) int // Config.Member
	run     func(func())       // Config.Go
	onFail  func(a *Access, err error) error
	over    func() bool // isOver

	cond      *wait.Cond  // its lock guards what follows; a broadcast says that a GMA was retired
	queue     ring        // in flight, in order of issue
	gmas      int         // how many GMAs that is
	waiting   byCondition // neither started nor ready
	ready     []*inFlight // may start now
	starting  bool        // a goroutine is starting the ready ones
	free      []*inFlight
	last      *inFlight // issued most recently
	pipeline  pipeline
	gathering gathering
	closers   int    // goroutines that keep the submission queue shut
	taking    bool   // a goroutine takes in what waits in the submission queue because GMAs have completed
	missed    bool   // others have completed since it has begun to
	spare     *taken // to be used again
	series    []*series
	failures  []failure // Failed of the table says whether there are any
}

// inFlight is a GMA that has been issued and not retired, or a series of them, which start and are retired together.
// It is reused for another one after that; the handle says which one it is.
type inFlight struct {
	Access // of a series the oldest
	e      *Engine
	handle uint64
	newest uint64  // its handle, of a series that of the newest GMA. GMAs between the two that are not in it are complete
	series *series // nil for one GMA
	after  uint64  // it may start when everything up to this handle is complete

	// Guarded by the lock of the Engine.
	path router.Path // the zero Path until the router has it
	near bool        // counts in Engine.gathering
	done bool
	err  error
}

type failure struct {
	handle uint64
	err    error
}

// New returns an Engine with nothing in flight.
func New(cfg Config) *Engine {
	e := &Engine{
		table: cfg.Table, cond: cfg.Cond, member: cfg.Member, run: cfg.Go, onFail: cfg.Failed,
		starter: &routed{router: cfg.Router, space: cfg.Space, member: cfg.Member, table: cfg.Table, traffic: cfg.Traffic},
	}
	e.over = e.isOver
	return e
}

// Issue gives a a handle and starts it if its order permits. Fails if the run is over. Waits
// only while too many GMAs are in flight, and for a rank that carries a out at once.
func (e *Engine) Issue(ctx context.Context, a *Access) (handle uint64, err error) {
	if e.mayMail(a) {
		if handle, ok := e.byMail(*a); ok {
			return handle, nil
		}
	}
	if handle, ok := e.submit(a); ok {
		return handle, nil
	}
	e.cond.Lock()
	if e.follows(a) && e.starter.hasDeferred() {
		e.cond.Unlock()
		e.starter.flush()
		e.cond.Lock()
	}
	if e.gmas >= maxInFlight {
		err = e.cond.ParkContext(ctx, e.reason(), func() bool { return e.gmas < maxInFlight })
	}
	e.closeSubmissions()
	if over := e.cond.Over(); over != nil {
		err = over
	}
	if err == nil {
		handle = e.next()
	}
	e.releaseSubmissions()
	if err != nil {
		e.cond.Unlock()
		return 0, err
	}
	g := e.take()
	g.Access, g.handle, g.newest = *a, handle, handle
	g.after = e.condition(g)
	startNow := e.mayStart(g)
	e.push(g)
	if !startNow {
		heap.Push(&e.waiting, g)
	}
	e.cond.Unlock()
	if startNow {
		e.start(g)
	}
	return handle, nil
}

// push puts g into the queue, behind all GMAs that have been issued before. The caller holds the lock.
func (e *Engine) push(g *inFlight) {
	e.pipeline.starting++
	e.queue.push(g)
	e.gmas += g.len()
	e.last = g
}

// len returns the number of GMAs.
func (g *inFlight) len() int {
	if g.series != nil {
		return len(g.series.gmas)
	}
	return 1
}

// next gives out the handle of a GMA that is about to join the queue. The submission queue is closed and empty. The
// caller holds the lock.
func (e *Engine) next() uint64 {
	// The GMA is pending before the handle exists. A thread that finds nothing pending assumes
	// that everything up to a newer handle of its own is complete.
	atomic.AddUint64(&e.table.Pending, 1)
	return e.table.Next()
}

// follows reports whether a GMA has to wait for one in flight, unless the transport keeps the order.
func (e *Engine) follows(a *Access) bool {
	return a.Order != None && e.queue.len() > 0 && a.Order >= e.queue.front().handle
}

// condition turns the order of g into the handle up to which everything has to be complete before
// g starts. g has a handle and is not in the queue yet. A handle that was never issued is no condition.
func (e *Engine) condition(g *inFlight) uint64 {
	issued := g.handle - 1
	switch {
	case g.Order == Cont:
		if e.continues(g) {
			return e.last.after
		}
		return issued
	case g.Order == All:
		return issued
	case g.Order > issued:
		return 0
	}
	return g.Order
}

// continues reports whether g may start under the condition of the GMA before it and yet
// cannot overtake it: both take the same ordered path, and the router has the one before.
// Any other GMA waits, which is always permitted.
func (e *Engine) continues(g *inFlight) bool {
	prev := e.last
	if prev == nil || prev.newest != g.handle-1 || !prev.path.Ordered() {
		return false
	}
	return maptable.RankOf(prev.Dst) == maptable.RankOf(g.Dst) && maptable.RankOf(prev.Src) == maptable.RankOf(g.Src) &&
		e.starter.path(&g.Access) == prev.path
}

// start starts g. When it returns, g may have been retired and reused.
func (e *Engine) start(g *inFlight) {
	handle := g.handle
	path := e.starter.start(&g.Access, g)
	e.cond.Lock()
	e.started(g, handle, path)
	e.cond.Unlock()
}

// started notes that the router has the GMA with this handle, which is in g or was, on a path. The
// caller holds the lock.
func (e *Engine) started(g *inFlight, handle uint64, path router.Path) {
	if g.handle != handle {
		e.pipeline.started(handle, handle, path, e.issued()) // complete, so no other GMA is to follow it
		return
	}
	e.pipeline.started(handle, g.newest, path, e.issued())
	if g.path = path; !g.done {
		e.expect(g)
	}
}

// Complete implements fabric.Completion.
func (g *inFlight) Complete(found uint64, err error) {
	outcome := [1]fabric.Outcome{{Done: g, Old: found, Err: err}}
	g.e.CompleteAll(outcome[:])
}

// finish ends an access whose transport has found a value or failed, and returns the error that
// the program learns.
func (g *inFlight) finish(found uint64, err error) error {
	e := g.e
	if g.series != nil {
		g.finishSeries(err)
		return nil
	}
	if !g.IsCopy && err == nil {
		err = e.starter.deliver(&g.Access, found)
	}
	if err != nil {
		// Before g can be found complete: C looks at the table alone.
		err = e.onFail(&g.Access, err)
	}
	return err
}

// Batch implements fabric.Batched.
func (g *inFlight) Batch() fabric.Batch { return g.e }

// Deferred implements fabric.Deferred: Wait and Issue flush.
func (g *inFlight) Deferred() {}

// CompleteAll implements fabric.Batch.
func (e *Engine) CompleteAll(outcomes []fabric.Outcome) {
	for i := range outcomes {
		o := &outcomes[i]
		o.Err = o.Done.(*inFlight).finish(o.Old, o.Err)
	}
	e.cond.Lock()
	for i := range outcomes {
		g := outcomes[i].Done.(*inFlight)
		g.done, g.err = true, outcomes[i].Err
		if g.near {
			e.gathering.count--
		}
	}
	run := e.retire() && e.claim()
	t := e.takeOnArrival()
	e.cond.Unlock()
	if run {
		e.startReady()
	}
	e.startTakenOnArrival(t)
}

// retire takes completed GMAs off the front of the queue, and moves those that may start now
// to ready. It reports whether there are any. The caller holds the lock.
func (e *Engine) retire() bool {
	before := e.gmas
	for e.queue.len() > 0 && e.queue.front().done {
		g := e.queue.pop()
		e.gmas -= g.len()
		if g.err != nil {
			e.failures = append(e.failures, failure{g.handle, g.err})
		}
		if g.series != nil {
			e.failures = append(e.failures, g.series.failures...)
			e.recycleSeries(g.series)
		}
		e.recycle(g)
	}
	if len(e.failures) > 0 {
		e.table.SetFailed(true)
	}
	if retired := before - e.gmas; retired > 0 {
		atomic.AddUint64(&e.table.Pending, -uint64(retired))
		e.cond.Broadcast()
	}
	for len(e.waiting) > 0 && e.queue.front().handle > e.waiting[0].after {
		e.ready = append(e.ready, heap.Pop(&e.waiting).(*inFlight))
	}
	return len(e.ready) > 0
}

// claim makes the caller the only goroutine that starts ready GMAs, so that they
// start in order and a chain of them does not recurse.
func (e *Engine) claim() bool {
	if e.starting {
		return false
	}
	e.starting = true
	return true
}

// startReady starts the ready GMAs, on another goroutine if that may take long. The caller has
// called claim.
func (e *Engine) startReady() {
	for {
		e.cond.Lock()
		if len(e.ready) == 0 {
			e.starting = false
			e.cond.Unlock()
			return
		}
		g := e.ready[0]
		e.ready = e.ready[1:]
		e.cond.Unlock()
		if g.Size > startInline || e.starter.mayWait() {
			e.run(func() {
				e.start(g)
				e.startReady()
				e.starter.flush() // the program may be waiting already
			})
			return
		}
		e.start(g)
	}
}

// take returns a GMA that is not in use.
func (e *Engine) take() *inFlight {
	if n := len(e.free); n > 0 {
		g := e.free[n-1]
		e.free = e.free[:n-1]
		*g = inFlight{e: e}
		return g
	}
	return &inFlight{e: e}
}

// maxFree bounds the retired GMAs that are kept for reuse.
const maxFree = 4096

func (e *Engine) recycle(g *inFlight) {
	if e.last == g {
		e.last = nil
	}
	g.handle = 0
	if len(e.free) < maxFree {
		e.free = append(e.free, g)
	}
}

// Reset forgets the failures of GMAs. Nothing is in flight.
func (e *Engine) Reset() {
	e.cond.Lock()
	defer e.cond.Unlock()
	e.failures = nil
	e.table.SetFailed(false)
}
