package wait

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestShareScheduler: one goroutine that parks in the kernel leaves room for another one, unless the environment
// forbids that.
func TestShareScheduler(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, c := range []struct {
		env        string
		have, want int
	}{{"", 1, leastProcs}, {"", 3, 3}, {"1", 1, 1}} {
		t.Setenv("GOMAXPROCS", c.env)
		runtime.GOMAXPROCS(c.have)
		share = sync.Once{}
		ShareScheduler()
		if got := runtime.GOMAXPROCS(0); got != c.want {
			t.Errorf("GOMAXPROCS=%q: %d, expected %d", c.env, got, c.want)
		}
	}
}

// TestReschedule: other goroutines run if the scheduler has not been called for some time, and otherwise do not.
func TestReschedule(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var ran atomic.Int32
	now := start.Add(time.Duration(lastTurn.Load()))
	go ran.Add(1)
	if Reschedule(now.Add(longestTurn - 1)); ran.Load() != 0 {
		t.Error("another goroutine has run too early")
	}
	for range 2 { // every 61st time the scheduler goes on with the same goroutine
		now = now.Add(longestTurn)
		Reschedule(now)
	}
	if ran.Load() != 1 {
		t.Error("no other goroutine has run")
	}
}
