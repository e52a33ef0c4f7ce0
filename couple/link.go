package couple

import (
	"context"

	"github.com/goacp/goacp/internal/system/couple/flow"
	"github.com/goacp/goacp/internal/system/couple/link"
)

// MaxLevels is the greatest number of levels.
const MaxLevels = link.MaxLevels

// Options are the options of one side of a link. All ranks of the side pass the same. The zero value is valid.
type Options struct {
	// Levels is the number of messages that a sender may be ahead of a receiver. The receiver has memory for so
	// many messages in its heap. With 0 the value of the other side is used, or 1. If both sides pass a number,
	// the greater is used.
	Levels int

	// Every: Send and Receive act only in steps that are multiples of Every; 0 means every step. The i-th message
	// of the sender is the i-th message of the receiver, from step 0 on: if Every is n for the sender and m for
	// the receiver, step i·n of the sender matches step i·m of the receiver.
	Every int

	// SameNumbers: points of both sides with the same number match, even if the fields are blocks of grids of
	// different shapes. It is enough if one side sets it.
	SameNumbers bool

	limits flow.Limits
}

// core returns the options as package link has them.
func (o Options) core() link.Options {
	return link.Options{Levels: o.Levels, Every: o.Every, SameNumbers: o.SameNumbers, Limits: o.limits}
}

// Sender is the end of a link at a rank of the sending side.
type Sender struct{ core *link.Sender }

// Receiver is the end of a link at a rank of the receiving side.
type Receiver struct{ core *link.Receiver }

// SendTo opens the link from this field to the field with a name, for example "atmosphere.surface". The other model
// calls ReceiveFrom. A process that is in both models opens the two sides with a Group, or on different goroutines.
// Fails with ErrModel for a name that no field can have, and on all ranks of this model if guests that have attached later
// have its name, with ErrTypes, ErrGrids, ErrMissing, ErrTwice or ErrDisagree on all ranks, with ErrField or ErrEnded if the other field can no longer be declared, with ErrPartner if another
// rank could not open the link, with the error of ctx if that ends before all ranks have called, and with
// acp.ErrHeapFull if the heap of a receiver has no room. If it fails on one rank, other than by ctx or ErrModel, it fails
// on all ranks of both sides. A rank whose ctx has ended may call again while the other ranks wait. Collective for the ranks
// of both models. Blocks until all ranks have called.
func (f *Field) SendTo(ctx context.Context, field string, o Options) (*Sender, error) {
	s, err := f.core.SendTo(ctx, field, o.core())
	if err != nil {
		return nil, err
	}
	return &Sender{s}, nil
}

// ReceiveFrom opens the link to this field from the field with a name, for example "ocean.sst". Otherwise
// as SendTo. Collective for the ranks of both models. Blocks until all have called.
func (f *Field) ReceiveFrom(ctx context.Context, field string, o Options) (*Receiver, error) {
	r, err := f.core.ReceiveFrom(ctx, field, o.core())
	if err != nil {
		return nil, err
	}
	return &Receiver{r}, nil
}

// Send sends the values of this rank. When it returns, the program may change the values. It does nothing in steps
// that have no message. Steps ascend. If large values go directly into the slice of a receiver on another host, Send
// lasts until they have arrived, even if ctx ends before. Fails with ErrStep, with ErrEnded if a receiver has closed
// the link, with ErrClosed, and with the error of ctx if that ends first. On failure nothing is sent. Local. Blocks
// while the receivers are as many messages behind as the link has levels, and for a limited time if a receiver on
// another host is about to wait for large values.
func (s *Sender) Send(ctx context.Context, step int) error { return s.core.Send(ctx, int64(step)) }

// Ready reports whether Send would not wait. Fails with ErrClosed, and if the run is over. Local. Does not
// block.
func (s *Sender) Ready() (bool, error) { return s.core.Ready() }

// Close closes the link for this rank. Messages that it has sent still arrive; after the last, Receive of its
// receivers fails with ErrEnded. Links may be closed in any order, independently of the calls of other ranks.
// Finalize and Reset close open links. If ctx ends first, Close may be called again. Local. Blocks until the messages
// have left this process.
func (s *Sender) Close(ctx context.Context) error { return s.core.Close(ctx) }

// Receive gets the values of a step for this rank. It does nothing in steps that have no message. Fails
// with ErrStep if the senders have sent another step, with ErrEnded if a sender has closed the link and
// all that it sent has been received, with ErrClosed, and with the error of ctx if that ends first:
// then the values are as before. If all senders have begun to send the step when ctx ends, it waits for them. Local. Blocks until the
// values of the step are there.
func (r *Receiver) Receive(ctx context.Context, step int) error {
	return r.core.Receive(ctx, int64(step))
}

// Ready reports whether Receive would not wait. Fails with ErrClosed, and if the run is over. Local. Does
// not block.
func (r *Receiver) Ready() (bool, error) { return r.core.Ready() }

// Close closes the link for this rank: Send of its senders fails with ErrEnded. The memory of the link stays in the
// heap until the senders have closed it, too. Finalize and Reset close open links. Local. Does not block.
func (r *Receiver) Close(ctx context.Context) error { return r.core.Close(ctx) }
