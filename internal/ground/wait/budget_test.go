package wait

import (
	"testing"

	"github.com/goacp/goacp/internal/ground/activity"
)

// The agent may poll only while a thread is parked, and if there are processors for that.
func TestPollBudget(t *testing.T) {
	var b Budget
	c := NewCond(&b, func() bool { return false })
	// parked returns how long the agent may poll while a goroutine is parked.
	parked := func() int64 {
		asleep, done := make(chan struct{}), make(chan struct{})
		over := false // guarded by the lock of c
		go func() {
			defer close(done)
			c.Lock()
			defer c.Unlock()
			first := true
			if err := c.Park(activity.Reason{}, func() bool {
				if first { // the lock is given back when the goroutine is parked
					first = false
					close(asleep)
				}
				return over
			}); err != nil {
				t.Error(err)
			}
		}()
		<-asleep
		c.Lock()
		poll := b.Poll()
		over = true
		c.Broadcast()
		c.Unlock()
		<-done
		return int64(poll)
	}
	if got := parked(); got != 0 {
		t.Errorf("without processors the agent polls for %v ns", got)
	}
	b.Permit()
	if got := b.Poll(); got != 0 {
		t.Errorf("while no thread is parked the agent polls for %v", got)
	}
	if got := parked(); got != int64(SpinTime) {
		t.Errorf("while a thread is parked the agent polls for %v ns", got)
	}
	if got := b.Poll(); got != 0 {
		t.Errorf("after the thread was parked the agent polls for %v", got)
	}
}
