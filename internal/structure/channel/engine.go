package channel

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/memory/maptable"
	"github.com/goacp/goacp/internal/memory/ring"
	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/internal/network/router"
)

// Config has the parts that an Engine uses. All fields but Traffic are required.
type Config struct {
	Mem     *global.Memory
	Router  *router.Router
	Direct  *maptable.Table // where C finds the endpoints
	Budget  *wait.Budget    // how long goroutines may spin
	Over    <-chan struct{} // closed when the run is over
	Traffic *traffic.Table  // counts the messages that are sent; nil: none are counted

	// Failed returns the error that a program gets for a request of this kind and of size
	// bytes that has failed with err.
	Failed func(kind Kind, size int, err error) error
}

// Engine has the ends of channels of a process. Its methods may be called by several goroutines at
// once.
type Engine struct {
	mem     *global.Memory
	router  *router.Router
	space   *segment.Space
	direct  *maptable.Table
	budget  *wait.Budget
	over    <-chan struct{}
	traffic *traffic.Table
	failed  func(kind Kind, size int, err error) error

	table *ring.Table // made with the first channel and then never changed
	sent  *Request    // of every message that went into its ring at once

	running  atomic.Bool // a goroutine serves the channels
	stopping atomic.Bool
	server   sync.WaitGroup // that goroutine
	messages sync.WaitGroup // to other processes, under way

	mu        sync.Mutex // taken after the lock of a channel
	all       []*Channel // by index in the table
	pairs     map[pairKey]*pair
	requests  map[uint64]*Request // requests with a handle, by handle
	requested uint64              // handles given to requests
}

// NewEngine returns an Engine without channels.
func NewEngine(cfg Config) *Engine {
	sent := new(Request)
	sent.done.Store(true)
	return &Engine{
		mem: cfg.Mem, router: cfg.Router, space: cfg.Router.Space(), direct: cfg.Direct, budget: cfg.Budget, over: cfg.Over, failed: cfg.Failed, traffic: cfg.Traffic,
		sent: sent, pairs: make(map[pairKey]*pair), requests: make(map[uint64]*Request),
	}
}

// self returns the member that this process is.
func (h *Engine) self() int { return h.mem.Ranks().Self() }

// rankOf returns the rank that a member has now.
func (h *Engine) rankOf(member int) int { return h.mem.Ranks().Rank(member) }

// open makes the table. The caller holds h.mu.
func (h *Engine) open() error {
	if h.table != nil {
		return nil
	}
	t, err := ring.NewTable(h.mem.Ranks().Seats())
	if err != nil {
		return err
	}
	// Calls on channels of a finalized process still read the table.
	runtime.AddCleanup(h, func(t *ring.Table) { _ = t.Release() }, t)
	t.Load = unsafe.Pointer(h.budget.Load())
	h.table = t
	h.direct.SetChannels(unsafe.Pointer(t))
	return nil
}

// enter makes a channel with a new endpoint. The caller holds h.mu.
func (h *Engine) enter(peer int, flags uint32) (*Channel, error) {
	handle, e, err := h.table.New(flags)
	if err != nil {
		return nil, err
	}
	e.Peer = uint32(peer)
	c := &Channel{engine: h, handle: handle}
	for len(h.all) <= handle.Index() {
		h.all = append(h.all, nil)
	}
	h.all[handle.Index()] = c
	return c, nil
}

// leave releases the endpoint of a channel that has been freed.
func (h *Engine) leave(c *Channel) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all[c.handle.Index()] = nil
	h.table.Recycle(c.handle)
}

// find returns the channel with a handle, or nil.
func (h *Engine) find(handle ring.Handle) *Channel {
	if c := h.at(handle.Index()); c != nil && c.handle == handle {
		return c
	}
	return nil
}

// at returns the channel at an index of the table, or nil.
func (h *Engine) at(index int) *Channel {
	h.mu.Lock()
	defer h.mu.Unlock()
	if index >= len(h.all) {
		return nil
	}
	return h.all[index]
}

// Dispose frees all channels. Their requests fail with err. When it returns, no message of this process to
// channels of other processes is in flight. Blocks until then.
func (h *Engine) Dispose(err error) {
	h.mu.Lock()
	all := h.all
	h.all = make([]*Channel, len(all))
	clear(h.requests)
	h.mu.Unlock()
	for _, c := range all {
		if c != nil && c.lock() {
			c.dispose(err)
		}
	}
	h.messages.Wait()
}

// Gone ends the channels with a member that has left the run or is lost: their requests fail with global.ErrRankGone, and
// they can be freed.
func (h *Engine) Gone(member int) {
	h.mu.Lock()
	var ended []*Channel
	for _, c := range h.all {
		if c != nil && int(c.end().Peer) == member {
			ended = append(ended, c)
		}
	}
	h.mu.Unlock()
	for _, c := range ended {
		c.fail(h.mem.CheckMember(member))
	}
}

// Renumber restarts the numbering of the channels between two processes. All processes have disposed of their
// channels before.
func (h *Engine) Renumber() {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.pairs)
}
