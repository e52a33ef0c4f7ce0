package wait

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

// Each of many goroutines learns of its own completion, and nothing else ends its wait.
func TestCondWakesAll(t *testing.T) {
	for _, spin := range []bool{false, true} {
		var b Budget
		if spin {
			b.Permit()
		}
		c := NewCond(&b, func() bool { return true })
		var all sync.WaitGroup
		for range 100 {
			var done atomic.Bool
			all.Go(func() {
				if err := c.Wait(done.Load); err != nil || !done.Load() {
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

// The end of the run ends every wait, but not one whose condition holds.
func TestCondEnds(t *testing.T) {
	var b Budget
	c := NewCond(&b, func() bool { return false })
	over := errors.New("over")
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if err := c.Wait(func() bool { return false }); err != over {
				t.Errorf("got %v, expected %v", err, over)
			}
		})
	}
	c.End(over)
	c.End(errors.New("later"))
	all.Wait()
	if err := c.Wait(func() bool { return true }); err != nil {
		t.Errorf("a condition that holds: %v", err)
	}
	if err := c.Wait(func() bool { return false }); err != over {
		t.Errorf("got %v, expected the first error", err)
	}
}
