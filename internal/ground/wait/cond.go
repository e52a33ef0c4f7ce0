package wait

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/goacp/goacp/internal/ground/activity"
)

// Cond is where goroutines of one process wait until operations in flight have completed or
// the run is over. Its lock guards what conditions depend on, unless that is atomic. A goroutine is woken only when its own
// condition holds, so many can wait for different answers.
type Cond struct {
	budget     *Budget
	poll       func() bool
	pollInline func(quiet time.Duration, done func() bool) bool
	flush      func()

	mu     sync.Mutex
	parked []*waiter // in any order
	over   error     // why the run is over
}

// waiter is a goroutine that is parked.
type waiter struct {
	done func() bool
	wake chan struct{} // receives once when the goroutine is taken off the list
}

var waiters = sync.Pool{New: func() any { return &waiter{wake: make(chan struct{}, 1)} }}

// NewCond returns a Cond. poll makes the fabrics progress and reports whether anything came;
// goroutines call it while they spin.
func NewCond(b *Budget, poll func() bool) *Cond {
	c := &Cond{budget: b, poll: poll, flush: func() {}}
	c.PollInlineBy(func(time.Duration, func() bool) bool { return false })
	return c
}

// PollInlineBy makes goroutines that spin call pollInline first. It makes the fabrics progress until done holds or nothing has come
// for as long as quiet, and may return earlier, but not before it has called done. If it can wait for no fabric so, it returns false at once, and the goroutine polls. It is
// called before c is used.
func (c *Cond) PollInlineBy(pollInline func(quiet time.Duration, done func() bool) bool) {
	c.pollInline = pollInline
}

// FlushBy makes goroutines that may not spin call flush before they park. It sends what the fabrics
// hold back, as poll does, but does not yield the processor. It is called before c is used.
func (c *Cond) FlushBy(flush func()) { c.flush = flush }

// Lock locks c.
func (c *Cond) Lock() { c.mu.Lock() }

// Unlock unlocks c.
func (c *Cond) Unlock() { c.mu.Unlock() }

// Broadcast checks the conditions of all goroutines that are parked, and wakes those whose conditions hold. The caller holds the
// lock: then a goroutine that has just checked its condition is parked already.
func (c *Cond) Broadcast() { c.wakeIf(func(w *waiter) bool { return w.done() }) }

// wakeIf wakes the parked goroutines for which ready holds.
func (c *Cond) wakeIf(ready func(w *waiter) bool) {
	c.parked = slices.DeleteFunc(c.parked, func(w *waiter) bool {
		if !ready(w) {
			return false
		}
		w.wake <- struct{}{}
		return true
	})
}

// Poll makes the fabrics progress once.
func (c *Cond) Poll() { c.poll() }

// Wait spins and then parks until done holds, or returns the error of End if the run is over
// first. done is called with and without the lock, so it may read only atomic variables. While
// the goroutine is parked, readers see why it waits.
func (c *Cond) Wait(why activity.Reason, done func() bool) error {
	c.Spin(done)
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.Park(why, done)
}

// WaitContext is Wait that also ends with the error of ctx.
func (c *Cond) WaitContext(ctx context.Context, why activity.Reason, done func() bool) error {
	if ctx.Done() == nil {
		return c.Wait(why, done)
	}
	c.Spin(func() bool { return ctx.Err() != nil || done() })
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ParkContext(ctx, why, done)
}

// ParkContext is Park that also ends with the error of ctx. If done holds when ctx ends, the
// error is nil.
func (c *Cond) ParkContext(ctx context.Context, why activity.Reason, done func() bool) error {
	if ctx.Done() == nil {
		return c.Park(why, done)
	}
	if done() {
		return nil
	}
	defer context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.Broadcast()
	})()
	err := c.Park(why, func() bool { return done() || ctx.Err() != nil })
	if err == nil && !done() {
		return ctx.Err()
	}
	return err
}

// pollsPerCheck is how often Spin polls before it asks for the time.
const pollsPerCheck = 16

// Spin makes the fabrics progress until done holds or the time for spinning is over. If there is no
// such time, it makes them send what they hold back. The caller does not hold the lock.
func (c *Cond) Spin(done func() bool) {
	if !done() {
		c.SpinInline(done)
	}
}

// SpinInline is Spin that polls the fabrics inline, if it may, before it calls done for the first time. So if done
// begins operations then, the kernel wakes no goroutine of the fabrics for the first answers. SpinInline calls
// done at least once.
func (c *Cond) SpinInline(done func() bool) {
	d := c.budget.StartSpin()
	if d == 0 {
		if !done() {
			c.flush()
		}
		return
	}
	defer c.budget.EndSpin()
	if c.pollInline(d, done) {
		return
	}
	for deadline := time.Now().Add(d); !done() && time.Now().Before(deadline); {
		for range pollsPerCheck {
			if c.poll() && done() {
				return
			}
		}
	}
}

// Park parks until done holds, or returns the error of End if the run is over first. The
// caller holds the lock, and done is called with it, also by other goroutines.
func (c *Cond) Park(why activity.Reason, done func() bool) error {
	if done() {
		return nil
	}
	if c.over != nil {
		return c.over
	}
	defer c.budget.Unpark(c.budget.Park(why))
	w := waiters.Get().(*waiter)
	defer func() {
		w.done = nil
		waiters.Put(w)
	}()
	w.done = done
	for {
		c.parked = append(c.parked, w)
		c.mu.Unlock()
		<-w.wake
		c.mu.Lock()
		// Another goroutine may have changed what the condition depends on since then.
		if done() {
			return nil
		}
		if c.over != nil {
			return c.over
		}
	}
}

// End ends all waiting because the run is over. The first error counts.
func (c *Cond) End(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over == nil {
		c.over = err
	}
	c.wakeIf(func(*waiter) bool { return true })
}

// Over returns the error of End, or nil. The caller holds the lock.
func (c *Cond) Over() error { return c.over }
