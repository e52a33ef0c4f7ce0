package acp

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/goacp/goacp/internal/channel"
	"github.com/goacp/goacp/internal/fabric/segment"
	"github.com/goacp/goacp/internal/futex"
	"github.com/goacp/goacp/internal/wait"
)

// Request is a send, a receive or the freeing of an end of a channel, on its way or
// finished. Its methods may be called by several goroutines at once.
type Request struct {
	c    *Channel // nil if it was finished at once
	kind requestKind
	size int         // bytes of the message or of the room for it
	done atomic.Bool // n and err are there

	// Guarded by the lock of c until it is done.
	buf  []byte
	next *Request
	end  uint64 // of a large message: the place in the ring behind the record
	key  segment.Key
	pin  runtime.Pinner
	wake chan struct{} // closed when done; nil if nobody sleeps
	name uint64        // for bindings; 0 if it has none

	n   int
	err error
}

// requestKind tells requests apart.
type requestKind uint8

const (
	requestSend requestKind = iota
	requestRecv
	requestFree
)

// String returns the name of the operation.
func (k requestKind) String() string {
	return [...]string{"send", "receive", "free of a channel"}[k]
}

// Done reports whether the request is finished. It makes nothing progress. Does not
// block.
func (r *Request) Done() bool { return r.done.Load() }

// Wait waits until the request is finished and returns the bytes that a receive has
// stored, 0 for others. Once finished, it returns the same again.
//
// Fails with ErrChannelFreed if the sender has freed its end and no message is left,
// with the reason why a message could not be fetched, and with ErrPeerDead when the run
// is over. Blocks. Spec 4.2.7.
func (r *Request) Wait() (int, error) { return r.WaitContext(context.Background()) }

// WaitContext is Wait that also ends when ctx does, with the error of ctx. The request
// then goes on and may be waited for again. Blocks. Spec 4.2.7.
func (r *Request) WaitContext(ctx context.Context) (int, error) {
	if !r.Done() {
		r.look()
	}
	if !r.Done() {
		if err := r.sleep(ctx); err != nil {
			return 0, r.failed(err)
		}
	}
	if r.err != nil {
		return 0, r.failed(r.err)
	}
	return r.n, nil
}

// failed is the error of the operation that r is.
func (r *Request) failed(err error) error {
	p := r.c.p
	return p.fail(&OpError{Op: r.kind.String(), Rank: p.Rank(), Size: uint64(r.size), Err: err})
}

// WaitAll waits for all requests and returns the errors of those that failed, joined.
// What each returned its Wait tells again. Blocks until the last is finished or ctx
// ends.
func WaitAll(ctx context.Context, requests ...*Request) error {
	var errs []error
	for _, r := range requests {
		if _, err := r.WaitContext(ctx); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// yields is how often a waiter that may not spin lets other threads run before it
// sleeps.
const yields = 8

// longSpin bounds the looking for a long message.
//
//goacp:c GOACP_
const longSpin = time.Millisecond

// look looks for the end of the request for a short time.
func (r *Request) look() {
	c, spin := r.c, r.c.p.budget.Spin()
	if !c.lock() {
		return
	}
	c.need().spinners++
	c.unlock()
	wait.Spin(r.patience(spin), func() bool {
		c.glance()
		return r.Done()
	})
	for i := 0; spin == 0 && i < yields && !r.Done(); i++ {
		futex.Yield()
		c.glance()
	}
	if c.lock() {
		c.work.spinners--
		c.unlock()
	}
}

// bytesPerSpin is the speed at which messages are copied, at least, in bytes per
// nanosecond: waiters look for as long as that takes.
//
//goacp:c GOACP_
const bytesPerSpin = 4

// patience returns how long to look for the end of the request.
func (r *Request) patience(spin time.Duration) time.Duration {
	if spin == 0 || r.kind == requestFree {
		return spin
	}
	return spin + min(time.Duration(r.size/bytesPerSpin), longSpin)
}

// sleep waits for the end of the request. The error says why that was in vain.
func (r *Request) sleep(ctx context.Context) error {
	c := r.c
	if !c.lock() {
		return r.outcome()
	}
	c.need().sleepers++
	if r.wake == nil && !r.Done() {
		r.wake = make(chan struct{})
	}
	wake := r.wake
	c.unlock()
	c.p.channels.drain()
	var err error
	if !r.Done() {
		c.p.budget.Park()
		select {
		case <-wake:
		case <-ctx.Done():
			err = ctx.Err()
		case <-c.p.running.Done():
		}
		c.p.budget.Unpark()
	}
	if c.lock() {
		c.work.sleepers--
		c.unlock()
	}
	if err == nil {
		err = r.outcome()
	}
	if r.Done() {
		return nil
	}
	return err
}

// outcome returns nil if the request is finished and otherwise why it never will be.
func (r *Request) outcome() error {
	if r.Done() {
		return nil
	}
	if err := r.c.p.alive(); err != nil {
		return err
	}
	return ErrChannelFreed
}

// glance serves the channel if anything has changed at its other end.
func (c *Channel) glance() {
	e := c.end()
	switch ring := e.Rings(); {
	case e.Has(channel.Far):
		c.p.net.Agents().PollPeer(int(atomic.LoadUint32(&e.Peer)))
		return
	case ring == nil: // the ring may be announced in either way
		c.p.net.Agents().PollPeer(int(atomic.LoadUint32(&e.Peer)))
		if !c.p.channels.drain() {
			return
		}
	case !e.Changed(ring):
		return
	}
	if c.lock() {
		c.unlock()
	}
}

// finish ends the request. The caller holds the lock of its channel.
func (r *Request) finish(n int, err error) {
	r.pin.Unpin()
	if r.key != 0 {
		_, _ = r.c.p.space.Unregister(r.key) // it is there until now
	}
	r.buf, r.next, r.n, r.err = nil, nil, n, err
	r.done.Store(true)
	if r.wake != nil {
		close(r.wake)
	}
}
