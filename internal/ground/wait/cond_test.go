package wait

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/ground/activity"
)

// Each of many goroutines learns of its own completion, and nothing else ends its wait.
func TestCondWakesAll(t *testing.T) {
	for _, spin := range []bool{false, true} {
		var b Budget
		if spin {
			b.Permit(1)
		}
		c := NewCond(&b, func() bool { return true })
		var all sync.WaitGroup
		for range 100 {
			var done atomic.Bool
			all.Go(func() {
				if err := c.Wait(activity.Reason{}, done.Load); err != nil || !done.Load() {
					t.Errorf("waited in vain: %v", err)
				}
			})
			all.Go(func() {
				c.Lock()
				defer c.Unlock()
				done.Store(true)
				c.Broadcast()
			})
		}
		all.Wait()
	}
}

// A broadcast wakes the goroutines whose conditions hold, and leaves the others parked.
func TestCondWakesNoOthers(t *testing.T) {
	c := NewCond(new(Budget), func() bool { return false })
	parked := func() int {
		c.Lock()
		defer c.Unlock()
		return len(c.parked)
	}
	const n = 100
	done := make([]atomic.Bool, n)
	var all sync.WaitGroup
	for i := range done {
		all.Go(func() {
			if err := c.Wait(activity.Reason{}, done[i].Load); err != nil {
				t.Error(err)
			}
		})
	}
	for parked() < n {
		runtime.Gosched()
	}
	for i, k := range rand.Perm(n) {
		c.Lock()
		done[k].Store(true)
		c.Broadcast()
		if len(c.parked) != n-1-i {
			t.Errorf("%d goroutines are parked after %d conditions have come to hold, of %d", len(c.parked), i+1, n)
		}
		c.Unlock()
	}
	all.Wait()
}

// A goroutine whose condition does not hold any more when it runs waits on: another one has taken what it needs.
func TestCondChecksAgain(t *testing.T) {
	c := NewCond(new(Budget), func() bool { return false })
	const n = 20
	free, taken := 0, 0
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			c.Lock()
			defer c.Unlock()
			if err := c.Park(activity.Reason{}, func() bool { return free > 0 }); err != nil || free == 0 {
				t.Errorf("parked until something is free: %d, %v", free, err)
			}
			free--
			taken++
		})
	}
	for taken := func() int { c.Lock(); defer c.Unlock(); return taken }; taken() < n; runtime.Gosched() {
		c.Lock()
		if free == 0 {
			free++
			c.Broadcast() // wakes all that are parked
		}
		c.Unlock()
	}
	all.Wait()
}

// BenchmarkCond: each of some goroutines waits for an answer of its own, and the answers come one by one, in the order of the
// questions.
func BenchmarkCond(b *testing.B) {
	for _, n := range []int{1, 16, 128} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			c := NewCond(new(Budget), func() bool { return false })
			asked := make(chan *atomic.Bool, n)
			var all sync.WaitGroup
			for range n {
				all.Go(func() {
					for range b.N / n {
						var done atomic.Bool
						asked <- &done
						_ = c.Wait(activity.Reason{}, done.Load)
					}
				})
			}
			var open []*atomic.Bool
			for left := b.N / n * n; left > 0; left-- {
				for len(open) < min(n, left) {
					open = append(open, <-asked)
				}
				c.Lock()
				open[0].Store(true)
				c.Broadcast()
				c.Unlock()
				open = open[1:]
			}
			all.Wait()
		})
	}
}

// The end of the run ends every wait, but not one whose condition holds.
func TestCondEnds(t *testing.T) {
	var b Budget
	c := NewCond(&b, func() bool { return false })
	over := errors.New("over")
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if err := c.Wait(activity.Reason{}, func() bool { return false }); err != over {
				t.Errorf("got %v, expected %v", err, over)
			}
		})
	}
	c.End(over)
	c.End(errors.New("later"))
	all.Wait()
	if err := c.Wait(activity.Reason{}, func() bool { return true }); err != nil {
		t.Errorf("a condition that holds: %v", err)
	}
	if err := c.Wait(activity.Reason{}, func() bool { return false }); err != over {
		t.Errorf("got %v, expected the first error", err)
	}
}

// A wait with a context ends with what comes first: its condition, the context, or the run.
func TestCondEndsWithContext(t *testing.T) {
	for _, spin := range []bool{false, true} {
		var b Budget
		if spin {
			b.Permit(1)
		}
		c := NewCond(&b, func() bool { return false })
		ctx, cancel := context.WithCancel(context.Background())
		var done atomic.Bool
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if err := c.WaitContext(ctx, activity.Reason{}, func() bool { return false }); err != context.Canceled {
					t.Errorf("got %v, expected the error of the context", err)
				}
			})
		}
		cancel()
		all.Wait()
		ctx, cancel = context.WithCancel(context.Background())
		defer cancel()
		for range 20 {
			all.Go(func() {
				if err := c.WaitContext(ctx, activity.Reason{}, done.Load); err != nil {
					t.Errorf("waited in vain: %v", err)
				}
			})
		}
		c.Lock()
		done.Store(true)
		c.Broadcast()
		c.Unlock()
		all.Wait()
		over := errors.New("over")
		all.Go(func() {
			if err := c.WaitContext(ctx, activity.Reason{}, func() bool { return false }); err != over {
				t.Errorf("got %v, expected the end of the run", err)
			}
		})
		c.End(over)
		all.Wait()
	}
}

// A context that has ended does not hide that a condition holds.
func TestCondPrefersCondition(t *testing.T) {
	var b Budget
	c := NewCond(&b, func() bool { return false })
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := c.WaitContext(ctx, activity.Reason{}, func() bool { return true }); err != nil {
		t.Errorf("a condition that holds: %v", err)
	}
}

// A goroutine that spins polls inline if it can, and polls otherwise.
func TestCondPollsInline(t *testing.T) {
	for _, can := range []bool{true, false} {
		var b Budget
		b.Permit(1)
		var inline, polled int
		ready := func() bool { return inline+polled > 0 }
		c := NewCond(&b, func() bool { polled++; return true })
		c.PollInlineBy(func(quiet time.Duration, done func() bool) bool {
			if quiet != SpinTime || done() {
				t.Errorf("polls inline for %v, done is %v", quiet, done())
			}
			if can {
				inline++
			}
			return can
		})
		c.Spin(ready)
		if can && inline != 1 || can == (polled > 0) {
			t.Errorf("can poll inline: %v. It polled inline %d times and polled %d times", can, inline, polled)
		}
	}
}

// SpinInline calls its condition for the first time when the fabrics are polled inline, and at least once whether it may
// spin or not.
func TestCondSpinInline(t *testing.T) {
	for _, c := range []struct{ spins, inline, holds bool }{
		{true, true, true}, {true, true, false}, {true, false, true}, {true, false, false}, {false, false, true}, {false, false, false},
	} {
		var b Budget
		if c.spins {
			b.Permit(1)
		}
		called, inline, flushed := 0, false, false
		cond := NewCond(&b, func() bool { return false })
		cond.FlushBy(func() { flushed = true })
		cond.PollInlineBy(func(_ time.Duration, done func() bool) bool {
			if called > 0 {
				t.Errorf("%+v: called before the fabrics are polled inline", c)
			}
			inline = c.inline
			return c.inline && (done() || true)
		})
		cond.SpinInline(func() bool {
			called++
			if inline != c.inline {
				t.Errorf("%+v: called while inline is %v", c, inline)
			}
			return c.holds
		})
		if called == 0 || c.holds && called > 1 {
			t.Errorf("%+v: called %d times", c, called)
		}
		if flushed != (!c.spins && !c.holds) {
			t.Errorf("%+v: flushed is %v", c, flushed)
		}
	}
}
