package couple

import (
	"context"

	"github.com/goacp/goacp/internal/system/couple/link"
)

// Publisher is the end of a watched link at a rank of the sending side.
type Publisher struct{ core *link.Publisher }

// Watcher is the end of a watched link at a rank of the receiving side.
type Watcher struct{ core *link.Watcher }

// PublishTo begins to publish this field to the field with a name, for example "viewer.picture", in the steps
// that every divides; 0 means all. The other model calls Watch when it wants to, and again after it has closed the
// link. All ranks of this model publish. If the field is to be published to several others, PublishTo is called for
// each. A second call for the same field begins the publication anew when the first Publisher is closed: watchers of the first one get
// ErrEnded, and those that come afterwards wait for the second one. Fails with ErrOptions and ErrModel. Local. Does not block.
func (f *Field) PublishTo(field string, every int) (*Publisher, error) {
	p, err := f.core.PublishTo(field, every)
	if err != nil {
		return nil, err
	}
	return &Publisher{p}, nil
}

// Send sends the values of this rank if the other model watches and waits for a step. Otherwise it does nothing.
// Steps ascend, from 0 on. Fails with ErrStep, with ErrClosed, with ErrTwice or ErrDisagree if that came out when the
// other model opened the link, and if the run is over. Other mistakes are those of the watchers, which are
// told. Local. Does not block.
func (p *Publisher) Send(step int) error { return p.core.Send(int64(step)) }

// Close says that this rank publishes no more: Next and Watch fail with ErrEnded from then on, unless the rank has called
// PublishTo for the same fields since. Finalize and Reset close all Publishers. Local. Does not block.
func (p *Publisher) Close() {
	_ = p.core.Close(context.Background()) // which does not fail
}

// Watch opens the link to this field from the field with a name, for example "ocean.sst", which the other model
// publishes. Fails as ReceiveFrom does, and with ErrEnded if a rank of the other model publishes it no more.
// Collective for the ranks of this model. Blocks until the other model publishes.
func (f *Field) Watch(ctx context.Context, field string) (*Watcher, error) {
	w, err := f.core.Watch(ctx, field)
	if err != nil {
		return nil, err
	}
	return &Watcher{w}, nil
}

// Next gets the values of a step that the other model comes to from now on, and returns its number. All ranks of this
// model get the same step. Fails with ErrEnded if the other model publishes no more or another rank of this one
// has closed the link, with ErrClosed, and with the error of ctx if that ends first: then the values are as
// before. Collective for the ranks of this model. Blocks until the values are there.
func (w *Watcher) Next(ctx context.Context) (step int, err error) {
	number, err := w.core.Next(ctx)
	return int(number), err
}

// Close says that this rank watches no more, so that Next of the other ranks of this model fails with ErrEnded. All ranks of this
// model close the link. Finalize and Reset close links that are open. Local. Does not block.
func (w *Watcher) Close(ctx context.Context) error { return w.core.Close(ctx) }
