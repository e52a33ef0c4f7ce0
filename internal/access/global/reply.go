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

// wait returns the result when it is there, or the reason why the run is over. why says why the caller waits.
func (r *reply) wait(why activity.Reason) (uint64, error) {
	if err := r.cond.Wait(why, r.arrived.Load); err != nil {
		return 0, err
	}
	return r.result, r.err
}
