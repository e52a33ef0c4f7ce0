package channel

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/futex"
	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/memory/ring"
)

// yields is how often a waiter that may not spin lets other threads run before it parks.
const yields = 8

// spin polls for the end of the request for a short time, or until ctx has ended.
func (r *Request) spin(ctx context.Context) {
	c, budget := r.c, r.c.engine.budget.Spin()
	if !c.lock() {
		return
	}
	c.ensureWork().spinners++
	c.unlock()
	if e := c.end(); e.Has(ring.Far) {
		c.engine.router.Agents().PollInline(int(atomic.LoadUint32(&e.Peer)), r.spinTime(budget), func() bool { return r.Done() || ctx.Err() != nil })
	} else {
		wait.Spin(r.spinTime(budget), func() bool {
			c.poll()
			return r.Done()
		})
	}
	for i := 0; budget == 0 && i < yields && !r.Done(); i++ {
		futex.Yield()
		c.poll()
	}
	if c.lock() {
		c.work.spinners--
		c.unlock()
	}
}

// spinTime returns how long to spin for the end of the request.
func (r *Request) spinTime(budget time.Duration) time.Duration {
	if budget == 0 || r.kind == Free {
		return budget
	}
	return wait.SpinFor(budget, uint64(r.size))
}

// park sleeps until the request is finished. The error is the reason why it never will be, or why the caller
// waits no longer.
func (r *Request) park(ctx context.Context) error {
	c, h := r.c, r.c.engine
	if !c.lock() {
		return r.outcome()
	}
	c.ensureWork().sleepers++
	if r.wake == nil && !r.Done() {
		r.wake = make(chan struct{})
	}
	wake := r.wake
	c.unlock()
	h.takeAnnouncements()
	var err error
	if !r.Done() {
		w := h.budget.Park(r.reason())
		select {
		case <-wake:
		case <-ctx.Done():
			err = ctx.Err()
		case <-h.over:
		}
		h.budget.Unpark(w)
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

// reason returns the reason of a wait for the request.
func (r *Request) reason() activity.Reason {
	kind := [...]activity.Kind{Send: activity.Send, Receive: activity.Receive, Free: activity.Release}[r.kind]
	return activity.On(kind, int(atomic.LoadUint32(&r.c.end().Peer)))
}

// poll serves the channel if its other end has changed anything.
func (c *Channel) poll() {
	e := c.end()
	switch r := e.LoadRing(); {
	case e.Has(ring.Far):
		c.engine.router.Agents().PollPeer(int(atomic.LoadUint32(&e.Peer)))
		return
	case r == nil: // the announcement may come in either way
		c.engine.router.Agents().PollPeer(int(atomic.LoadUint32(&e.Peer)))
		if !c.engine.takeAnnouncements() {
			return
		}
	case !e.Changed(r):
		return
	}
	if c.lock() {
		c.unlock()
	}
}
