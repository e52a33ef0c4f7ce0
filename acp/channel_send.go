package acp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/channel"
)

// The sending end of a channel.

// stepSender puts what fits into the ring and finishes what has been taken out.
func (c *Channel) stepSender(e *channel.Endpoint) {
	w := c.work
	if w == nil || e.PeerSlot == 0 {
		return
	}
	if c.confirm(e); c.dead {
		return
	}
	for r := w.first; r != nil && e.Fits(c.record(e, r).Span()); r = w.first {
		c.emit(e, r)
	}
	c.flush(e)
	if e.Ring != nil && w.first != nil && atomic.LoadUint32(&e.Ring.Want) != channel.WantNothing {
		c.callReceiver(e) // nothing goes on before it has made room
	}
}

// record returns the head of the record that r needs.
func (c *Channel) record(e *channel.Endpoint, r *Request) channel.Record {
	n := uint64(len(r.buf))
	switch {
	case r.kind == requestFree:
		return channel.NewRecord(channel.Last, 0)
	case n <= uint64(e.Eager):
		return channel.NewRecord(channel.Eager, n)
	case e.Ring != nil && atomic.LoadUint32(&e.Ring.Direct) != 0:
		return channel.NewRecord(channel.Direct, n)
	}
	return channel.NewRecord(channel.Large, n)
}

// emit puts the record of r, the first of the queue, into the ring.
func (c *Channel) emit(e *channel.Endpoint, r *Request) {
	w, rec := c.work, c.record(e, r)
	switch rec.Kind() {
	case channel.Eager:
		c.put(e, rec, r.buf)
		w.shift()
		r.finish(0, nil)
	case channel.Large, channel.Direct:
		c.put(e, rec, binary.NativeEndian.AppendUint64(nil, c.lend(r, rec.Kind())))
		r.end = e.Pos
		w.shift()
		w.expect(r)
	case channel.Last:
		c.put(e, rec, nil)
		w.shift()
		w.closing = r
	}
}

// put puts a record into the ring or among those that are sent to the receiver's agent.
func (c *Channel) put(e *channel.Endpoint, rec channel.Record, payload []byte) {
	if e.Ring == nil {
		c.batch(e, rec, payload)
		return
	}
	switch e.Put(rec, unsafe.Pointer(unsafe.SliceData(payload)), uint64(len(payload))) {
	case channel.WantAll:
		c.callReceiver(e)
	case channel.WantHelp:
		if rec.Kind() != channel.Eager && atomic.LoadUint32(&e.Ring.Looking) == 0 {
			c.callReceiver(e)
		}
	}
}

// expect adds r, whose message the receiver is to take, to the requests that have been
// sent, in the order of their records.
func (w *work) expect(r *Request) {
	at := &w.sent
	if w.sent != nil && w.lastSent.end <= r.end {
		at = &w.lastSent.next
	}
	for *at != nil && (*at).end <= r.end {
		at = &(*at).next
	}
	if r.next, *at = *at, r; r.next == nil {
		w.lastSent = r
	}
}

// lend makes the message of r readable by the receiver and returns where it is.
func (c *Channel) lend(r *Request, kind channel.Kind) uint64 {
	addr, n := uintptr(unsafe.Pointer(unsafe.SliceData(r.buf))), uint64(len(r.buf))
	if kind == channel.Direct {
		r.pin.Pin(unsafe.SliceData(r.buf))
		return uint64(addr)
	}
	if pos, ok := c.p.space.Position(addr, n); ok {
		return pos
	}
	r.pin.Pin(unsafe.SliceData(r.buf))
	key, pos, err := c.p.space.Lend(addr, n)
	if err != nil {
		// The receiver is given a position where nothing is, so that both ends learn of it.
		return 0
	}
	r.key = key
	return pos
}

// confirm finishes the requests that the receiver has served.
func (c *Channel) confirm(e *channel.Endpoint) {
	w, closed := c.work, false
	if e.Ring != nil {
		// In this order: a receiver that has freed its end has taken everything out, and
		// it notes a loss before it takes the record out.
		closed = atomic.LoadUint32(&e.Ring.Closed) != 0
		e.Seen = atomic.LoadUint64(&e.Ring.Head)
		w.losses = e.Ring.Losses()
	}
	for r := w.sent; r != nil && r.end <= e.Seen; r = w.sent {
		w.sent = r.next
		r.finish(0, c.outcome(e, r.end))
	}
	if w.closing != nil && closed {
		c.closed(e)
	}
}

// outcome returns what has become of the long message whose record ended at a place and
// has been taken out.
func (c *Channel) outcome(e *channel.Endpoint, end uint64) error {
	w := c.work
	if !w.losses.Has(end) {
		return nil
	}
	if w.losses.End == end && !w.losses.Broken {
		w.losses = channel.Losses{}
		if e.Ring != nil {
			e.Ring.Noticed(end)
		} else {
			w.noticed = end
		}
	}
	return fmt.Errorf("%w: rank %d could not copy it", ErrUnreadable, c.p.rankOf(int(e.Peer)))
}

// closed ends the life of the sending end: the receiver has freed its own.
func (c *Channel) closed(e *channel.Endpoint) {
	w := c.work
	r := w.closing
	w.closing = nil
	var err error
	if w.losses.Any() { // no request is left to tell it
		err = fmt.Errorf("%w: rank %d could not copy a message", ErrUnreadable, c.p.rankOf(int(e.Peer)))
	}
	if ring := e.Ring; ring != nil {
		e.Ring = nil
		err = errors.Join(err, c.freeRing(int(e.Peer), ring))
	}
	c.dead = true
	r.finish(0, err)
}

// settleSender tells the receiver when to call.
func (c *Channel) settleSender(e *channel.Endpoint) (again bool) {
	switch {
	case e.Has(channel.Far):
		c.tellGoal(e)
		return false
	case c.work == nil:
	case e.Ring == nil, c.work.closing != nil: // the receiver calls unasked
		c.p.channels.answerCalls()
	}
	if e.Ring == nil {
		return false
	}
	goal := c.goal(e)
	if c.work != nil && c.work.spinners > 0 {
		goal = channel.NoGoal
	}
	if goal == atomic.LoadUint64(&e.Ring.Goal) {
		return false
	}
	if goal != channel.NoGoal {
		c.p.channels.answerCalls()
	}
	atomic.StoreUint64(&e.Ring.Goal, goal)
	return goal != channel.NoGoal
}

// goal returns what the receiver's Head has to reach before anything can go on here.
func (c *Channel) goal(e *channel.Endpoint) uint64 {
	w, goal := c.work, channel.NoGoal
	if w == nil || e.PeerSlot == 0 {
		return goal
	}
	if w.sent != nil {
		goal = w.sent.end
	}
	if w.first != nil {
		// Half of the ring at least, so that the two sides do not meet for every record.
		// A receiver that asks for all messages before this one gets there.
		room := max(c.record(e, w.first).Span(), uint64(e.Size)/2)
		goal = min(goal, e.Pos+room-channel.Capacity(uint64(e.Size)))
	}
	return goal
}

// callReceiver makes the process of the receiver look at the channel.
func (c *Channel) callReceiver(e *channel.Endpoint) {
	if bell, ok := c.p.doorbell(int(e.Peer)); ok {
		bell.Ring(channel.Name(e.PeerSlot).Index())
	}
}
