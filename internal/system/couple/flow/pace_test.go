package flow

import (
	"testing"
	"time"
)

// TestPace: remote zero copy is used if a program computes for less than a quarter of the time that they take.
func TestPace(t *testing.T) {
	for _, c := range []struct {
		took, computed time.Duration
		steady         bool
	}{{0, 0, false}, {time.Hour, 0, true}, {time.Hour, 14 * time.Minute, true}, {time.Hour, 16 * time.Minute, false}} {
		ended := time.Now().Add(-c.computed)
		p := Pace{ended: ended, began: ended.Add(-c.took)}
		if p.Begin(&usualLimits, true, false, time.Now()); p.Steady != c.steady {
			t.Errorf("a program that computes for %v between messages of %v: steady is %v", c.computed, c.took, p.Steady)
		}
		if p.Begin(&usualLimits, true, true, time.Now()); !p.Steady {
			t.Error("a sender whose last message is on the way is not steady")
		}
		if p.Begin(&usualLimits, false, false, time.Now()); p.Steady {
			t.Error("a sender that never uses remote zero copy is steady")
		}
	}
}

// TestBackoff: a sender that has waited in vain waits less and less often, until the receiver is ready in time again.
func TestBackoff(t *testing.T) {
	var p Backoff
	waited := func(n int) (times int) {
		for range n {
			if p.Waits(100, 100, 2) {
				times++
				p.Waited(false)
			}
		}
		return times
	}
	if n := waited(1000); n < 5 || n > 25 {
		t.Errorf("a sender waits in vain %d times for 1000 messages", n)
	}
	p.Waited(true)
	if !p.Waits(100, 102, 2) || p.Waits(100, 103, 2) {
		t.Error("a sender does not wait for a receiver that has waited for one of the last messages, or waits for another one")
	}
}
