package channel

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/goacp/goacp/internal/memory/segment"
)

// Request is a send, a receive or the freeing of an end, under way or finished. Its methods may be
// called by several goroutines at once.
type Request struct {
	c    *Channel // nil if it was finished at once
	kind Kind
	size int         // bytes of the message or of the room for it
	done atomic.Bool // n and err are set

	// Guarded by the lock of c until it is done.
	buf    []byte
	next   *Request
	end    uint64 // of a long message: the position in the ring behind the record
	key    segment.Key
	pin    runtime.Pinner
	wake   chan struct{} // closed when done; nil if no goroutine sleeps
	handle uint64        // for bindings; 0 if it has none

	n   int
	err error
}

// Kind is the kind of a request.
type Kind uint8

// The kinds of requests.
const (
	Send Kind = iota
	Receive
	Free
)

// String returns the name of the operation.
func (k Kind) String() string {
	return [...]string{"send", "receive", "free of a channel"}[k]
}

// Done reports whether the request is finished. It does not drive progress. Does not block.
func (r *Request) Done() bool { return r.done.Load() }

// Wait waits until the request is finished and returns the number of bytes that a receive has stored, 0 for
// other requests. It spins for a short time and then parks. Fails with the error of the request, with that of
// ctx, and if the run is over. Blocks.
func (r *Request) Wait(ctx context.Context) (int, error) {
	if !r.Done() {
		r.spin(ctx)
	}
	if !r.Done() {
		if err := r.park(ctx); err != nil {
			return 0, r.failed(err)
		}
	}
	if r.err != nil {
		return 0, r.failed(r.err)
	}
	return r.n, nil
}

// failed returns the error that the program gets for r.
func (r *Request) failed(err error) error { return r.c.engine.failed(r.kind, r.size, err) }

// outcome returns nil if the request is finished, and otherwise the reason why it never will be.
func (r *Request) outcome() error {
	if r.Done() {
		return nil
	}
	if err := r.c.engine.mem.Alive(); err != nil {
		return err
	}
	return ErrFreed
}

// finish ends the request. The caller holds the lock of its channel.
func (r *Request) finish(n int, err error) {
	r.pin.Unpin()
	if r.key != 0 {
		_, _ = r.c.engine.space.Unregister(r.key) // the key was registered until now
	}
	r.buf, r.next, r.n, r.err = nil, nil, n, err
	r.done.Store(true)
	if r.wake != nil {
		close(r.wake)
	}
}
