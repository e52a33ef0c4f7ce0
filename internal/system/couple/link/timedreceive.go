package link

import (
	"context"
	"fmt"

	"github.com/goacp/goacp/internal/system/couple/timing"
)

// receives returns the state machine of the receiver.
func (t *timed) receives() *timing.Receiver {
	if t.receiver == nil {
		t.receiver = timing.NewReceiver(t.plan)
	}
	return t.receiver
}

// receiveTimed is Receive with operations in time.
func (r *Receiver) receiveTimed(ctx context.Context, step int64) error {
	t := r.timed
	m := t.receives()
	if step < m.Step() || step < 0 {
		return r.wrap(nil, fmt.Errorf("%w: step %d is received after step %d", ErrStep, step, m.Step()))
	}
	for {
		number, needed := m.Needs(step)
		if !needed {
			break
		}
		if err := r.obtain(ctx, step, number); err != nil {
			return err
		}
		m.Put(number, t.values)
	}
	if m.Reach(step) {
		if m.Interpolate {
			m.At(step, t.values)
		}
		t.write(t.program.data.Base, t.values)
	}
	return nil
}

// obtain gets the values of a message.
func (r *Receiver) obtain(ctx context.Context, step, number int64) error {
	t := r.timed
	for t.integral == nil || t.integral.pending == nil {
		have, err := r.take(ctx, step, number, t.receiver.Repeats)
		if err != nil {
			return err
		}
		if have == number {
			t.read(t.staged)
			break
		}
	}
	if err := r.correct(ctx, number); err != nil {
		return err
	}
	t.rescale()
	return r.record(number, t.values)
}
