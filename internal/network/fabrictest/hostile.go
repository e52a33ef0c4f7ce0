package fabrictest

import (
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
)

// Hostile wraps a transport and uses every freedom that the contract gives. Operations
// begin late, and those on different peers in any order. Completions come late, in any
// order, and from another goroutine. Operations on one peer still begin in the order in
// which they were issued.
type Hostile struct {
	inner fabric.Transport
	over  chan struct{} // closed when the goroutine has ended

	mu      sync.Mutex
	wake    sync.Cond
	rng     *rand.Rand
	queues  map[int][]operation // by peer: what has not begun, never empty
	ready   []func()            // completions that have not been called
	under   int                 // operations that the inner transport works on
	closing bool
	closed  error // what Close of the inner transport returned, after over
}

// operation is one that has not begun.
type operation struct {
	begin func(late fabric.Completion)
	late  *late
}

// NewHostile returns a Hostile around inner, whose Close closes both. The same seed
// makes the same choices if the calls come in the same order.
func NewHostile(inner fabric.Transport, seed uint64) *Hostile {
	h := &Hostile{
		inner: inner, over: make(chan struct{}), queues: make(map[int][]operation),
		rng: rand.New(rand.NewPCG(seed, seed)),
	}
	h.wake.L = &h.mu
	go h.run()
	return h
}

// Name implements fabric.Transport.
func (h *Hostile) Name() string { return h.inner.Name() }

// Abilities implements fabric.Transport.
func (h *Hostile) Abilities() fabric.Abilities { return h.inner.Abilities() }

// Put implements fabric.Transport.
func (h *Hostile) Put(peer int, pos uint64, src unsafe.Pointer, n uint64, done fabric.Completion) {
	h.enqueue(peer, done, func(late fabric.Completion) { h.inner.Put(peer, pos, src, n, late) })
}

// Get implements fabric.Transport.
func (h *Hostile) Get(peer int, pos uint64, dst unsafe.Pointer, n uint64, done fabric.Completion) {
	h.enqueue(peer, done, func(late fabric.Completion) { h.inner.Get(peer, pos, dst, n, late) })
}

// Atomic implements fabric.Transport.
func (h *Hostile) Atomic(peer int, pos uint64, a fabric.Atomic, done fabric.Completion) {
	h.enqueue(peer, done, func(late fabric.Completion) { h.inner.Atomic(peer, pos, a, late) })
}

// Copy implements fabric.Transport.
func (h *Hostile) Copy(src int, srcPos uint64, dst int, dstPos, n uint64, done fabric.Completion) {
	h.enqueue(src, done, func(late fabric.Completion) { h.inner.Copy(src, srcPos, dst, dstPos, n, late) })
}

// Close implements fabric.Transport.
func (h *Hostile) Close() error {
	h.mu.Lock()
	h.closing = true
	h.wake.Signal()
	h.mu.Unlock()
	<-h.over
	return h.closed
}

// enqueue puts an operation behind the others on peer.
func (h *Hostile) enqueue(peer int, done fabric.Completion, begin func(late fabric.Completion)) {
	h.mu.Lock()
	if h.closing {
		h.mu.Unlock()
		done.Complete(0, fabric.ErrClosed)
		return
	}
	defer h.mu.Unlock()
	h.queues[peer] = append(h.queues[peer], operation{begin: begin, late: &late{h, done}})
	h.wake.Signal()
}

// late keeps a completion until it is its turn.
type late struct {
	hostile *Hostile
	done    fabric.Completion
}

// Complete implements fabric.Completion.
func (l *late) Complete(old uint64, err error) {
	h := l.hostile
	h.mu.Lock()
	defer h.mu.Unlock()
	h.under--
	h.ready = append(h.ready, func() { l.done.Complete(old, err) })
	h.wake.Signal()
}

// run takes one step after the other, at random: it begins an operation on some peer,
// or calls some completion.
func (h *Hostile) run() {
	defer close(h.over)
	for {
		h.mu.Lock()
		for !h.closing && len(h.queues) == 0 && len(h.ready) == 0 {
			h.wake.Wait()
		}
		if h.closing {
			h.mu.Unlock()
			h.finish()
			return
		}
		act := h.choose()
		h.mu.Unlock()
		act()
	}
}

// choose removes and returns the next step. The caller holds mu, and there is a step.
func (h *Hostile) choose() func() {
	if i := h.rng.IntN(len(h.queues) + len(h.ready)); i < len(h.ready) {
		tell := h.ready[i]
		h.ready[i] = h.ready[len(h.ready)-1]
		h.ready = h.ready[:len(h.ready)-1]
		return tell
	}
	// Sorted, because the order of a map does not depend on the seed.
	peers := slices.Sorted(maps.Keys(h.queues))
	peer := peers[h.rng.IntN(len(peers))]
	op := h.queues[peer][0]
	if h.queues[peer] = h.queues[peer][1:]; len(h.queues[peer]) == 0 {
		delete(h.queues, peer)
	}
	h.under++
	return func() { op.begin(op.late) }
}

// finish drops the operations that have not begun, closes the inner transport and calls
// the remaining completions.
func (h *Hostile) finish() {
	h.mu.Lock()
	var dropped []operation
	for _, ops := range h.queues {
		dropped = append(dropped, ops...)
	}
	h.queues = nil
	h.under += len(dropped)
	h.mu.Unlock()
	for _, op := range dropped {
		op.late.Complete(0, fabric.ErrClosed)
	}
	h.closed = h.inner.Close()
	h.mu.Lock()
	for h.under > 0 {
		h.wake.Wait()
	}
	ready := h.ready
	h.ready = nil
	h.mu.Unlock()
	for _, tell := range ready {
		tell()
	}
}
