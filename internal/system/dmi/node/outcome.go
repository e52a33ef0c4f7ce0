package node

import (
	"sync/atomic"

	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/wait"
)

// outcome is something for which one goroutine waits. It implements fabric.Completion.
type outcome struct {
	cond *wait.Cond
	come atomic.Bool
	size uint64
	err  error
}

// Complete implements fabric.Completion. Further calls do nothing.
func (x *outcome) Complete(size uint64, err error) {
	x.cond.Lock()
	defer x.cond.Unlock()
	if x.come.Load() {
		return
	}
	x.size, x.err = size, err
	x.come.Store(true)
	x.cond.Broadcast()
}

// wait returns when the outcome has come, or with the reason why the run is over.
func (x *outcome) wait(why activity.Reason) error {
	if err := x.cond.Wait(why, x.come.Load); err != nil {
		return err
	}
	return x.err
}
