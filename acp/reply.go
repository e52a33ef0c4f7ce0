package acp

import "sync/atomic"

// reply waits for the result of a call to the agent of another rank. It implements
// fabric.Completion.
type reply struct {
	engine  *engine // whose lock and waking it uses
	arrived atomic.Bool
	result  uint64
	err     error
}

// Complete implements fabric.Completion.
func (r *reply) Complete(result uint64, err error) {
	r.engine.mu.Lock()
	defer r.engine.mu.Unlock()
	r.result, r.err = result, err
	r.arrived.Store(true)
	r.engine.wake.Broadcast()
}

// wait returns the result when it is there, or the reason why the run is over.
func (r *reply) wait() (uint64, error) {
	e := r.engine
	e.spinUntil(r.arrived.Load)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sleepUntil(r.arrived.Load)
	if !r.arrived.Load() {
		return 0, e.lost
	}
	return r.result, r.err
}
