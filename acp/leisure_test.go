package acp

import (
	"testing"
	"time"

	"github.com/goacp/goacp/internal/direct"
)

// The agent may look only while somebody sleeps, and if there are processors for it.
func TestLeisure(t *testing.T) {
	var l leisure
	e := newEngine(&direct.Table{}, func() bool { return false }, &l)
	waited := func() (patience time.Duration) {
		asleep, done := make(chan struct{}), make(chan struct{})
		e.mu.Lock()
		go func() {
			defer close(done)
			e.mu.Lock()
			defer e.mu.Unlock()
			turn := 0
			e.sleepUntil(func() bool {
				if turn++; turn == 2 { // the first is before the sleep
					close(asleep)
				}
				return turn > 2
			})
		}()
		e.mu.Unlock()
		<-asleep
		patience = l.patience()
		for open := true; open; {
			select {
			case <-done:
				open = false
			default:
				e.mu.Lock()
				e.wake.Broadcast()
				e.mu.Unlock()
			}
		}
		return patience
	}
	if got := waited(); got != 0 {
		t.Errorf("without processors the agent looks for %v", got)
	}
	l.time.Store(int64(spinTime))
	if got := l.patience(); got != 0 {
		t.Errorf("while nobody sleeps the agent looks for %v", got)
	}
	if got := waited(); got != spinTime {
		t.Errorf("while somebody sleeps the agent looks for %v", got)
	}
	if got := l.patience(); got != 0 {
		t.Errorf("after the sleep the agent looks for %v", got)
	}
}
