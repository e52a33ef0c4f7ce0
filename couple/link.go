package couple

import (
	"context"

	"github.com/goacp/goacp/internal/system/couple/link"
)

// MaxLevels is the greatest number of levels.
const MaxLevels = link.MaxLevels

// Options is what a side chooses when it opens a link. All ranks of the side choose the same. The zero
// value will do.
type Options struct {
	// Levels is how many messages a sender may be ahead of a receiver. The receiver has memory for so
	// many in its heap. 0: as the other side says, or 1. If both sides say a number, the greater one
	// counts.
	Levels int

	// Every n: Send and Receive act in the steps that n divides, and do nothing in others. The messages
	// of both sides belong together in their order from step 0 on: with n on the sending and m on the
	// receiving side, step i·n meets step i·m. 0: in every step.
	Every int

	// SameNumbers: points of both sides with the same numbers belong together, though the fields are blocks of grids of different
	// shapes. One side says so, or both.
	SameNumbers bool
}

// Sender is the end of a link at a rank of the sending side.
type Sender struct{ core *link.Sender }

// Receiver is the end of a link at a rank of the receiving side.
type Receiver struct{ core *link.Receiver }

// SendTo opens the link from this field to the field with a name, for example "atmosphere.surface". The
// other model calls ReceiveFrom. A process that is in both models does the two by a Group, or on different goroutines.
// Fails with ErrModel for a name that no field can have, with ErrTypes, ErrGrids, ErrMissing, ErrTwice or ErrDisagree on all
// ranks, with ErrField or ErrEnded if the other field cannot come any more, with ErrPartner if another rank
// could not open the link, with the error of ctx if that ends before all have called, and with acp.ErrHeapFull
// if the heap of a receiver has no room. If it fails on one rank and not because of ctx, it fails on all of
// both sides. A rank whose ctx has ended may call again, while the others wait.
// Collective for the ranks of both models. Blocks until all have called.
func (f *Field) SendTo(ctx context.Context, field string, o Options) (*Sender, error) {
	s, err := f.core.SendTo(ctx, field, link.Options(o))
	if err != nil {
		return nil, err
	}
	return &Sender{s}, nil
}

// ReceiveFrom opens the link to this field from the field with a name, for example "ocean.sst". Otherwise
// as SendTo. Collective for the ranks of both models. Blocks until all have called.
func (f *Field) ReceiveFrom(ctx context.Context, field string, o Options) (*Receiver, error) {
	r, err := f.core.ReceiveFrom(ctx, field, link.Options(o))
	if err != nil {
		return nil, err
	}
	return &Receiver{r}, nil
}

// Send sends the values of this rank, which the program may change as soon as Send returns. It does
// nothing in steps that have no message. Steps ascend. If large values go straight into the slice of a receiver on another host,
// Send lasts until they have arrived, even if ctx ends meanwhile. Fails with ErrStep, with ErrEnded if a receiver has
// closed the link, with ErrClosed, and with the error of ctx if that ends first: then nothing was
// sent. Local. Blocks while the receivers are as many messages behind as the link has levels, and for a limited time if
// a receiver on another host is about to wait for large values.
func (s *Sender) Send(ctx context.Context, step int) error { return s.core.Send(ctx, int64(step)) }

// Ready reports whether Send would not wait. Fails with ErrClosed, and if the run is over. Local. Does not
// block.
func (s *Sender) Ready() (bool, error) { return s.core.Ready() }

// Close says that this rank sends no more. What it has sent arrives, and then Receive of its receivers fails with ErrEnded.
// Links are closed in any order, whatever other ranks call. Finalize and Reset close links that are open. If ctx ends first,
// Close may be called again. Local. Blocks until the messages have left this process.
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

// Close says that this rank receives no more, so that Send of its senders fails with ErrEnded. The memory of the link stays in
// the heap until they have closed it, too. Finalize and Reset close links that are open. Local. Does not block.
func (r *Receiver) Close(ctx context.Context) error { return r.core.Close(ctx) }
