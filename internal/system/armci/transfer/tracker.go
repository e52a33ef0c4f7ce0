package transfer

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/goacp/goacp/internal/ground/activity"
)

// Tracker counts operations that still use memory of the caller. The zero value counts none. One
// goroutine at a time may issue its operations.
type Tracker struct {
	pending atomic.Int64
	failed  atomic.Pointer[error] // the first failure
}

// begin counts an operation.
func (t *Tracker) begin() { t.pending.Add(1) }

// end counts an operation as complete.
func (t *Tracker) end(err error) {
	if err != nil {
		t.failed.CompareAndSwap(nil, &err)
	}
	t.pending.Add(-1)
}

// Done reports whether no operation is in flight.
func (t *Tracker) Done() bool { return t.pending.Load() == 0 }

// outcome returns the first failure since the last call.
func (t *Tracker) outcome() error {
	if err := t.failed.Swap(nil); err != nil {
		return *err
	}
	return nil
}

// Wait waits until no operation of a tracker is in flight, and returns the first failure.
func (e *Engine) Wait(t *Tracker) error { return e.WaitContext(context.Background(), t) }

// WaitContext is Wait that also ends with the error of ctx.
func (e *Engine) WaitContext(ctx context.Context, t *Tracker) error {
	if !t.Done() {
		if err := e.cond.WaitContext(ctx, activity.For(activity.Complete), t.Done); err != nil {
			return err
		}
	}
	return t.outcome()
}

// Test reports whether no operation of a tracker is in flight, and returns the first failure.
func (e *Engine) Test(t *Tracker) (bool, error) {
	if !t.Done() {
		e.cond.Poll()
	}
	if !t.Done() {
		return false, nil
	}
	return true, t.outcome()
}

// Implicit returns the tracker of the operations to a process that have no handle.
func (e *Engine) Implicit(proc int) *Tracker {
	e.mu.Lock()
	defer e.mu.Unlock()
	t := e.implicit[proc]
	if t == nil {
		t = new(Tracker)
		e.implicit[proc] = t
	}
	return t
}

// Adopt turns the operations of a tracker into operations without a handle. The caller issues no
// more of them.
func (e *Engine) Adopt(t *Tracker) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.adopted) == cap(e.adopted) {
		e.adopted = slices.DeleteFunc(e.adopted, (*Tracker).over)
	}
	e.adopted = append(e.adopted, t)
}

// over reports whether no operation is in flight, and no failure waits to be returned.
func (t *Tracker) over() bool { return t.Done() && t.failed.Load() == nil }

// WaitProc waits for the operations to a process that have never had a handle.
func (e *Engine) WaitProc(proc int) error { return e.Wait(e.Implicit(proc)) }

// WaitAll waits for all operations that have no handle, and also ends with the error of ctx.
func (e *Engine) WaitAll(ctx context.Context) error {
	e.mu.Lock()
	all := slices.Clone(e.adopted)
	for _, t := range e.implicit {
		all = append(all, t)
	}
	e.mu.Unlock()
	var failed error
	for _, t := range all {
		failed = errors.Join(failed, e.WaitContext(ctx, t))
	}
	return failed
}
