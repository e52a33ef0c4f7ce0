package channel

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/ring"
)

// The receiving end of a channel.

// progressReceiver takes messages out of the ring while requests wait for them.
func (c *Channel) progressReceiver(e *ring.Endpoint) {
	c.adopt()
	w := c.work
	if w == nil {
		return
	}
	reached := false
	for !w.fetching && w.first != nil {
		rec, ok := e.Peek()
		if !ok {
			break
		}
		if !e.Valid(rec) {
			w.err = fmt.Errorf("%w: record %#x of rank %d in a ring of %d bytes", global.ErrProtocol, uint64(rec), c.engine.rankOf(int(e.Peer)), e.Size)
			c.finishAll(w.err)
			return
		}
		if rec.Kind() == ring.Last {
			if r := w.first; r.kind == Receive { // the record stays for the request to free
				w.shift()
				r.finish(0, ErrEnded)
				continue
			}
			c.closeReceiver(e)
			return
		}
		reached = c.receive(e, rec) || reached
	}
	if reached {
		c.wakeSender(e)
	}
}

// receive serves the first request with the first record and reports whether this end has to wake
// the sender.
func (c *Channel) receive(e *ring.Endpoint, rec ring.Record) (reached bool) {
	r := c.work.first
	if r.kind == Free { // the program receives no more messages
		return e.Remove(rec)
	}
	n := min(rec.Size(), uint64(len(r.buf)))
	var err error
	switch {
	case n == 0:
	case rec.Kind() == ring.Eager:
		dst := unsafe.Pointer(unsafe.SliceData(r.buf))
		err = ownMemory(fabric.Touch(func() { e.Payload(dst, n) }), dst, n)
	default:
		var done bool
		if done, err = c.fetch(e, r, rec, n); !done {
			c.work.fetching = true
			return false
		}
	}
	return c.received(e, r, rec, n, err)
}

// received finishes r, the first request. Its message has arrived, or err is the reason why it cannot arrive.
func (c *Channel) received(e *ring.Endpoint, r *Request, rec ring.Record, n uint64, err error) (reached bool) {
	c.work.shift()
	if err != nil {
		n, err = 0, global.Cause(err)
		if !errors.Is(err, errOwnMemory) {
			e.Ring.Lose(e.Pos + rec.Span())
			err = fmt.Errorf("%w, which rank %d sent: %w", ErrUnreadable, c.engine.rankOf(int(e.Peer)), err)
		}
	}
	reached = e.Remove(rec)
	r.finish(int(n), err)
	return reached
}

// closeReceiver frees the receiving end. The sender has freed its own end, and the first request is the
// freeing of this one.
func (c *Channel) closeReceiver(e *ring.Endpoint) {
	r, from := c.work.first, e.Ring
	c.work.shift()
	e.Ring = nil
	c.state.Or(freed)
	c.work.losses = from.Losses()
	r.finish(0, c.giveUpRing(e, from))
}

// giveUpRing informs the sender that this end does not use the ring any more.
func (c *Channel) giveUpRing(e *ring.Endpoint, r *ring.Ring) error {
	sender := ring.Handle(atomic.LoadUint32(&r.SenderHandle))
	if e.Has(ring.Far) {
		c.sendCredit(e, sender, r, true)
		return c.freeRing(c.engine.self(), r)
	}
	// The sender reads the ring until then, and frees its memory.
	atomic.StoreUint32(&r.Closed, 1)
	c.notifySender(e, sender)
	return nil
}

// armReceiver publishes the condition at which the sender has to wake this end.
func (c *Channel) armReceiver(e *ring.Endpoint) (again bool) {
	want, w := ring.WantNothing, c.work
	switch {
	case e.Ring == nil || e.Has(ring.Far):
		return false // the agent serves the channel when it delivers records
	case w == nil || w.first == nil || w.spinners > 0:
	case w.sleepers > 0:
		want = ring.WantAll
	default:
		want = ring.WantHelp
	}
	if want == atomic.LoadUint32(&e.Ring.Want) {
		return false
	}
	if want != ring.WantNothing {
		c.engine.startServer()
	}
	atomic.StoreUint32(&e.Ring.Want, want)
	return want != ring.WantNothing
}

// wakeSender makes the process of the sender serve the channel.
func (c *Channel) wakeSender(e *ring.Endpoint) {
	r := e.Ring
	if r == nil {
		return
	}
	sender := ring.Handle(atomic.LoadUint32(&r.SenderHandle))
	if e.Has(ring.Far) {
		c.sendCredit(e, sender, r, false)
		return
	}
	c.notifySender(e, sender)
}

// notifySender wakes the process of the sender, which is not far, for it.
func (c *Channel) notifySender(e *ring.Endpoint, sender ring.Handle) {
	if notifier, ok := c.engine.notifierOf(int(e.Peer)); ok {
		notifier.Notify(sender.Index())
	}
}
