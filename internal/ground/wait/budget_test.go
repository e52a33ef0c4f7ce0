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
	b.Permit(1)
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

// TestSpinners: no more threads of a rank spin than it has processors, and one spins where ranks share processors.
func TestSpinners(t *testing.T) {
	spinners := func(b *Budget) (n int) {
		for range 8 {
			if b.StartSpin() > 0 {
				n++
			}
		}
		for range n {
			b.EndSpin()
		}
		return n
	}
	var b Budget
	if n := spinners(&b); n != 0 {
		t.Errorf("%d threads spin although none may", n)
	}
	for _, processors := range []int{0, 1, 3, 8} {
		b.Permit(processors)
		if n := spinners(&b); n != max(processors, 1) {
			t.Errorf("%d threads spin on %d processors", n, processors)
		}
	}
	b.AddThreads(9)
	if n := spinners(&b); n != 0 {
		t.Errorf("%d threads spin while 9 work on 8 processors", n)
	}
	b.Pause()
	if n := spinners(&b); n != 8 {
		t.Errorf("%d threads spin when 8 of 9 do not sleep", n)
	}
	b.Resume()
	b.AddThreads(-9)
	var awake uint32
	b.Share(&awake, 4)
	if n := spinners(&b); n != 1 {
		t.Errorf("%d threads of a rank that shares processors spin", n)
	}
	b.Leave()
	if n := spinners(&b); n != 0 {
		t.Errorf("%d threads spin at the end", n)
	}
}

// TestWithdraw: ranks that share processors in one epoch share others in the next, and each is counted where it is.
func TestWithdraw(t *testing.T) {
	var b Budget
	var before, after uint32
	b.Share(&before, 1)
	if before != 1 || b.Ample() || b.Spin() == 0 {
		t.Errorf("%d ranks are awake, ample %v, a thread spins for %v", before, b.Ample(), b.Spin())
	}
	b.Withdraw()
	if before != 0 || b.Spin() != 0 || b.Poll() != 0 {
		t.Errorf("afterwards %d ranks are awake, and a thread spins for %v", before, b.Spin())
	}
	b.Pause() // the only thread parks between the two epochs
	b.Share(&after, 1)
	if after != 0 {
		t.Errorf("a rank that sleeps is counted: %d are awake", after)
	}
	b.Resume()
	if before != 0 || after != 1 {
		t.Errorf("%d and %d ranks are awake, expected 0 and 1", before, after)
	}
	b.Withdraw()
	b.Permit(1)
	if after != 0 || !b.Ample() {
		t.Errorf("%d ranks are awake, ample %v", after, b.Ample())
	}
}
