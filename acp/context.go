package acp

import (
	"context"

	"github.com/goacp/goacp/internal/process/collective"
)

// WithContext returns the same rank. When ctx ends, blocking methods of the result return early with an
// *OpError that wraps the error of ctx. So do the methods of a structure, a channel or a segmented buffer
// that is made from the result. Each of these types has its own WithContext.
//
// A call whose context has ended before does nothing. An operation that has begun is completed as a whole
// after its call returned early. It no longer uses slices and values of the caller, but it still uses memory
// that the caller has named by global addresses. Later operations of this rank on the same structure follow
// it; in sets, multisets, maps and workspaces only if they concern the same part. A collective function that
// returned early counts as called: the next call of the same function continues to wait for it, and other
// collective functions follow it. While a Reset or a Finalize that returned early is unfinished, this rank
// may call only that function, and Abort. Values of channels are neither lost nor received twice. Unregister
// does not return early.
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

// calling identifies a call of a collective function.
type calling struct {
	verb string // in errors
	call collective.Call
	arg  uint64 // the arguments of the call
}

// succession serialises the collective functions that the same ranks call. One goroutine at a time uses it.
type succession struct {
	begun *meeting // a call that returned early; nil if there is none
}

// meeting is a call of a collective function that continues after its caller returned early.
type meeting struct {
	calling
	end    chan struct{} // closed when result and err are there
	result any
	err    error
}

// together calls a collective function of all ranks: it executes op, or continues to wait for it if an
// earlier call returned early.
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

// begin starts op on a new goroutine.
func begin[T any](p *Process, c calling, op func(p *Process) (T, error)) *meeting {
	m := &meeting{calling: c, end: make(chan struct{})}
	go func() {
		m.result, m.err = op(p)
		close(m.end)
	}()
	return m
}

// await waits for the end of s.begun and then clears s.begun. Fails if ctx ends first.
func (s *succession) await(ctx context.Context) error {
	select {
	case <-s.begun.end:
		s.begun = nil
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
