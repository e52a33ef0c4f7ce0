package link

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/goacp/goacp/internal/system/couple/meet"
	"github.com/goacp/goacp/internal/system/couple/side"
	"github.com/goacp/goacp/internal/system/couple/watch"
	"github.com/goacp/goacp/internal/system/couple/wire"
)

// Watcher is the end of a watched link at a rank of the receiving side. One goroutine at a time calls its
// methods.
type Watcher struct {
	*end
	wished bool // the coordinator has the request of this rank for the next step
}

// Watch opens the watched link to the field from the field with a name, such as "ocean.temperature".
// Otherwise as SendTo. Fails also with ErrEnded if the sending side has ended the publication.
func (f *Field) Watch(ctx context.Context, from string) (*Watcher, error) {
	return f.watch(ctx, from, false)
}

// watch is Watch. sameNumbers is as in Options.
func (f *Field) watch(ctx context.Context, from string, sameNumbers bool) (*Watcher, error) {
	e, err := f.model.sys.open(ctx, f, side.Receiving, meet.Watching, from, Options{SameNumbers: sameNumbers})
	if err != nil {
		return nil, err
	}
	e.Last = -1
	return &Watcher{end: e}, nil
}

// Next receives the values of the next possible step of the senders, and returns its number. All ranks of the
// receiving side call it, and receive the same step. Fails with ErrEnded if the senders or another receiver have
// closed the link, with ErrClosed, and with the error of ctx. After an error of ctx nothing has been received, and
// it may be called again.
func (w *Watcher) Next(ctx context.Context) (int64, error) {
	if err := w.usable(); err != nil {
		return 0, err
	}
	round, err := w.turn(ctx)
	if err != nil {
		return 0, w.wrap(nil, err)
	}
	late := func() *stream {
		for _, f := range w.flows {
			if sent, over := f.reported(); sent < round && !over {
				return f
			}
		}
		return nil
	}
	if err := w.await(ctx, late); err != nil {
		return 0, w.wrap(nil, err)
	}
	for _, f := range w.flows {
		if sent, _ := f.reported(); sent < round {
			return 0, w.wrap(f, f.over()) // the sender is lost after it has promised the step
		}
	}
	slot, step := round%w.levels, w.watch.step.Load()
	for _, f := range w.flows {
		if have := f.slot(slot).Step; have != step {
			return 0, w.wrap(f, fmt.Errorf("%w: step %d has come in place of %d", wire.ErrMalformed, have, step))
		}
	}
	w.begin()
	for _, f := range w.flows {
		w.get(f, slot, f.size)
	}
	w.finish()
	w.Messages, w.Last, w.wished = round, step, false
	return step, nil
}

// turn returns the round that brings the next step to all receivers.
func (w *Watcher) turn(ctx context.Context) (uint64, error) {
	first := w.watch.members[side.Receiving][0]
	if !w.wished {
		w.watch.tell(first, side.Receiving, watch.Message{Kind: watch.Wish})
		w.wished = true
	}
	if w.watch.chosen.Load() == w.Messages {
		defer w.noteWait(time.Now())
		var err error
		if w.field.model.index == 0 {
			err = w.watch.choose(ctx, w.Last)
		} else {
			err = w.watch.wait(ctx, first, func() bool { return w.watch.chosen.Load() != w.Messages })
		}
		if errors.Is(err, ErrEnded) && w.field.model.index == 0 {
			w.watch.end(side.Receiving, w.watch.members[side.Receiving][1:])
		}
		if err != nil {
			return 0, err
		}
	}
	return w.watch.chosen.Load(), nil
}
