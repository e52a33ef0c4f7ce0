package global

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/goacp/goacp/internal/network/am"
)

// An operation of a Memory with a context is detached: a goroutine of its own carries it out, and
// the caller waits for that until the context ends. Then the caller gives up, and the operation
// goes on to its end. So no operation stops half way, and what it does to memory of other ranks is
// the same with a context and without one. It uses no memory of a caller that has given up.

// WithContext returns the same memory, whose operations the caller gives up when ctx ends. They
// fail with the error of ctx then.
func (m *Memory) WithContext(ctx context.Context) *Memory {
	view := *m
	view.ctx, view.done = ctx, ctx.Done()
	return &view
}

// Detaches reports whether an operation has to go through Detached: if its caller may give up, or
// if an operation that was given up may be under way on the same structure.
func (m *Memory) Detaches() bool {
	return m.done != nil || m.abandoned != nil && m.abandoned.number.Load() > 0
}

// attached returns the same memory for an operation that is detached.
func (m *Memory) attached() *Memory {
	view := *m
	view.ctx, view.done, view.abandoned = context.Background(), nil, nil
	return &view
}

// abandoned are the operations of a process that go on after their callers have given up.
type abandoned struct {
	number atomic.Int32

	mu   sync.Mutex
	none sync.Cond                    // number is 0
	last map[uint64][]<-chan struct{} // by structure: closed when those end for which no other one waits
}

func newAbandoned() *abandoned {
	a := new(abandoned)
	a.none.L = &a.mu
	return a
}

// Settle waits until all operations that were given up have come to their ends.
func (m *Memory) Settle() {
	a := m.abandoned
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.number.Load() > 0 {
		a.none.Wait()
	}
}

// on returns what to wait for before an operation on structures begins.
func (a *abandoned) on(structures []uint64) []<-chan struct{} {
	if a == nil || a.number.Load() == 0 {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	var ends []<-chan struct{}
	for _, at := range structures {
		ends = append(ends, a.last[at]...)
	}
	return ends
}

// enter adds an operation that waits for those of before, and ends when end is closed.
func (a *abandoned) enter(structures []uint64, before []<-chan struct{}, end <-chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.number.Add(1)
	if a.last == nil {
		a.last = make(map[uint64][]<-chan struct{})
	}
	for _, at := range structures {
		others := slices.DeleteFunc(a.last[at], func(other <-chan struct{}) bool {
			return other == end || slices.Contains(before, other)
		})
		a.last[at] = append(others, end)
	}
}

func (a *abandoned) leave(structures []uint64, end <-chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.number.Add(-1) == 0 {
		a.none.Broadcast()
	}
	for _, at := range structures {
		others := slices.DeleteFunc(a.last[at], func(other <-chan struct{}) bool { return other == end })
		if a.last[at] = others; len(others) == 0 {
			delete(a.last, at)
		}
	}
}

// Detached carries out op on a goroutine of its own, and returns its result, or the error of the
// context of m if that ends first. Then op goes on, and undo, if it is not nil, gets the result
// unless op fails. op uses no memory of the caller.
//
// structures are the addresses of what op uses that several goroutines must not use at once.
// Operations on them that were given up come to their ends before op begins.
func Detached[T any](m *Memory, structures []uint64, op func(m *Memory) (T, error), undo func(m *Memory, result T)) (result T, err error) {
	if err := m.ctx.Err(); err != nil {
		return result, err
	}
	var settled atomic.Bool // by the end of op, or by the caller that gives up
	var got T
	var failed error
	before, end := m.abandoned.on(structures), make(chan struct{})
	m.router.Go(func() {
		for _, other := range before {
			<-other
		}
		attached := m.attached()
		if got, failed = op(attached); !settled.CompareAndSwap(false, true) {
			if failed == nil && undo != nil {
				undo(attached, got)
			}
			m.abandoned.leave(structures, end)
		}
		close(end)
	})
	select {
	case <-end:
		return got, failed
	case <-m.done:
	}
	m.abandoned.enter(structures, before, end)
	if settled.CompareAndSwap(false, true) {
		return result, m.ctx.Err()
	}
	m.abandoned.leave(structures, end)
	<-end
	return got, failed
}

// detached is Detached for an operation that returns nothing.
func (m *Memory) detached(op func(m *Memory) error) error {
	_, err := Detached(m, nil, func(m *Memory) (struct{}, error) { return struct{}{}, op(m) }, nil)
	return err
}

// DetachedCall lets run carry out a copy of c, as Detached does. The bytes of c may be the
// caller's, and on the stack.
func (m *Memory) DetachedCall(c *am.Call, structures []uint64, run func(m *Memory, c *am.Call) (am.Result, error)) (am.Result, error) {
	// Field by field, so that the bytes of c do not escape.
	copied := &am.Call{
		Op: c.Op, GA: c.GA, Args: c.Args, Block: c.Block,
		Data: bytes.Clone(c.Data), More: bytes.Clone(c.More), Out: make([]byte, len(c.Out)),
	}
	r, err := Detached(m, structures, func(m *Memory) (am.Result, error) { return run(m, copied) }, nil)
	copy(c.Out, copied.Out[:r.N])
	return r, err
}
