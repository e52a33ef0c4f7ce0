package channel

import (
	"fmt"
	"sync/atomic"

	"github.com/goacp/goacp/internal/memory/ring"
)

// Handles of channels and requests for C, whose fast path works on the same endpoints.

// Find returns the channel with a handle. Fails with ErrFreed. Does not block.
func (h *Engine) Find(handle uint64) (*Channel, error) {
	if c := h.find(ring.Handle(handle)); c != nil && uint64(c.handle) == handle {
		return c, nil
	}
	return nil, ErrFreed
}

// Handle returns the handle of a request, which is never 0. If the request has succeeded already,
// the handle is the result. It is called once for a request. Does not block.
func (r *Request) Handle() uint64 {
	if r.Done() && r.err == nil {
		return ring.Finished(uint64(r.n))
	}
	h := r.c.engine
	h.mu.Lock()
	defer h.mu.Unlock()
	h.requested++
	handle := ring.Counted(h.requested)
	h.requests[handle] = r
	return handle
}

// Request returns the request with a handle, once. Fails with ErrNoRequest. Does not block.
func (h *Engine) Request(handle uint64) (*Request, error) {
	if r := h.take(handle); r != nil {
		return r, nil
	}
	if i, ok := ring.SentFrom(handle); ok {
		if r := h.sentByC(i, handle); r != nil {
			return r, nil
		}
	}
	if i, ok := ring.PostedAt(handle); ok {
		if c := h.at(i); c != nil && c.lock() {
			c.adopt()
			c.unlock()
		}
	}
	if r := h.take(handle); r != nil {
		return r, nil
	}
	return nil, fmt.Errorf("%w: %#x", ErrNoRequest, handle)
}

// take takes out the request that was entered with a handle, or returns nil.
func (h *Engine) take(handle uint64) *Request {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.requests[handle]
	delete(h.requests, handle)
	return r
}

// Keep makes Request return r once more for the handle with which it has returned it. Does not block.
func (h *Engine) Keep(handle uint64, r *Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.requests[handle] = r
}

// adopt queues a receive that C has posted like all other receives. The caller holds the lock.
func (c *Channel) adopt() {
	e := c.end()
	if e.Has(ring.Sender) || e.Request == 0 {
		return
	}
	r := &Request{c: c, kind: Receive, buf: e.TakePosted(), handle: e.Request}
	e.Request = 0
	atomic.StoreUint32(&e.Ring.Polling, 0) // this side polls the ring after that
	c.engine.remember(r)
	c.ensureWork().queue(r) // C posts only if nothing is queued
}

// remember enters a request under its handle.
func (h *Engine) remember(r *Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.requests[r.handle] = r
}

// sentByC returns the request of a long message that C has sent from the endpoint at an index, or
// nil if no message can have been sent from there.
func (h *Engine) sentByC(index int, handle uint64) *Request {
	c := h.at(index)
	if c == nil || !c.lock() {
		return h.sentBefore(index, handle)
	}
	defer c.unlock()
	e := c.end()
	if !e.Has(ring.Sender) {
		return h.sentBefore(index, handle)
	}
	end, fate := e.Ends(handle)
	switch {
	case fate == ring.NeverSent:
		return nil
	case fate == ring.Taken:
		return h.sent
	case !c.mayEnd(e, end):
		return nil
	}
	r := &Request{c: c, kind: Send, size: int(e.Capacity), end: end}
	c.ensureWork().addSent(r) // finished at once if the message has been taken
	return r
}

// mayEnd reports whether the record of a long message may end at a position of the ring. It returns false if
// the ring still has that position and no record of a long message ends there.
func (c *Channel) mayEnd(e *ring.Endpoint, end uint64) bool {
	if e.Ring == nil || end <= atomic.LoadUint64(&e.Ring.Head) {
		return true
	}
	rec, ok := e.Before(end)
	return ok && rec.Kind() == ring.Direct
}

// sentBefore is sentByC for an index without a sender.
func (h *Engine) sentBefore(index int, handle uint64) *Request {
	h.mu.Lock()
	defer h.mu.Unlock()
	if index >= len(h.all) || h.table.Fate(index, handle) == ring.NeverSent {
		return nil
	}
	return h.sent // the message was taken before the channel was freed
}
