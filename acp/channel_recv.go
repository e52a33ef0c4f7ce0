package acp

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/channel"
	"github.com/goacp/goacp/internal/fabric"
	"golang.org/x/sys/unix"
)

// The receiving end of a channel.

// stepReceiver takes messages out of the ring as long as somebody has asked for them.
func (c *Channel) stepReceiver(e *channel.Endpoint) {
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
		if !e.Sound(rec) {
			w.err = fmt.Errorf("%w: record %#x of rank %d in a ring of %d bytes", ErrProtocol, uint64(rec), c.p.rankOf(int(e.Peer)), e.Size)
			c.finishAll(w.err)
			return
		}
		if rec.Kind() == channel.Last {
			if r := w.first; r.kind == requestRecv { // the record waits for the freeing
				w.shift()
				r.finish(0, ErrChannelFreed)
				continue
			}
			c.release(e)
			return
		}
		reached = c.receive(e, rec) || reached
	}
	if reached {
		c.callSender(e)
	}
}

// receive serves the first request with the first record and reports whether the sender
// is to be called.
func (c *Channel) receive(e *channel.Endpoint, rec channel.Record) (reached bool) {
	r := c.work.first
	if r.kind == requestFree { // nobody asks for this message any more
		return e.Remove(rec)
	}
	n := min(rec.Size(), uint64(len(r.buf)))
	var err error
	switch {
	case n == 0:
	case rec.Kind() == channel.Eager:
		e.Payload(unsafe.Pointer(unsafe.SliceData(r.buf)), n)
	default:
		var done bool
		if done, err = c.fetch(e, r, rec, n); !done {
			c.work.fetching = true
			return false
		}
	}
	return c.received(e, r, rec, n, err)
}

// received finishes r, the first request, whose message is there or cannot be had.
func (c *Channel) received(e *channel.Endpoint, r *Request, rec channel.Record, n uint64, err error) (reached bool) {
	c.work.shift()
	if err != nil {
		n, err = 0, cause(err)
		if !errors.Is(err, errOwnMemory) {
			e.Ring.Lose(e.Pos + rec.Span())
			err = fmt.Errorf("%w, which rank %d sent: %w", ErrUnreadable, c.p.rankOf(int(e.Peer)), err)
		}
	}
	reached = e.Remove(rec)
	r.finish(int(n), err)
	return reached
}

// fetch copies the first n bytes of a message from where it lies to its destination. It
// returns false if that is still going on.
func (c *Channel) fetch(e *channel.Endpoint, r *Request, rec channel.Record, n uint64) (done bool, err error) {
	var pos uint64
	e.Payload(unsafe.Pointer(&pos), 8)
	peer, dst := int(e.Peer), unsafe.Pointer(unsafe.SliceData(r.buf))
	if rec.Kind() == channel.Direct {
		return true, c.p.fetchDirect(peer, dst, pos, n)
	}
	defer c.p.space.Leave(c.p.space.Enter())
	from, err := c.p.net.Locate(peer, pos, n)
	if err != nil {
		return true, err
	}
	if from.Addr != nil {
		fabric.Move(dst, from.Addr, n)
		return true, nil
	}
	if from.Immediate() {
		if err := c.p.net.Get(from, dst, n); !errors.Is(err, fabric.ErrNoPath) {
			return true, err
		}
	}
	r.pin.Pin(dst)
	c.p.channels.calls.Add(1)
	c.p.net.Agents().Get(peer, pos, dst, n, &fetched{c: c, r: r, rec: rec, n: n})
	return false, nil
}

// fetchDirect copies n bytes from an address in the process of a member, for which source
// has returned one, to dst.
func (p *Process) fetchDirect(member int, dst unsafe.Pointer, addr, n uint64) error {
	v, err := p.net.View(member)
	if err != nil {
		return err
	}
	err = v.Load(dst, addr, n)
	if errors.Is(err, unix.EFAULT) && v.Readable(addr, n) {
		err = fmt.Errorf("%w: %d bytes at %p", errOwnMemory, n, dst)
	}
	return err
}

// errOwnMemory says that a message could not be stored in the memory of the receive.
var errOwnMemory = fmt.Errorf("the memory of the receive cannot be written: %w", unix.EFAULT)

// isSource reports whether this process reads the memory of a member at addresses, and
// tells C how.
func (s *channels) isSource(member int) bool {
	v, err := s.p.net.View(member)
	if err != nil || !v.Direct() || v.Owner().FD() < 0 {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open() != nil {
		return false
	}
	s.table.SetSource(member, channel.Source{PID: uint32(v.Owner().ID()), FD: int32(v.Owner().FD())})
	return true
}

// fetched ends a fetch that took a while.
type fetched struct {
	c   *Channel
	r   *Request
	rec channel.Record
	n   uint64
}

// Complete implements fabric.Completion.
func (f *fetched) Complete(_ uint64, err error) {
	defer f.c.p.channels.calls.Done()
	if errors.Is(err, fabric.ErrGone) {
		err = fmt.Errorf("%w: %d bytes at %p", errOwnMemory, f.n, unsafe.SliceData(f.r.buf))
	}
	if err != nil {
		go f.end(err) // the caller may hold the lock of the channel
		return
	}
	f.end(nil)
}

func (f *fetched) end(err error) {
	c := f.c
	if !c.lock() {
		return
	}
	defer c.unlock()
	c.work.fetching = false
	if f.r.Done() { // the channel has failed meanwhile
		return
	}
	if e := c.end(); c.received(e, f.r, f.rec, f.n, err) {
		c.callSender(e)
	}
}

// release ends the life of the receiving end. The sender has freed its own, and the
// first request asks for that here.
func (c *Channel) release(e *channel.Endpoint) {
	r, ring := c.work.first, e.Ring
	c.work.shift()
	e.Ring = nil
	c.dead = true
	c.work.losses = ring.Losses()
	var err error
	if e.Has(channel.Far) {
		c.credit(e, channel.Name(ring.SendSlot), ring, true)
		err = c.freeRing(c.p.self, ring)
	} else {
		// The sender gives the memory back: it is the last to look at it.
		slot := channel.Name(atomic.LoadUint32(&ring.SendSlot))
		atomic.StoreUint32(&ring.Closed, 1)
		c.ringSender(e, slot)
	}
	r.finish(0, err)
}

// settleReceiver tells the sender when to call.
func (c *Channel) settleReceiver(e *channel.Endpoint) (again bool) {
	want, w := channel.WantNothing, c.work
	switch {
	case e.Ring == nil || e.Has(channel.Far):
		return false // the agent serves what it receives
	case w == nil || w.first == nil || w.spinners > 0:
	case w.sleepers > 0:
		want = channel.WantAll
	default:
		want = channel.WantHelp
	}
	if want == atomic.LoadUint32(&e.Ring.Want) {
		return false
	}
	if want != channel.WantNothing {
		c.p.channels.answerCalls()
	}
	atomic.StoreUint32(&e.Ring.Want, want)
	return want != channel.WantNothing
}

// callSender makes the process of the sender look at the channel.
func (c *Channel) callSender(e *channel.Endpoint) {
	ring := e.Ring
	if ring == nil {
		return
	}
	sender := channel.Name(atomic.LoadUint32(&ring.SendSlot))
	if e.Has(channel.Far) {
		c.credit(e, sender, ring, false)
		return
	}
	c.ringSender(e, sender)
}

// ringSender rings the bell of the sender, which is not far.
func (c *Channel) ringSender(e *channel.Endpoint, sender channel.Name) {
	if bell, ok := c.p.doorbell(int(e.Peer)); ok {
		bell.Ring(sender.Index())
	}
}
