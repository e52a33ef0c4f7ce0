package armci

import (
	"context"
	"unsafe"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/system/armci/transfer"
)

// WithContext returns the same world. When ctx ends, blocking calls with the result give up with an *OpError that
// wraps the error of ctx: transfers, atomics, fences, waits, messages, and blocking calls of a Mutexes or Group that
// is made from it. The operation of such a call still runs to its end, and later calls of this process for the same
// target process follow it. Collective functions do not give up. A context that can end costs about a microsecond for
// each call, and a copy of the elements. Local. Does not block. ARMCI API: none.
func (w *World) WithContext(ctx context.Context) *World {
	view := *w
	view.ctx, view.mem = ctx, w.mem.WithContext(ctx)
	return &view
}

// The targets of operations without a single target process.
const (
	all  = -1 // all processes
	none = -2 // no process

	// messages less a process is about messages to it.
	messages = -3
)

// patiently returns the result of op, whose target is a process or one of the constants. op uses no memory of the
// caller if the caller may give up. If the caller has given up and op succeeds, the result is passed to undo, unless
// undo is nil.
func patiently[T any](w *World, proc int, op func() (T, error), undo func(T)) (T, error) {
	if !w.mem.Detaches() {
		return op()
	}
	var after func(*global.Memory, T)
	if undo != nil {
		after = func(_ *global.Memory, result T) { undo(result) }
	}
	return global.Detached(w.mem, w.streams(proc), func(*global.Memory) (T, error) { return op() }, after)
}

// patient is patiently for an operation without a result.
func (w *World) patient(proc int, op func() error) error {
	if !w.mem.Detaches() {
		return op()
	}
	_, err := patiently(w, proc, func() (struct{}, error) { return struct{}{}, op() }, nil)
	return err
}

// streams names what operations that are about a process have in common.
func (w *World) streams(proc int) []uint64 {
	world := w.session.World
	switch {
	case proc == all:
		streams := make([]uint64, world.Procs())
		for p := range streams {
			streams[p] = world.GA(p, 0)
		}
		return streams
	case proc <= messages:
		return []uint64{world.GA(messages-proc, 1)}
	case world.Check(proc) != nil:
		return nil
	}
	return []uint64{world.GA(proc, 0)}
}

// private is a transfer with its own memory instead of the memory of the caller.
type private struct {
	caller transfer.Request // the transfer of the caller
	buf    []byte           // the bytes of the caller's side, one after the other
}

// newPrivate returns the private form of a transfer whose arguments are right, with its data.
func newPrivate(r *transfer.Request) *private {
	p := &private{caller: *r}
	total := int64(0)
	p.each(func(_ unsafe.Pointer, n int64) { total += n })
	p.buf = make([]byte, total)
	if r.Kind != transfer.Get {
		p.copy(func(own, callers []byte) { copy(own, callers) })
	}
	return p
}

// request returns the transfer from or to the memory of its own.
func (p *private) request() *transfer.Request {
	r := p.caller
	if r.Vector == nil {
		r.Local = unsafe.Pointer(unsafe.SliceData(p.buf))
		stride := r.Shape.Block
		for i := range r.Shape.Levels {
			r.Shape.Local[i] = stride
			stride *= r.Shape.Count[i]
		}
		return &r
	}
	r.Vector = make([]transfer.Segment, len(p.caller.Vector))
	rest := p.buf
	for i, s := range p.caller.Vector {
		r.Vector[i] = transfer.Segment{Local: unsafe.Pointer(unsafe.SliceData(rest)), Remote: s.Remote, N: s.N}
		rest = rest[s.N:]
	}
	return &r
}

// deliver copies the result of a get to the memory of the caller.
func (p *private) deliver() {
	if p.caller.Kind == transfer.Get {
		p.copy(func(own, callers []byte) { copy(callers, own) })
	}
}

// copy calls f with each run of bytes on both sides.
func (p *private) copy(f func(own, callers []byte)) {
	rest := p.buf
	p.each(func(at unsafe.Pointer, n int64) {
		f(rest[:n], unsafe.Slice((*byte)(at), n))
		rest = rest[n:]
	})
}

// each calls f with each run of bytes of the memory of the caller.
func (p *private) each(f func(at unsafe.Pointer, n int64)) {
	for _, s := range p.caller.Vector {
		f(s.Local, s.N)
	}
	if n, err := p.caller.Shape.Bytes(); err != nil || n == 0 || p.caller.Vector != nil {
		return
	}
	p.caller.Shape.Each(func(local, _ int64) bool {
		f(unsafe.Add(p.caller.Local, local), p.caller.Shape.Block)
		return true
	})
}
