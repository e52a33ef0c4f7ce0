package acp

import (
	"context"

	"github.com/goacp/goacp/internal/process/collective"
)

// WithContext returns the same rank. When ctx ends, methods of the result that block give up with
// an *OpError that wraps the error of ctx. So do those of a structure, a channel or a segmented
// buffer that is made from the result; each has a WithContext of its own.
//
// A call whose context has ended before does nothing. What a call has begun goes on to its end
// without the caller, as a whole. It uses no slice and no value of the caller any more, but memory
// that the caller has named by its global address. Later operations of this rank on the same structure come behind
// it, in sets, multisets, maps and workspaces if they concern the same part. A collective function
// that was given up counts as called: the next call of the same one goes on waiting for it, and
// other collective functions come behind it. While a Reset or a Finalize that was given up goes on,
// this rank may call only that function, and Abort. Values of channels are neither lost nor
// received twice. Unregister does not give up.
//
// A context that can end costs about a microsecond for each call on memory of ranks, since another
// goroutine carries the call out. Local. Does not block.
func (p *Process) WithContext(ctx context.Context) *Process {
	view := *p
	view.ctx = ctx
	view.mem = p.mem.WithContext(ctx)
	view.tables = p.tables.WithMemory(view.mem)
	return &view
}

// calling is what tells one call of a collective function from another one.
type calling struct {
	verb string // in errors
	call collective.Call
	arg  uint64 // what the function was called with
}

// succession is the collective functions that the same ranks call, one behind the other. One
// goroutine at a time uses it.
type succession struct {
	begun *meeting // a call that was given up; nil if there is none
}

// meeting is a call of a collective function that its caller has given up.
type meeting struct {
	calling
	end    chan struct{} // closed when result and err are there
	result any
	err    error
}

// together calls a collective function of all ranks: it carries out op, or goes on waiting for it if
// it was given up before.
func together[T any](p *Process, call collective.Call, arg uint64, op func(p *Process) (T, error)) (result T, err error) {
	return inSuccession(p, &p.all, calling{call.Function.Verb(), call, arg}, op)
}

// inSuccession is together for the functions of s.
func inSuccession[T any](p *Process, s *succession, c calling, op func(p *Process) (T, error)) (result T, err error) {
	if s.begun == nil && p.ctx.Done() == nil {
		return op(p)
	}
	if m := s.begun; m != nil && m.calling != c {
		if err := s.await(p.ctx); err != nil {
			return result, p.lifeError(c.verb, err)
		}
	}
	if s.begun == nil {
		if err := p.ctx.Err(); err != nil {
			return result, p.lifeError(c.verb, err)
		}
		s.begun = begin(p.WithContext(context.Background()), c, op)
	}
	m := s.begun
	if err := s.await(p.ctx); err != nil {
		return result, p.lifeError(c.verb, err)
	}
	return m.result.(T), m.err
}

// begin lets a goroutine of its own carry out op.
func begin[T any](p *Process, c calling, op func(p *Process) (T, error)) *meeting {
	m := &meeting{calling: c, end: make(chan struct{})}
	go func() {
		m.result, m.err = op(p)
		close(m.end)
	}()
	return m
}

// await waits for the end of the call that is begun, and then is begun no longer. Fails if ctx ends
// first.
func (s *succession) await(ctx context.Context) error {
	select {
	case <-s.begun.end:
		s.begun = nil
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
