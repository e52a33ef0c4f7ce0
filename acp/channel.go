package acp

import (
	"context"
	"fmt"
	"sync"
	"unsafe"

	"github.com/goacp/goacp/internal/channel"
)

// DefaultChannelSize is the bytes that the buffer of a channel takes in the heap of its
// receiver unless something else is asked for.
const DefaultChannelSize = 4096

// ChannelOptions are properties of one end of a channel. The zero value stands for the
// defaults.
type ChannelOptions struct {
	// BufferSize is the bytes of the buffer, which lies in the heap of the receiver and
	// whose size is the receiver's alone to choose. Somewhat more than a hundred of them
	// are for administration; messages that take more than half of the rest, or more
	// than 32 KiB, are copied straight from the sender's memory to the receiver's. It is
	// rounded to 16 and brought into the range from 256 B to 1 GiB. 0: the
	// configuration's.
	BufferSize uint64
}

// Channel is one end of a one-way channel between two ranks. Messages arrive whole and
// in order. Its methods may be called by several goroutines at once.
type Channel struct {
	p    *Process
	mu   sync.Mutex // guards work and dead; taken before the lock of the endpoint
	work *work      // nil while nothing is outstanding
	name channel.Name
	dead bool // the endpoint is not this channel's any more
}

// work is what is outstanding at one end of a channel.
type work struct {
	first, last *Request // queued, in order
	sent        *Request // long messages whose place has been told, in order
	lastSent    *Request
	closing     *Request       // the request to free, when the receiver has been told
	fetching    bool           // the receiver waits for a message from another host
	spinners    int            // waiters that look
	sleepers    int            // waiters that sleep
	calls       int            // calls to the other end's agent under way
	batch       []byte         // records for that agent
	told        uint64         // goal that it was told
	losses      channel.Losses // what the sender knows of them
	noticed     uint64         // a loss of which the receiver is to be told that it is known
	err         error          // why the channel is of no further use
}

// OpenSender makes the sending end of a channel to rank to. See NewChannel. Any rank.
// Does not block. Spec 4.2.2.
func (p *Process) OpenSender(to Rank) (*Channel, error) {
	return p.NewChannel(p.Rank(), to, ChannelOptions{})
}

// OpenReceiver makes the receiving end of a channel from rank from. See NewChannel. Any
// rank. Does not block. Spec 4.2.2.
func (p *Process) OpenReceiver(from Rank, opt ChannelOptions) (*Channel, error) {
	return p.NewChannel(from, p.Rank(), opt)
}

// NewChannel makes the calling rank's end of a channel from sender to receiver. The
// other one makes its own; the n-th end on one side belongs to the n-th on the other, of
// those with the same sender and receiver. It does not wait for the other side; sends
// and receives are possible at once.
//
// Fails with ErrBadRank, also if both are the same rank; with ErrNotEndpoint if the
// caller is neither; with ErrHeapFull; and with ErrPeerDead when the run is over. Any
// rank. Does not block. Spec 4.2.2.
func (p *Process) NewChannel(sender, receiver Rank, opt ChannelOptions) (*Channel, error) {
	c, err := p.newChannel(sender, receiver, opt)
	if err != nil {
		return nil, p.lifeError(fmt.Sprintf("channel from rank %d to rank %d", sender, receiver), err)
	}
	return c, nil
}

func (p *Process) newChannel(sender, receiver Rank, opt ChannelOptions) (*Channel, error) {
	if err := p.alive(); err != nil {
		return nil, err
	}
	for _, r := range []Rank{sender, receiver} {
		if r < 0 || int(r) >= p.procs {
			return nil, fmt.Errorf("%w: %d", ErrBadRank, r)
		}
	}
	if sender == receiver {
		return nil, fmt.Errorf("%w: a channel from a rank to itself", ErrBadRank)
	}
	switch p.Rank() {
	case sender:
		return p.channels.newSender(p.member(receiver))
	case receiver:
		size := opt.BufferSize
		if size == 0 {
			size = p.cfg.ChannelSize
		}
		return p.channels.newReceiver(p.member(sender), size)
	}
	return nil, ErrNotEndpoint
}

// Send queues one message. It does not wait; data must not change until the request is
// finished, which may have to wait for the receiver to ask for the message. An empty
// message is a message.
//
// Fails with ErrNotEndpoint at the receiving end, with ErrChannelFreed after NbFree, and
// with ErrPeerDead when the run is over. Spec 4.2.5.
func (c *Channel) Send(data []byte) (*Request, error) {
	e := c.end()
	if uint64(len(data)) <= uint64(e.Eager) && e.TryTake() {
		if e.Usable(c.name, channel.Sender|channel.Quick) && e.Fits(channel.EagerSpan(uint64(len(data)))) {
			n := uint64(len(data))
			want := e.Put(channel.NewRecord(channel.Eager, n), unsafe.Pointer(unsafe.SliceData(data)), n)
			e.Drop()
			if want == channel.WantAll {
				c.wakeOther()
			}
			return c.p.channels.sent, nil
		}
		e.Drop()
	}
	return c.enqueue(&Request{c: c, kind: requestSend, buf: data, size: len(data)})
}

// Recv queues a receive of one message into buf. A longer message is cut, and the rest
// of it is lost. It does not wait; buf belongs to the library until the request is
// finished. Requests of one end are served in the order in which they were made.
//
// Fails with ErrNotEndpoint at the sending end, with ErrChannelFreed after NbFree, and
// with ErrPeerDead when the run is over. Spec 4.2.6.
func (c *Channel) Recv(buf []byte) (*Request, error) {
	return c.enqueue(&Request{c: c, kind: requestRecv, buf: buf, size: len(buf)})
}

// NbFree begins to free this end: no further requests are taken, those made before are
// served, and then the request finishes as soon as the other side has asked for it, too.
// Messages that a receiver has not asked for are thrown away.
//
// Fails with ErrChannelFreed if that was begun before, and with ErrPeerDead when the run
// is over. Does not block. Spec 4.2.4.
func (c *Channel) NbFree() (*Request, error) {
	return c.enqueue(&Request{c: c, kind: requestFree})
}

// Free is NbFree and the waiting for it. Blocks until the other side has asked for it,
// too. Spec 4.2.3.
func (c *Channel) Free() error { return c.FreeContext(context.Background()) }

// FreeContext is Free that waits no longer than ctx allows. The freeing goes on without
// it. Blocks. Spec 4.2.3.
func (c *Channel) FreeContext(ctx context.Context) error {
	r, err := c.NbFree()
	if err == nil {
		_, err = r.WaitContext(ctx)
	}
	return err
}

// enqueue takes a request and serves it as far as that is possible now.
func (c *Channel) enqueue(r *Request) (*Request, error) {
	err := c.p.alive()
	if err == nil {
		err = c.accept(r)
	}
	if err != nil {
		return nil, r.failed(err)
	}
	if !r.Done() {
		c.p.channels.drain() // it may be the connection that is missing
	}
	return r, nil
}

func (c *Channel) accept(r *Request) error {
	if !c.lock() {
		return ErrChannelFreed
	}
	defer c.unlock()
	e := c.end()
	switch {
	case e.Has(channel.Freeing):
		return ErrChannelFreed
	case r.kind == requestSend && !e.Has(channel.Sender), r.kind == requestRecv && e.Has(channel.Sender):
		return ErrNotEndpoint
	case c.work != nil && c.work.err != nil:
		return c.work.err
	}
	if r.kind == requestFree {
		e.Set(channel.Freeing, true)
	}
	c.adopt()
	c.need().queue(r)
	return nil
}

// end returns the endpoint. It is this channel's while it is not dead.
func (c *Channel) end() *channel.Endpoint { return c.p.channels.table.At(c.name.Index()) }

// lock begins a change. It returns false if there is nothing to change any more.
func (c *Channel) lock() bool {
	c.mu.Lock()
	if c.dead {
		c.mu.Unlock()
		return false
	}
	c.end().Take()
	return true
}

// unlock ends a change: it does what has become possible and states what this side now
// waits for.
func (c *Channel) unlock() {
	c.step()
	for !c.dead && c.settle() {
		c.step()
	}
	if c.work != nil && c.work.idle() {
		c.work = nil
	}
	e, dead := c.end(), c.dead
	e.Set(channel.Quick, !dead && c.quick(e))
	e.Drop()
	if dead {
		c.p.channels.forget(c)
	}
	c.mu.Unlock()
}

// quick reports whether the hot path may be taken.
func (c *Channel) quick(e *channel.Endpoint) bool {
	return c.work == nil && e.Ring != nil && !e.Has(channel.Freeing)
}

// step serves the requests as far as that is possible now.
func (c *Channel) step() {
	switch e := c.end(); {
	case c.dead:
	case c.work != nil && c.work.err != nil:
		c.finishAll(c.work.err)
	case e.Has(channel.Sender):
		c.stepSender(e)
	default:
		c.stepReceiver(e)
	}
}

// settle states what this side waits for. It returns true if the other side may have
// done it before it could know.
func (c *Channel) settle() (again bool) {
	if e := c.end(); e.Has(channel.Sender) {
		return c.settleSender(e)
	} else {
		return c.settleReceiver(e)
	}
}

// need returns the work, which there is from now on.
func (c *Channel) need() *work {
	if c.work == nil {
		c.work = new(work)
	}
	return c.work
}

// idle reports whether nothing is outstanding.
func (w *work) idle() bool {
	return w.first == nil && w.sent == nil && w.closing == nil && !w.fetching && w.err == nil &&
		w.spinners == 0 && w.sleepers == 0 && w.calls == 0 && w.noticed == 0
}

func (w *work) queue(r *Request) {
	if w.first == nil {
		w.first = r
	} else {
		w.last.next = r
	}
	w.last = r
}

// shift takes the first request off the queue.
func (w *work) shift() {
	r := w.first
	w.first, r.next = r.next, nil
}

// fail makes the channel useless.
func (c *Channel) fail(err error) {
	if c.lock() {
		c.need().err = cause(err)
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
