package object

import (
	"context"

	"github.com/goacp/goacp/internal/ground/activity"
)

// A thread in a queue cannot leave it before its turn: others know its place. If its context ends, a goroutine stands
// in for it. It waits in its place, and unlocks the mutex as soon as it owns it. For that moment the thread seems to own
// the mutex again, so Lock of the thread tries again while it has stand-ins.

// standIn runs a wait whose caller has left.
func (o *Objects) standIn(mutex int64, t Thread, wait func() error) {
	c := claim{mutex, t}
	o.mu.Lock()
	o.standIns[c]++
	o.mu.Unlock()
	go func() {
		_ = wait() // the run is over, or the mutex is gone: no thread waits for the outcome
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.standIns[c]--; o.standIns[c] == 0 {
			delete(o.standIns, c)
		}
	}()
}

// standsIn reports whether a goroutine stands in for a thread at a mutex.
func (o *Objects) standsIn(mutex int64, t Thread) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.standIns[claim{mutex, t}] != 0
}

// awaitAndUnlock waits in the queue of a mutex, and unlocks the mutex when it is its turn.
func (o *Objects) awaitAndUnlock(addr int64, t Thread, e *entry) error {
	n, v, err := e.wait(context.Background(), addr, activity.For(activity.Mutex).At(addr, 0))
	if err != nil || n != noteGranted {
		return err
	}
	if grant(v[0])&grantUnknown != 0 {
		return o.handOver(addr, t, hold{entry: e})
	}
	e.slot.Free()
	return o.handOver(addr, t, hold{})
}
