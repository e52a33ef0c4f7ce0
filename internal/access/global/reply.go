package global

import (
	"sync/atomic"

	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/wait"
)

// reply waits for the completion of one request to another process. It implements
// fabric.Completion.
type reply struct {
	cond    *wait.Cond
	member  int // the one that is to answer; -1: several
	arrived atomic.Bool
	result  uint64
	err     error
}

// Complete implements fabric.Completion.
func (r *reply) Complete(result uint64, err error) {
	r.cond.Lock()
	defer r.cond.Unlock()
	r.result, r.err = result, err
	r.arrived.Store(true)
	r.cond.Broadcast()
}

// wait returns the result when it is there, or the reason why the run is over.
func (r *reply) wait() (uint64, error) {
	if err := r.cond.Wait(activity.On(activity.Answer, r.member), r.arrived.Load); err != nil {
		return 0, err
	}
	return r.result, r.err
}
