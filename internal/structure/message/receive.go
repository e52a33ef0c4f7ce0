package message

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/structure/collarea"
	"github.com/goacp/goacp/internal/structure/reduction"
)

// ErrTooLong: a message is longer than the memory of the receive. It is lost.
var ErrTooLong = errors.New("the message is longer than the buffer")

// Receive waits for the next message with a label from a member, stores it in b, which is not on the
// stack, and returns its length. Fails with ErrTooLong, with global.ErrRankGone if the member is gone, and if the run is over.
func (h *Engine) Receive(l Label, from int, b []byte) (int, error) {
	return h.ReceiveContext(context.Background(), l, from, b)
}

// ReceiveContext is Receive that also ends with the error of ctx, before it has taken a message.
func (h *Engine) ReceiveContext(ctx context.Context, l Label, from int, b []byte) (int, error) {
	t := target{ctx: ctx, b: b}
	_, err := h.receive(l, from, &t)
	return t.n, err
}

// ReceiveAny is Receive from any member, and returns which one it was.
func (h *Engine) ReceiveAny(l Label, b []byte) (from, n int, err error) {
	return h.ReceiveAnyContext(context.Background(), l, b)
}

// ReceiveAnyContext is ReceiveAny that also ends with the error of ctx, before it has taken a message.
func (h *Engine) ReceiveAnyContext(ctx context.Context, l Label, b []byte) (from, n int, err error) {
	t := target{ctx: ctx, b: b}
	from, err = h.receive(l, anyMember, &t)
	return from, t.n, err
}

// target is where a message goes.
type target struct {
	ctx context.Context // when it ends, the receiver gives up
	b   []byte
	n   int // bytes of the message

	discard bool // the message is taken and not stored

	// combine, if it is set, combines b with the message, which has the same length and is short.
	// left says that b precedes the message.
	combine reduction.Function
	left    bool
}

// buffer returns where n bytes of a direct message go.
func (t *target) buffer(n uint64) ([]byte, error) {
	if t.combine != nil {
		return nil, errUnequal(n, t.b)
	}
	if n > uint64(len(t.b)) {
		return nil, fmt.Errorf("%w: %d bytes for a buffer of %d", ErrTooLong, n, len(t.b))
	}
	return t.b[:n], nil
}

// take takes the bytes of a message, which may be those of buffer.
func (t *target) take(m []byte) error {
	t.n = len(m)
	switch {
	case t.discard:
	case t.combine == nil && len(m) > len(t.b):
		return fmt.Errorf("%w: %d bytes for a buffer of %d", ErrTooLong, len(m), len(t.b))
	case t.combine == nil:
		copy(t.b, m)
	case len(m) != len(t.b):
		return errUnequal(uint64(len(m)), t.b)
	case t.left:
		t.combine(t.b, t.b, m)
	default:
		t.combine(t.b, m, t.b)
	}
	return nil
}

// ErrUnequal: processes call a collective function with different amounts of data.
var ErrUnequal = collarea.ErrUnequal

func errUnequal(n uint64, b []byte) error {
	return fmt.Errorf("%w: %d bytes have come, %d were expected", ErrUnequal, n, len(b))
}

// receive waits for the next message with a label from a member, or from anyMember, and gives it
// to t. It returns the sender.
func (h *Engine) receive(l Label, from int, t *target) (int, error) {
	if err := h.enter(); err != nil {
		return 0, err
	}
	defer h.leave()
	if t.ctx.Done() != nil {
		defer context.AfterFunc(t.ctx, h.wake)()
	}
	m := matching{label: l, from: from, t: t}
	for {
		gone := h.checkGone(from) // before the search: what the member has sent has come by then
		h.mu.Lock()
		err := h.match(&m)
		arrived := h.arrived.Load()
		h.mu.Unlock()
		if m.waiting != nil {
			return m.waiting.from, h.accept(m.waiting, t)
		}
		if m.taken || err != nil {
			return m.from, err
		}
		if err := cmp.Or(t.ctx.Err(), gone); err != nil {
			return 0, err
		}
		err = h.wait(activity.Receive, from, func() bool { return h.arrived.Load() != arrived || h.any(from) })
		if err != nil {
			return 0, err
		}
	}
}

// wake makes threads that wait look again.
func (h *Engine) wake() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.changed()
}

// matching is what a receive waits for, and what it has found.
type matching struct {
	label Label
	from  int // the sender, when the message is there
	t     *target

	taken   bool     // t has the message
	waiting *arrival // the message waits to be taken
}

// match looks for the message. The caller holds the lock.
func (h *Engine) match(m *matching) error {
	if m.waiting = h.unexpected.take(m.label, m.from); m.waiting != nil {
		return nil
	}
	return h.drain(m.from, m)
}

// done reports whether the message is there. m may be nil, for none.
func (m *matching) done() bool { return m != nil && (m.taken || m.waiting != nil) }

// wants reports whether the message is the one that a record brings.
func (m *matching) wants(r *record) bool {
	return m != nil && r.kind != kindRelease && r.label == m.label
}

// accept gives a message of the queue of unexpected messages to t.
func (h *Engine) accept(a *arrival, t *target) error {
	switch {
	case a.ended == kindEnded:
		return h.gone(int(a.size))
	case a.ended == kindLacking:
		return h.notCopied(int(a.size))
	case a.direct && t.discard:
		return h.releaseDirect(a, 0)
	case !a.direct:
		return t.take(a.data)
	}
	b, err := t.buffer(a.size)
	if err != nil {
		return errors.Join(err, h.releaseDirect(a, 0))
	}
	if err := h.fetch(a, b); err != nil {
		return h.orGone(a.from, err)
	}
	return t.take(b)
}
