package link

import (
	"context"
	"errors"
	"fmt"

	"github.com/goacp/goacp/internal/system/couple/timing"
)

// sends returns the state machine of the sender.
func (t *timed) sends() *timing.Sender {
	if t.sender == nil {
		t.sender = timing.NewSender(t.plan, len(t.values))
	}
	return t.sender
}

// sendTimed is Send with operations in time.
func (s *Sender) sendTimed(ctx context.Context, step int64) error {
	t := s.timed
	if t.sender == nil && t.plan.Lag > 0 {
		return s.wrap(nil, fmt.Errorf("%w: step %d is sent before the initial values, which a lag of %d steps needs", ErrOptions, step, t.plan.Lag))
	}
	m := t.sends()
	if step <= m.Step() || step < 0 {
		return s.wrap(nil, fmt.Errorf("%w: step %d is sent after step %d", ErrStep, step, m.Step()))
	}
	number, due := m.Due(step)
	if !due {
		if m.Reads() {
			t.read(t.program.data.Base)
		}
		m.Add(step, t.values)
		return nil
	}
	// A step is reduced once, also if the wait fails and the program sends the step again.
	if err := s.await(ctx, s.full); err != nil {
		return s.wrap(nil, err)
	}
	if err := s.account(ctx); err != nil {
		return err
	}
	t.read(t.program.data.Base)
	return s.emit(context.WithoutCancel(ctx), number, m.Take(step, t.values))
}

// Initialize sends the present values of the field as the initial messages of a sender with a lag, whose first step is given.
// Without a lag it does nothing. Fails with ErrOptions if the sender has begun, and as Send does.
func (s *Sender) Initialize(ctx context.Context, step int64) error {
	if s.timed != nil {
		s.timed.read(s.timed.program.data.Base)
	}
	return s.start(ctx, step)
}

// start sends the values of the end as the initial messages.
func (s *Sender) start(ctx context.Context, step int64) error {
	if _, err := s.timing(); err != nil {
		return err
	}
	if step < 0 {
		return s.wrap(nil, fmt.Errorf("%w: the first step is %d", ErrStep, step))
	}
	t := s.timed
	return s.transmitAll(ctx, t.sends().Begin(step, t.values))
}

// transmitAll sends some messages.
func (s *Sender) transmitAll(ctx context.Context, messages []timing.Message) error {
	for _, x := range messages {
		if err := s.emit(ctx, x.Number, x.Values); err != nil {
			return err
		}
	}
	return nil
}

// emit sends the values of a message. A receiver that has come as far as the sender does not need the messages that a lag brings
// early, and may have closed the link by then: the sender keeps them for a restart.
func (s *Sender) emit(ctx context.Context, number int64, values []float64) error {
	t := s.timed
	t.stage(values)
	s.contribute(number)
	err := s.transmit(ctx, number)
	if errors.Is(err, ErrEnded) && t.unneeded < t.plan.Ahead() {
		t.unneeded++
		return nil
	}
	return err
}
