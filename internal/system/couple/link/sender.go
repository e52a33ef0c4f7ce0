package link

import (
	"context"
	"fmt"

	"github.com/goacp/goacp/internal/system/couple/flow"
	"github.com/goacp/goacp/internal/system/couple/meet"
	"github.com/goacp/goacp/internal/system/couple/side"
)

// Sender is the end of a link at a rank of the sending side. One goroutine at a time calls its
// methods.
type Sender struct {
	*end
	pace flow.Pace
}

// SendTo opens the link from the field to the field with a name, such as "atmosphere.surface". All ranks
// of both models open it. Blocks until they have. Fails with ErrTypes, ErrMissing,
// points.ErrTwice and ErrDisagree on all of them, with the error of ctx, and with ErrPartner if another rank could not
// open it.
func (f *Field) SendTo(ctx context.Context, to string, o Options) (*Sender, error) {
	e, err := f.model.sys.open(ctx, f, side.Sending, meet.Moving, to, o)
	if err != nil {
		return nil, err
	}
	return &Sender{end: e}, nil
}

// Send sends the values of this rank, which the program may change afterwards. It does nothing if
// the step has no message. Steps ascend. Waits while all slots are full. Fails with ErrStep, with
// ErrEnded if a receiver has closed the link, with global.ErrRankGone if it is gone, with ErrClosed, and with the error of ctx: then
// nothing has been sent. Values that go by remote zero copy have arrived when it returns, even if ctx has ended.
func (s *Sender) Send(ctx context.Context, step int64) error {
	message, ok := s.due(step)
	if err := s.usable(); err != nil || !ok && s.timed == nil {
		return err
	}
	if s.timed != nil {
		return s.sendTimed(ctx, step)
	}
	return s.transmit(ctx, message)
}

// transmit sends a message.
func (s *Sender) transmit(ctx context.Context, message int64) error {
	if s.Messages > 0 && message <= s.Last {
		return s.wrap(nil, fmt.Errorf("%w: step %d is sent after step %d", ErrStep, message*s.every, s.Last*s.every))
	}
	s.begin()
	if err := s.await(ctx, s.full); err != nil {
		return s.wrap(nil, err)
	}
	for _, f := range s.flows {
		if _, over := f.reported(); over {
			return s.wrap(f, f.over())
		}
	}
	if s.pace.Steady {
		s.expect(ctx, message)
	}
	s.field.multiply(side.Sending)
	slot := s.Messages % s.levels
	s.Messages, s.Last = s.Messages+1, message
	for _, f := range s.flows {
		if f.to.Ready != nil && f.to.Way == flow.Local {
			f.to.Reserve(s.Messages, message, f.find)
		}
	}
	for _, f := range s.flows {
		h := f.slot(slot)
		h.Step = message
		s.pack(f, h, s.Messages)
		if err := f.fill(slot, s.Messages-1); err != nil {
			return s.wrap(f, err)
		}
	}
	if s.pace.Started() {
		if err := s.leave(); err != nil {
			return err
		}
	}
	return s.record(message, nil)
}

// Ready reports whether Send would not wait. Fails as Send does. Does not block.
func (s *Sender) Ready() (bool, error) {
	if err := s.usable(); err != nil {
		return false, err
	}
	return s.full() == nil, nil
}

// Wait waits until Send would not wait. Fails as Send does.
func (s *Sender) Wait(ctx context.Context) error { return s.waitFor(ctx, s.full) }

// full returns a flow without a free slot, or nil. A flow that has ended waits for nothing.
func (s *Sender) full() *stream {
	for _, f := range s.flows {
		if _, over := f.reported(); !over && !f.taken(s.Messages%s.levels, s.Messages, s.levels) {
			return f
		}
	}
	return nil
}
