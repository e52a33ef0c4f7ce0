package stdio

import (
	"sync/atomic"
	"testing"
	"time"
)

// TestAwait: the limit counts only while nothing is busy.
func TestAwait(t *testing.T) {
	var busy atomic.Bool
	busy.Store(true)
	over := make(chan struct{})
	go func() {
		defer close(over)
		Await(nil, busy.Load, 5*limitStep)
	}()
	select {
	case <-over:
		t.Error("the wait has ended while a write blocks")
	case <-time.After(20 * limitStep):
	}
	busy.Store(false)
	<-over
	done := make(chan struct{})
	close(done)
	Await(done, busy.Load, time.Hour)
}
