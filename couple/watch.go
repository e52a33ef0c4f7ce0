package couple

import (
	"context"

	"github.com/goacp/goacp/internal/system/couple/link"
)

// Publisher is the end of a watched link at a rank of the sending side.
type Publisher struct{ core *link.Publisher }

// Watcher is the end of a watched link at a rank of the receiving side.
type Watcher struct{ core *link.Watcher }

// PublishTo begins to publish this field to the field with a name, for example "viewer.picture", in steps that are
// multiples of every; 0 means every step. The other model may call Watch at any time, and again after it has closed
// the link. All ranks of this model publish. To publish a field to several other fields, call PublishTo for each. A
// second call for the same field begins a new publication when the first Publisher is closed: watchers of the first
// Publisher get ErrEnded, and later watchers wait for the new publication. Fails with ErrOptions and ErrModel. Local.
// Does not block.
func (f *Field) PublishTo(field string, every int) (*Publisher, error) {
	p, err := f.core.PublishTo(field, every)
	if err != nil {
		return nil, err
	}
	return &Publisher{p}, nil
}

// Send sends the values of this rank if the other model watches and waits for a step. Otherwise it does nothing.
// Steps ascend, from 0 on. Fails with ErrStep, with ErrClosed, with ErrTwice or ErrDisagree if the other model has
// found this error when it opened the link, with ErrModel if guests that have attached later have the name of the model,
// and if the run is over. Other errors are reported to the watchers. Local.
// Does not block.
func (p *Publisher) Send(step int) error { return p.core.Send(int64(step)) }

// Close ends the publication for this rank: from then on Next and Watch fail with ErrEnded, unless the rank has
// called PublishTo for the same fields again. Finalize and Reset close all Publishers. Local. Does not block.
func (p *Publisher) Close() {
	_ = p.core.Close(context.Background()) // which does not fail
}

// Watch opens the link to this field from the field with a name, for example "ocean.sst", which the other model
// publishes. Fails as ReceiveFrom does, and with ErrEnded if a rank of the other model has ended the publication.
// Collective for the ranks of this model. Blocks until the other model publishes.
func (f *Field) Watch(ctx context.Context, field string) (*Watcher, error) {
	w, err := f.core.Watch(ctx, field)
	if err != nil {
		return nil, err
	}
	return &Watcher{w}, nil
}

// Next receives the values of the next possible step of the other model, and returns its number. All ranks of this
// model receive the same step. Fails with ErrEnded if the other model has ended the publication or another rank of
// this model has closed the link, with ErrClosed, and with the error of ctx if that ends first. On failure the values
// do not change. Collective for the ranks of this model. Blocks until the values have arrived.
func (w *Watcher) Next(ctx context.Context) (step int, err error) {
	number, err := w.core.Next(ctx)
	return int(number), err
}

// Close closes the link for this rank: Next of the other ranks of this model fails with ErrEnded. All ranks of this
// model close the link. Finalize and Reset close open links. Local. Does not block.
func (w *Watcher) Close(ctx context.Context) error { return w.core.Close(ctx) }
