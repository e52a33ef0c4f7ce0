package gma

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/memory/maptable"
)

// Quiet reports whether nothing is in flight and no failure has to be reported.
func (e *Engine) Quiet() bool { return e.table.Quiet() }

// Wait returns when everything up to a handle, or with All everything, is complete, when the
// run is over, or, with the error of ctx, when that ends. It returns the errors of the GMAs that
// failed, joined, each error once.
func (e *Engine) Wait(ctx context.Context, handle uint64) error {
	target := e.target(handle)
	switch {
	case e.table.Idle():
	case e.passed(target):
		e.emptySubmissions() // what the program has issued since
	default:
		if ctx.Done() == nil {
			e.starter.flush()
		}
		empty := false
		e.cond.SpinInline(func() bool {
			if !empty {
				empty = true
				e.emptySubmissions()
			}
			e.cond.Lock()
			defer e.cond.Unlock()
			return e.reached(target) || e.cond.Over() != nil || ctx.Err() != nil
		})
	}
	e.cond.Lock()
	defer e.cond.Unlock()
	if !e.reached(target) {
		err := e.cond.ParkContext(ctx, e.reason(), func() bool { return e.reached(target) })
		if err != nil && e.cond.Over() == nil {
			return err
		}
	}
	return e.outcome(target) // with the reason why the run is over
}

// passed reports whether an older GMA than those in the queue is complete. What is in the submission queue is newer than
// these, so an empty queue says nothing.
func (e *Engine) passed(handle uint64) bool {
	e.cond.Lock()
	defer e.cond.Unlock()
	return e.queue.len() > 0 && e.reached(handle)
}

// reason says for whom a goroutine waits: for the member at the other end of the oldest GMA in
// flight, of which there is one. The caller holds the lock.
func (e *Engine) reason() activity.Reason {
	a, self := &e.queue.front().Access, int(atomic.LoadUint64(&e.table.Rank))
	rank := maptable.RankOf(a.Dst)
	if rank == self {
		rank = maptable.RankOf(a.Src)
	}
	return activity.On(activity.Complete, e.member(rank))
}

// Inquire reports whether everything up to a handle, or with All everything, is complete. If
// it is, the errors are those of Wait. It does not block.
func (e *Engine) Inquire(handle uint64) (bool, error) {
	if e.Quiet() {
		return true, nil
	}
	target := e.target(handle)
	e.emptySubmissions()
	e.cond.Poll()
	e.cond.Lock()
	defer e.cond.Unlock()
	if !e.reached(target) && e.cond.Over() == nil {
		return false, nil
	}
	return true, e.outcome(target)
}

// target turns a handle into the newest handle that has to be complete.
func (e *Engine) target(handle uint64) uint64 {
	issued := atomic.LoadUint64(&e.table.Issued)
	if handle == All || handle == Cont {
		return issued
	}
	if handle > issued {
		return 0 // never issued
	}
	return handle
}

// reached reports whether everything up to handle is complete. The caller holds
// the lock.
func (e *Engine) reached(handle uint64) bool {
	return e.queue.len() == 0 || e.queue.front().handle > handle
}

// outcome returns and forgets the failures up to target. The caller holds the lock.
func (e *Engine) outcome(target uint64) error {
	var errs []error
	rest := e.failures[:0]
	for _, f := range e.failures {
		if f.handle <= target {
			errs = append(errs, f.err)
		} else {
			rest = append(rest, f)
		}
	}
	e.failures = rest
	e.table.SetFailed(len(rest) > 0)
	if over := e.cond.Over(); over != nil && !e.reached(target) {
		errs = append(errs, over)
	}
	return errors.Join(errs...)
}
