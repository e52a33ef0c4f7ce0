package message

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/sparse"
	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/network/am"
)

// Config says what an Engine is made of. All fields are required.
type Config struct {
	Memory    *global.Memory
	Messenger fabric.Messenger
	Budget    *wait.Budget

	// Op returns the number that messages carry for an operation of this package.
	Op func(operation int) am.Op
}

// Engine is the message layer of one process. Its methods may be called by several goroutines at
// once.
type Engine struct {
	cfg  Config
	self int

	events  atomic.Pointer[wait.EventCount] // made at the first use
	out     *sparse.Table[stream]
	in      *sparse.Table[reader] // by member: the rings of this process
	readers atomic.Pointer[[]*reader]
	over    atomic.Pointer[error]    // why nothing comes any more
	arrived atomic.Uint64            // changes when the queue of unexpected messages or a direct message has, or a member is gone
	lost    *sparse.Table[GoneError] // by member: those that are gone
	flow    flow

	connecting sync.Mutex // taken to make a stream

	mu         sync.Mutex // guards what follows, and the reading of rings
	eventsAt   uint64     // address of the event count
	unexpected unexpectedQueue
	direct     map[uint64]*directMessage // of this process, by id
	lastID     uint64
	copies     copies
	areas      []*shared // that this process has made, and whose blocks it has

	calls calls
}

// New returns the Engine that cfg describes.
func New(cfg Config) *Engine {
	size := cfg.Memory.Ranks().Seats()
	h := &Engine{
		cfg: cfg, self: cfg.Memory.Ranks().Self(),
		out: sparse.New[stream](size), in: sparse.New[reader](size), lost: sparse.New[GoneError](size),
		direct: make(map[uint64]*directMessage),
	}
	h.readers.Store(new([]*reader))
	h.calls.idle = make(chan struct{}, 1)
	return h
}

// enter begins a call of the program. If it does not fail, leave ends the call.
func (h *Engine) enter() error {
	h.calls.begin()
	err := h.alive()
	if err == nil && h.events.Load() == nil {
		h.mu.Lock()
		err = h.makeEventCount()
		h.mu.Unlock()
	}
	if err != nil {
		h.leave()
	}
	return err
}

// leave ends a call.
func (h *Engine) leave() { h.calls.end() }

// alive returns why nothing comes any more, or nil.
func (h *Engine) alive() error {
	if err := h.over.Load(); err != nil {
		return *err
	}
	return nil
}

// makeEventCount makes the event count, unless there is one. The caller holds the lock.
func (h *Engine) makeEventCount() error {
	if h.events.Load() != nil {
		return nil
	}
	if err := h.alive(); err != nil {
		return err
	}
	at, mem, err := h.allocate(wait.EventCountBytes)
	if err != nil {
		return err
	}
	events := (*wait.EventCount)(mem)
	*events = wait.EventCount{}
	h.eventsAt = at
	h.events.Store(events)
	return nil
}

// allocate returns a block of the own heap.
func (h *Engine) allocate(n uint64) (at uint64, mem unsafe.Pointer, err error) {
	own := h.cfg.Memory.Own()
	if at, err = own.Alloc(n); err != nil {
		return 0, nil, err
	}
	b, err := own.Bytes(at, n)
	return at, unsafe.Pointer(unsafe.SliceData(b)), err
}

// Fail ends all waiting of this process with err. The first error counts. Does not block.
func (h *Engine) Fail(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failLocked(err)
}

// failLocked is Fail for a caller that holds the lock.
func (h *Engine) failLocked(err error) {
	h.over.CompareAndSwap(nil, &err)
	h.changed()
}

// changed tells threads that wait that the queue of unexpected messages, a direct message, lost or over has changed. The caller holds
// the lock.
func (h *Engine) changed() {
	h.arrived.Add(1)
	if events := h.events.Load(); events != nil {
		events.Notify()
	}
}

// release gives up all use of the memory of other members.
func (h *Engine) release() {
	h.out.Clear()
}

// forget makes the Engine what it was when the process started. The heap is empty.
func (h *Engine) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events.Store(nil)
	h.readers.Store(new([]*reader))
	h.in.Clear()
	h.unexpected = unexpectedQueue{}
	clear(h.direct)
	h.copies = copies{}
	h.discardAreas()
}

// Close ends all waiting and returns when no goroutine uses the Engine any more.
func (h *Engine) Close() {
	h.Fail(global.ErrFinalized)
	h.calls.wait()
	h.release()
	h.forget()
}

// ForgetWorld drops the messages of a world that no receive has taken, and the collective areas of its teams.
// All members have stopped to use the world.
func (h *Engine) ForgetWorld(world uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	_ = h.drain(anyMember, nil) // if it fails, nothing comes any more
	h.unexpected.forget(world)
	h.closeAreas(func(t *Team) bool { return t.Label.World == world })
	for _, d := range h.direct {
		if d.label.World == world {
			h.drop(d)
		}
	}
}

// any reports whether a ring from a member, or from anyMember, has a record.
func (h *Engine) any(from int) bool {
	if from != anyMember {
		r := h.in.Load(from)
		return r != nil && r.any()
	}
	for _, r := range *h.readers.Load() {
		if r.any() {
			return true
		}
	}
	return false
}
