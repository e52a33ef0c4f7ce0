package link

import (
	"context"
	"fmt"

	"github.com/goacp/goacp/internal/system/couple/flow"
	"github.com/goacp/goacp/internal/system/couple/meet"
	"github.com/goacp/goacp/internal/system/couple/side"
)

// Receiver is the end of a link at a rank of the receiving side. One goroutine at a time calls its
// methods.
type Receiver struct{ *end }

// ReceiveFrom opens the link to the field from the field with a name, such as "ocean.temperature".
// Otherwise as SendTo.
func (f *Field) ReceiveFrom(ctx context.Context, from string, o Options) (*Receiver, error) {
	e, err := f.model.sys.open(ctx, f, side.Receiving, meet.Moving, from, o)
	if err != nil {
		return nil, err
	}
	return &Receiver{e}, nil
}

// Receive gets the values for this rank. It does nothing if the step has no message. Waits until all
// messages of the step are there. Fails with ErrStep if the next messages are of another step, with
// ErrEnded if a sender has closed the link and all that it sent has been received, with global.ErrRankGone if it is gone
// then, with ErrClosed, and
// with the error of ctx: then nothing has been received, and the values are as before. If all senders have begun to send when
// ctx ends, Receive waits for them. If the run ends then, some values may have changed.
func (r *Receiver) Receive(ctx context.Context, step int64) error {
	message, ok := r.due(step)
	if err := r.usable(); err != nil || !ok && r.timed == nil {
		return err
	}
	if r.timed != nil {
		return r.receiveTimed(ctx, step)
	}
	if _, err := r.take(ctx, step, message, nil); err != nil {
		return err
	}
	return r.record(message, nil)
}

// take gets the values of the next message, which a step expects, and returns its number. If repeats is not
// nil, the message may also have a number for which repeats returns true.
func (r *Receiver) take(ctx context.Context, step, message int64, repeats func(number int64) bool) (number int64, err error) {
	if err := r.gather(ctx, message); err != nil {
		return 0, r.wrap(nil, err)
	}
	slot := r.Messages % r.levels
	number = message
	for i, f := range r.flows {
		if !f.arrived(slot, r.Messages) {
			return 0, r.wrap(f, f.over())
		}
		have := f.slot(slot).Step
		if i == 0 && repeats != nil && repeats(have) {
			number = have
		}
		if have != number {
			return 0, r.wrap(f, fmt.Errorf("%w: message %d has come, and step %d is to receive message %d (every %d)", ErrStep, have, step, message, r.every))
		}
	}
	epoch := r.conclude()
	r.Messages, r.Last = r.Messages+1, number
	r.begin()
	for _, f := range r.flows {
		r.get(f, slot, f.packed(slot, epoch))
		if err := f.giveBack(slot, r.Messages); err != nil {
			return 0, r.wrap(f, err)
		}
	}
	r.finish()
	return number, nil
}

// gather waits until all flows have a message or have ended. During the wait the senders may use zero copy.
func (r *Receiver) gather(ctx context.Context, message int64) error {
	if r.empty() == nil && r.epoch == 0 {
		return nil
	}
	blocked := r.empty
	if r.withdraw() { // the array that C has shown
		r.show(message)
		blocked = r.missing
	}
	err := r.await(ctx, blocked)
	if committed := !r.withdraw(); committed && err != nil {
		return r.await(context.WithoutCancel(ctx), r.empty)
	}
	return err
}

// begin begins to get the values of a message.
func (e *end) begin() {
	if e.sums != nil {
		e.sums.begin()
	}
}

// get gets the values of a flow from a slot, which has the first packed bytes of them.
func (e *end) get(f *stream, slot, packed uint64) {
	values := f.values(f.slot(slot))
	if e.sums != nil {
		e.sums.add(values, &f.positions)
		return
	}
	e.zeroCopied += f.size - packed
	if f.asks {
		e.remoteCopied += f.size - packed
	}
	size := uintptr(e.field.element.Size())
	flow.Unpack(e.field.data.Base, values, &f.positions, size, int64(packed)/int64(size))
}

// finish gives the program the values of all flows.
func (e *end) finish() {
	if e.sums != nil {
		for _, f := range e.flows {
			e.sums.end(e.field.data.Base, &f.positions)
		}
	}
	e.field.multiply(side.Receiving)
}

// Ready reports whether Receive would not wait. Fails as Receive does. Does not block.
func (r *Receiver) Ready() (bool, error) {
	if err := r.usable(); err != nil {
		return false, err
	}
	return r.empty() == nil, nil
}

// Wait waits until Receive would not wait. Fails as Receive does.
func (r *Receiver) Wait(ctx context.Context) error { return r.waitFor(ctx, r.empty) }

// empty returns a flow without a message, or nil. A flow that has ended waits for none.
func (r *Receiver) empty() *stream {
	for _, f := range r.flows {
		if _, over := f.reported(); !over && !f.arrived(r.Messages%r.levels, r.Messages) {
			return f
		}
	}
	return nil
}
