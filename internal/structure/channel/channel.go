package channel

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/memory/ring"
)

// Channel is one end of a channel. Its methods may be called by several goroutines at once.
type Channel struct {
	engine *Engine
	mu     sync.Mutex // guards work and freed; taken before the lock of the endpoint
	work   *work      // nil while nothing is outstanding
	handle ring.Handle
	state  atomic.Uint32
}

// Bits of the state of a Channel.
const (
	freed    uint32 = 1 << iota // the endpoint does not belong to this channel any more
	notified                    // work has come for it, perhaps while another goroutine had the lock
)

// is reports whether a bit of the state is set.
func (c *Channel) is(bit uint32) bool { return c.state.Load()&bit != 0 }

// Handle returns the handle of the channel, which is never 0.
func (c *Channel) Handle() ring.Handle { return c.handle }

// Send queues one message. data must not change until the request is finished. Fails with
// global.ErrNotEndpoint at the receiving end, with ErrFreed after Free, and if the run is over.
// Does not block.
func (c *Channel) Send(data []byte) (*Request, error) {
	e := c.end()
	if uint64(len(data)) <= uint64(e.Eager) && e.TryTake() {
		if e.Usable(c.handle, ring.Sender|ring.FastPath) && e.Fits(ring.EagerSpan(uint64(len(data)))) {
			n := uint64(len(data))
			want := e.Put(ring.NewRecord(ring.Eager, n), unsafe.Pointer(unsafe.SliceData(data)), n)
			c.engine.traffic.Add(int(e.Peer), traffic.Message, traffic.SHM, n)
			e.Drop()
			if want == ring.WantAll {
				c.WakeOther()
			}
			return c.engine.sent, nil
		}
		e.Drop()
	}
	return c.enqueue(&Request{c: c, kind: Send, buf: data, size: len(data)})
}

// Recv queues a receive of one message into buf, which belongs to the library until the request is
// finished. Fails with global.ErrNotEndpoint at the sending end, and otherwise as Send does. Does
// not block.
func (c *Channel) Recv(buf []byte) (*Request, error) {
	return c.enqueue(&Request{c: c, kind: Receive, buf: buf, size: len(buf)})
}

// Free begins to free this end, behind the requests that were made before. Fails with ErrFreed if
// that was begun before, and if the run is over. Does not block.
func (c *Channel) Free() (*Request, error) {
	return c.enqueue(&Request{c: c, kind: Free})
}

// Close calls Free and waits for the request. If ctx has ended before, it does nothing. If ctx ends later,
// the end is still freed. Fails as Free, with the error of ctx, and if the run is over. Blocks.
func (c *Channel) Close(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return c.engine.failed(Free, 0, err)
	}
	r, err := c.Free()
	if err == nil {
		_, err = r.Wait(ctx)
	}
	return err
}

// enqueue takes a request and serves it as far as that is possible now.
func (c *Channel) enqueue(r *Request) (*Request, error) {
	err := c.engine.mem.Alive()
	if err == nil {
		err = c.accept(r)
	}
	if err != nil {
		return nil, r.failed(err)
	}
	if !r.Done() {
		c.engine.takeAnnouncements() // the channel may not be connected
	}
	return r, nil
}

// accept puts a request into the queue and serves the queue.
func (c *Channel) accept(r *Request) error {
	if !c.lock() {
		return ErrFreed
	}
	if w := c.work; w != nil && errors.Is(w.err, global.ErrRankGone) && r.kind == Free {
		c.dispose(w.err)
		r.finish(0, nil)
		return nil
	}
	defer c.unlock()
	e := c.end()
	switch {
	case e.Has(ring.Freeing):
		return ErrFreed
	case r.kind == Send && !e.Has(ring.Sender), r.kind == Receive && e.Has(ring.Sender):
		return global.ErrNotEndpoint
	case c.work != nil && c.work.err != nil:
		return c.work.err
	}
	if r.kind == Free {
		e.Set(ring.Freeing, true)
	}
	c.adopt()
	c.ensureWork().queue(r)
	return nil
}

// end returns the endpoint. It belongs to this channel until the channel is freed.
func (c *Channel) end() *ring.Endpoint { return c.engine.table.At(c.handle.Index()) }

// lock begins a change. It returns false if the channel is freed.
func (c *Channel) lock() bool {
	c.mu.Lock()
	if c.is(freed) {
		c.mu.Unlock()
		return false
	}
	c.end().Take()
	return true
}

// serve serves the requests that have become possible. If another goroutine has the lock, that goroutine
// serves them. It waits only while C uses the endpoint.
func (c *Channel) serve() {
	c.state.Or(notified)
	for c.is(notified) && c.mu.TryLock() {
		c.state.And(^notified)
		if c.is(freed) {
			c.mu.Unlock()
			return
		}
		c.end().Take()
		c.release()
	}
}

// unlock ends a change: it serves the requests that have become possible and then publishes the condition at
// which the other side has to wake this one.
func (c *Channel) unlock() {
	c.release()
	if c.is(notified) {
		c.serve()
	}
}

// release is unlock without the check whether it has been notified meanwhile.
func (c *Channel) release() {
	c.progress()
	for !c.is(freed) && c.arm() {
		c.progress()
	}
	if c.work != nil && c.work.idle() {
		c.work = nil
	}
	e, over := c.end(), c.is(freed)
	e.Set(ring.FastPath, !over && c.fastPath(e))
	e.Drop()
	if over {
		c.engine.leave(c)
	}
	c.mu.Unlock()
}

// fastPath reports whether sends and receives may take the fast path.
func (c *Channel) fastPath(e *ring.Endpoint) bool {
	return c.work == nil && e.Ring != nil && !e.Has(ring.Freeing)
}

// progress serves the requests as far as that is possible now.
func (c *Channel) progress() {
	switch e := c.end(); {
	case c.is(freed):
	case c.work != nil && c.work.err != nil:
		c.finishAll(c.work.err)
	case e.Has(ring.Sender):
		c.progressSender(e)
	default:
		c.progressReceiver(e)
	}
}

// arm publishes the condition at which the other side has to wake this one. It returns true if the other side
// may have met the condition before it could read it.
func (c *Channel) arm() (again bool) {
	if e := c.end(); e.Has(ring.Sender) {
		return c.armSender(e)
	} else {
		return c.armReceiver(e)
	}
}

// WakeOther wakes the other end, whose condition this end has just met. Does not block.
func (c *Channel) WakeOther() {
	if !c.lock() {
		return
	}
	if e := c.end(); e.Has(ring.Sender) {
		c.wakeReceiver(e)
	} else {
		c.wakeSender(e)
	}
	c.unlock()
}

// fail makes the channel unusable: its requests fail with err.
func (c *Channel) fail(err error) {
	if c.lock() {
		c.ensureWork().err = global.Cause(err)
		c.unlock()
	}
}

// finishAll ends all requests with err.
func (c *Channel) finishAll(err error) {
	w := c.work
	for _, list := range []*Request{w.first, w.sent, w.closing} {
		for r := list; r != nil; {
			next := r.next
			r.finish(0, err)
			r = next
		}
	}
	w.first, w.sent, w.closing = nil, nil, nil
}

// dispose frees the channel without the other end. The caller holds the lock, which is given back.
func (c *Channel) dispose(err error) {
	e := c.end()
	c.adopt()
	c.ensureWork()
	c.finishAll(err)
	c.state.Or(freed)
	if e.Ring != nil && !e.Has(ring.Sender) && errors.Is(err, global.ErrRankGone) {
		_ = c.freeRing(c.engine.self(), e.Ring) // otherwise the two ends free it, or the heap begins anew
	}
	e.Disable()
	e.Drop()
	c.engine.leave(c)
	c.mu.Unlock()
}
