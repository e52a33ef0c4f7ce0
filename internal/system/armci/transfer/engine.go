package transfer

import (
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/process/extension"
	"github.com/goacp/goacp/internal/system/armci/table"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// Numbers are the numbers that the requests of an Engine have in the extension.
type Numbers struct{ Put, Get, Accumulate, Flag, Notify int }

// Config is the configuration of an Engine. All fields are required.
type Config struct {
	World   *world.World
	Numbers Numbers
	Owner   *Owner
	Table   *table.Table // has the entries of all processes
	// Failed is called for each store that its owner could not execute, and for which no call
	// waits any more. It does not block.
	Failed func(err error)
}

// Engine makes the transfers of one process. Its methods may be called by several goroutines at
// once. They fail with errors of package world, and if the run is over.
type Engine struct {
	cfg     Config
	world   *world.World
	process *extension.Process
	cond    *wait.Cond
	table   *table.Table

	inFlight atomic.Int64 // bytes of requests and answers
	fetching atomic.Int64 // gets

	mu       sync.Mutex
	implicit map[int]*Tracker // by process: operations without a handle
	adopted  []*Tracker       // operations whose handles the program has given up
	notified map[int]int      // by process: notifications sent
}

// maxInFlight is the number of bytes of requests and replies that may be in flight before a call
// waits for some of them.
const maxInFlight = 32 << 20

// New returns the Engine that cfg describes.
func New(cfg Config) *Engine {
	p := cfg.World.Process()
	return &Engine{
		cfg: cfg, world: cfg.World, process: p, cond: p.Cond, table: cfg.Table,
		implicit: make(map[int]*Tracker), notified: make(map[int]int),
	}
}

// Issue makes a transfer or starts it. t completes when the memory of the caller may be used
// again; the transfer keeps nothing else of r. Waits while too many bytes are in flight. If it
// fails because the run is over, parts may be in flight, and end soon.
func (e *Engine) Issue(r *Request, t *Tracker) error {
	empty, err := e.check(r)
	if err != nil || empty {
		return err
	}
	if err := e.process.Lifecycle.Alive(); err != nil {
		return err
	}
	if r.Vector != nil {
		return e.issueVector(r, t)
	}
	return e.issueStrided(r, t)
}

// Do is Issue that waits until the memory of the caller may be used again.
func (e *Engine) Do(r *Request) error {
	var t Tracker
	if err := e.Issue(r, &t); err != nil {
		return err
	}
	return e.Wait(&t)
}

// issueStrided chooses between near and far for a merged transfer.
func (e *Engine) issueStrided(r *Request, t *Tracker) error {
	if r.Proc == e.world.Self() {
		e.count(r, traffic.SHM)
		return e.nearStrided(r, world.At(r.Remote))
	}
	side := r.Shape.RemoteSide()
	low, high, err := side.Extent()
	if err != nil {
		return fmt.Errorf("%w: %w", world.ErrAddress, err)
	}
	pos, err := e.world.Locate(r.Proc, r.Remote+uintptr(low), uint64(high-low))
	if err != nil {
		return err
	}
	if here := e.world.Here(r.Proc, pos, uint64(high-low)); here != nil && e.near(r) {
		if err := e.settle(r.Proc); err != nil {
			return err
		}
		e.count(r, traffic.SHM)
		return e.nearStrided(r, unsafe.Add(here, -low))
	}
	e.count(r, traffic.TCP)
	return e.farStrided(r, pos-uint64(low), &side, t)
}

// settle waits for stores that are in flight to a process, since the following near operation
// would overtake them.
func (e *Engine) settle(proc int) error {
	if e.table.Proc(proc).Idle() {
		return nil
	}
	return e.Fence(proc)
}

// Fence waits until all stores of this process to another process are visible there.
func (e *Engine) Fence(proc int) error {
	p := e.table.Proc(proc)
	sent := p.Sent()
	return e.cond.Wait(activity.On(activity.Complete, e.world.Member(proc)), func() bool { return p.Confirmed(sent) })
}

// AllFence is Fence for all processes.
func (e *Engine) AllFence() error {
	if e.table.Idle() {
		return nil
	}
	for proc := range e.world.Procs() {
		if err := e.settle(proc); err != nil {
			return err
		}
	}
	return nil
}

// Settle waits until no operation of this process is in flight: gets are complete, and stores are
// visible.
func (e *Engine) Settle() error {
	if err := e.cond.Wait(activity.For(activity.Complete), func() bool { return e.fetching.Load() == 0 }); err != nil {
		return err
	}
	return e.AllFence()
}

// broadcast wakes goroutines that wait for completions.
func (e *Engine) broadcast() {
	e.cond.Lock()
	defer e.cond.Unlock()
	e.cond.Broadcast()
}

// reserve waits until n more bytes may be in flight, and counts them.
func (e *Engine) reserve(n int64) error {
	if e.inFlight.Add(n) <= maxInFlight {
		return nil
	}
	e.inFlight.Add(-n)
	if err := e.cond.Wait(activity.For(activity.Complete), func() bool { return e.inFlight.Load()+n <= maxInFlight || e.inFlight.Load() == 0 }); err != nil {
		return err
	}
	e.inFlight.Add(n)
	return nil
}

// giveBack ends a reservation for bytes that are not sent.
func (e *Engine) giveBack(n int64) {
	e.inFlight.Add(-n)
	e.broadcast()
}
