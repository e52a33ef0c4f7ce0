package channel

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/memory/ring"
)

// The sending end of a channel.

// progressSender finishes the requests whose records have been taken out of the ring, and puts in as many
// records as fit.
func (c *Channel) progressSender(e *ring.Endpoint) {
	w := c.work
	if w == nil || e.PeerHandle == 0 {
		return
	}
	if c.confirm(e); c.is(freed) {
		return
	}
	for r := w.first; r != nil && e.Fits(c.record(e, r).Span()); r = w.first {
		c.emit(e, r)
	}
	c.flush(e)
	if e.Ring != nil && w.first != nil && atomic.LoadUint32(&e.Ring.Want) != ring.WantNothing {
		c.wakeReceiver(e) // the sender cannot continue before the receiver has made room
	}
}

// record returns the head of the record that r needs.
func (c *Channel) record(e *ring.Endpoint, r *Request) ring.Record {
	n := uint64(len(r.buf))
	switch {
	case r.kind == Free:
		return ring.NewRecord(ring.Last, 0)
	case n <= uint64(e.Eager):
		return ring.NewRecord(ring.Eager, n)
	case e.Ring != nil && atomic.LoadUint32(&e.Ring.Direct) != 0:
		return ring.NewRecord(ring.Direct, n)
	}
	return ring.NewRecord(ring.Large, n)
}

// emit puts the record of r, the first of the queue, into the ring.
func (c *Channel) emit(e *ring.Endpoint, r *Request) {
	w, rec := c.work, c.record(e, r)
	if r.kind == Send {
		c.count(e, r)
	}
	switch rec.Kind() {
	case ring.Eager:
		if c.put(e, rec, r.buf) != nil {
			c.putLong(e, ring.NewRecord(ring.Large, rec.Size()), r, nowhere)
			return
		}
		w.shift()
		r.finish(0, nil)
	case ring.Large, ring.Direct:
		c.putLong(e, rec, r, c.expose(r, rec.Kind()))
	case ring.Last:
		_ = c.put(e, rec, nil) // it has no payload
		w.shift()
		w.closing = r
	}
}

// count counts the message of r.
func (c *Channel) count(e *ring.Endpoint, r *Request) {
	path := traffic.SHM
	if e.Ring == nil {
		path = traffic.TCP
	}
	c.engine.traffic.Add(int(e.Peer), traffic.Message, path, uint64(len(r.buf)))
}

// nowhere is a position without memory. If the memory of a message cannot be read, the receiver gets this
// position, so that both ends report the failure.
const nowhere = 0

// putLong puts the record of r, a message that the receiver copies from a position.
func (c *Channel) putLong(e *ring.Endpoint, rec ring.Record, r *Request, pos uint64) {
	_ = c.put(e, rec, binary.NativeEndian.AppendUint64(nil, pos)) // the payload can be read
	r.end = e.Pos
	c.work.shift()
	c.work.addSent(r)
}

// put puts a record into the ring, or into the batch for the receiver's agent. If the payload
// cannot be read, it returns an error and puts nothing.
func (c *Channel) put(e *ring.Endpoint, rec ring.Record, payload []byte) error {
	if e.Ring == nil {
		return c.addToBatch(e, rec, payload)
	}
	var want uint32
	err := fabric.Touch(func() { want = e.Put(rec, unsafe.Pointer(unsafe.SliceData(payload)), uint64(len(payload))) })
	if err != nil {
		return err
	}
	switch want {
	case ring.WantAll:
		c.wakeReceiver(e)
	case ring.WantHelp:
		if rec.Kind() != ring.Eager && !polled(e.Ring) {
			c.wakeReceiver(e)
		}
	}
	return nil
}

// helpLimit is how long a sender waits before it wakes a receiver that asks for help. A wake-up takes
// longer, and a receiver that has just posted a receive begins to poll meanwhile.
const helpLimit = time.Microsecond

// polled reports whether the receiver polls the ring, or begins to do so in a short time.
func polled(r *ring.Ring) bool {
	polls := func() bool {
		return atomic.LoadUint32(&r.Polling) != 0 || atomic.LoadUint32(&r.Want) != ring.WantHelp
	}
	wait.Spin(helpLimit, polls)
	return polls()
}

// expose makes the message of r readable by the receiver and returns where it is.
func (c *Channel) expose(r *Request, kind ring.Kind) uint64 {
	addr, n := uintptr(unsafe.Pointer(unsafe.SliceData(r.buf))), uint64(len(r.buf))
	if kind == ring.Direct {
		r.pin.Pin(unsafe.SliceData(r.buf))
		return uint64(addr)
	}
	if pos, ok := c.engine.space.Position(addr, n); ok {
		return pos
	}
	r.pin.Pin(unsafe.SliceData(r.buf))
	key, pos, err := c.engine.space.Lend(addr, n)
	if err != nil {
		return nowhere
	}
	r.key = key
	return pos
}

// confirm finishes the requests that the receiver has served.
func (c *Channel) confirm(e *ring.Endpoint) {
	w, closed := c.work, false
	if e.Ring != nil {
		// In this order: a receiver that has freed its end has taken out all records, and it records a loss
		// before it takes the record out.
		closed = atomic.LoadUint32(&e.Ring.Closed) != 0
		e.Seen = atomic.LoadUint64(&e.Ring.Head)
		w.losses = e.Ring.Losses()
	}
	for r := w.sent; r != nil && r.end <= e.Seen; r = w.sent {
		w.sent = r.next
		r.finish(0, c.lossAt(e, r.end))
	}
	if w.closing != nil && closed {
		c.closeSender(e)
	}
}

// lossAt returns nil if the long message whose record ended at a position has arrived, and otherwise the
// reason why it is lost. The record has been taken out.
func (c *Channel) lossAt(e *ring.Endpoint, end uint64) error {
	w := c.work
	if !w.losses.Has(end) {
		return nil
	}
	if w.losses.End == end && !w.losses.Broken {
		w.losses = ring.Losses{}
		if e.Ring != nil {
			e.Ring.Acknowledge(end)
		} else {
			w.acknowledged = end
		}
	}
	return fmt.Errorf("%w: rank %d could not copy it", ErrUnreadable, c.engine.rankOf(int(e.Peer)))
}

// closeSender frees the sending end: the receiver has freed its own.
func (c *Channel) closeSender(e *ring.Endpoint) {
	w := c.work
	r := w.closing
	w.closing = nil
	var err error
	if w.losses.Any() { // no request is left to report it
		err = fmt.Errorf("%w: rank %d could not copy a message", ErrUnreadable, c.engine.rankOf(int(e.Peer)))
	}
	if to := e.Ring; to != nil {
		e.Ring = nil
		err = errors.Join(err, c.freeRing(int(e.Peer), to))
	}
	c.state.Or(freed)
	r.finish(0, err)
}

// armSender publishes the condition at which the receiver has to wake this end.
func (c *Channel) armSender(e *ring.Endpoint) (again bool) {
	switch {
	case e.Has(ring.Far):
		c.sendGoal(e)
		return false
	case c.work == nil:
	case e.Ring == nil, c.work.closing != nil: // the receiver wakes this end in any case
		c.engine.startServer()
	}
	if e.Ring == nil {
		return false
	}
	goal := c.goal(e)
	if c.work != nil && c.work.spinners > 0 {
		goal = ring.NoGoal
	}
	if goal == atomic.LoadUint64(&e.Ring.Goal) {
		return false
	}
	if goal != ring.NoGoal {
		c.engine.startServer()
	}
	atomic.StoreUint64(&e.Ring.Goal, goal)
	return goal != ring.NoGoal
}

// goal returns the position that the receiver's Head has to reach before this end can continue.
func (c *Channel) goal(e *ring.Endpoint) uint64 {
	w, goal := c.work, ring.NoGoal
	if w == nil || e.PeerHandle == 0 {
		return goal
	}
	if w.sent != nil {
		goal = w.sent.end
	}
	if w.first != nil {
		// At least half of the ring, so that the two sides do not wait for each other at every record. A
		// receiver that receives all messages before this one reaches the goal.
		room := max(c.record(e, w.first).Span(), uint64(e.Size)/2)
		goal = min(goal, e.Pos+room-ring.Capacity(uint64(e.Size)))
	}
	return goal
}

// wakeReceiver makes the process of the receiver serve the channel.
func (c *Channel) wakeReceiver(e *ring.Endpoint) {
	if notifier, ok := c.engine.notifierOf(int(e.Peer)); ok {
		notifier.Notify(ring.Handle(e.PeerHandle).Index())
	}
}
