package link

import (
	"context"
	"fmt"
)

// Sender is the end of a link at a rank of the sending side. One goroutine at a time calls its
// methods.
type Sender struct {
	*end
	pace pace
}

// SendTo opens the link from the field to the field with a name, such as "atmosphere.surface". All ranks
// of both models open it. Blocks until they have. Fails with ErrTypes, ErrMissing,
// points.ErrTwice and ErrDisagree on all of them, with the error of ctx, and with ErrPartner if another rank could not
// open it.
func (f *Field) SendTo(ctx context.Context, to string, o Options) (*Sender, error) {
	e, err := f.model.sys.open(ctx, f, sending, moving, to, o)
	if err != nil {
		return nil, err
	}
	return &Sender{end: e}, nil
}

// Send sends the values of this rank, which the program may change afterwards. It does nothing if
// the step has no message. Steps ascend. Waits while all slots are full. Fails with ErrStep, with
// ErrEnded if a receiver has closed the link, with ErrClosed, and with the error of ctx: then
// nothing has been sent. Values that cross have arrived when it returns, even if ctx has ended.
func (s *Sender) Send(ctx context.Context, step int64) error {
	message, ok := s.due(step)
	if err := s.usable(); err != nil || !ok {
		return err
	}
	if s.count > 0 && message <= s.last {
		return s.wrap(nil, fmt.Errorf("%w: step %d is sent after step %d", ErrStep, step, s.last*s.every))
	}
	s.pace.begin(s.flows)
	if err := s.await(ctx, s.full); err != nil {
		return s.wrap(nil, err)
	}
	for _, f := range s.flows {
		if _, over := f.told(); over {
			return s.wrap(f, ErrEnded)
		}
	}
	if s.pace.steady {
		s.expect(ctx, message)
	}
	s.field.multiply(sending)
	slot, data, size := s.count%s.levels, s.field.data.Base, uintptr(s.field.element.Size())
	s.count, s.last = s.count+1, message
	for _, f := range s.flows {
		if f.to.post != nil && !f.to.far {
			f.to.claim(s.count, message, f.find)
		}
	}
	for _, f := range s.flows {
		h := f.slot(slot)
		h.step = message
		if f.to.post != nil {
			s.stow(f, h, s.count-1)
		} else {
			pack(f.values(h), data, &f.positions, size)
		}
		if err := f.fill(slot, s.count-1); err != nil {
			return s.wrap(f, err)
		}
	}
	if s.pace.crosses() {
		return s.leave()
	}
	return nil
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
func (s *Sender) full() *flow {
	for _, f := range s.flows {
		if _, over := f.told(); !over && !f.taken(s.count%s.levels, s.count, s.levels) {
			return f
		}
	}
	return nil
}
