package link

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/goacp/goacp/internal/couple/description"
	"github.com/goacp/goacp/internal/envvar"
)

// Links are the ends of a model of the links that the description of the run lists.
type Links struct {
	model      *Model
	senders    []*Sender
	receivers  []*Receiver
	publishers []*Publisher
	watchers   map[string]*Watcher // by name of the field
}

// Open seals the model and opens the links that the description of the run has for its fields. Links without this model are
// none of its business. Without a description there are no links.
//
// Fails with ErrField if the model has not declared a field of the description, with ErrOptions for a description that
// cannot be read, and as SendTo, ReceiveFrom, PublishTo and Watch do. Then it has none of the links. Collective for the ranks of
// the model and of those that it has links with. Blocks until all have called, apart from models that watch.
func (m *Model) Open(ctx context.Context) (*Links, error) {
	m.Seal()
	all, err := description.Parse(os.Getenv(envvar.Couple))
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", envvar.Couple, ErrOptions, err)
	}
	o := linksOpening{Links: &Links{model: m, watchers: make(map[string]*Watcher)}}
	for _, l := range all {
		for _, name := range []string{l.From, l.To} {
			if model, field, _ := strings.Cut(name, "."); model == m.name && m.fields.of(field) == nil {
				return nil, fmt.Errorf("%w: the description of the run couples %s, and model %s has not declared that field", ErrField, name, model)
			}
		}
	}
	ctx, o.stop = context.WithCancel(ctx)
	defer o.stop()
	for _, l := range all {
		o.add(ctx, l)
	}
	o.all.Wait()
	if o.failed != nil {
		// The other ends are told, and nothing waits for them.
		return nil, errors.Join(o.failed, o.leave(ctx))
	}
	return o.Links, nil
}

// linksOpening is Links that are being opened, each by a goroutine of its own.
type linksOpening struct {
	*Links
	all    sync.WaitGroup
	stop   context.CancelFunc
	mu     sync.Mutex // guards the Links and what follows
	failed error      // why one of them could not be opened
}

// add opens the ends of this model of a link.
func (o *linksOpening) add(ctx context.Context, l description.Link) {
	if f := o.model.fieldOf(l.From); f != nil {
		o.try(func() (func(), error) {
			if l.Watch {
				p, err := f.PublishTo(l.To, l.SendEvery)
				return func() { o.publishers = append(o.publishers, p) }, err
			}
			s, err := f.SendTo(ctx, l.To, Options{Levels: l.Levels, Every: l.SendEvery})
			return func() { o.senders = append(o.senders, s) }, err
		})
	}
	if f := o.model.fieldOf(l.To); f != nil {
		o.try(func() (func(), error) {
			if l.Watch {
				w, err := f.Watch(ctx, l.From)
				return func() { o.watchers[f.name] = w }, err
			}
			r, err := f.ReceiveFrom(ctx, l.From, Options{Levels: l.Levels, Every: l.ReceiveEvery})
			return func() { o.receivers = append(o.receivers, r) }, err
		})
	}
}

// try opens one end, and notes it. The first error ends the opening of all.
func (o *linksOpening) try(open func() (note func(), err error)) {
	o.all.Go(func() {
		note, err := open()
		o.mu.Lock()
		defer o.mu.Unlock()
		switch {
		case err == nil:
			note()
		case o.failed == nil:
			o.failed = err
			o.stop()
		}
	})
}

// Send sends the fields of all links that begin at the model, each if the step has a message. Fails as Sender.Send
// and Publisher.Send do. Blocks while receivers are as many messages behind as their links have levels.
func (l *Links) Send(ctx context.Context, step int64) error {
	for _, p := range l.publishers {
		if err := p.Send(step); err != nil {
			return err
		}
	}
	for _, s := range l.senders {
		if err := s.Send(ctx, step); err != nil {
			return err
		}
	}
	return nil
}

// Receive receives the fields of all links that end at the model, each if the step has a message, apart from those that
// are watched. Fails as Receiver.Receive does. Blocks until the values of the step are there.
func (l *Links) Receive(ctx context.Context, step int64) error {
	for _, r := range l.receivers {
		if err := r.Receive(ctx, step); err != nil {
			return err
		}
	}
	return nil
}

// Watchers returns the ends of the watched links, by the name of the field.
func (l *Links) Watchers() map[string]*Watcher { return l.watchers }

// Close closes all links, also those of Watchers. Fails as Sender.Close does, and may be called again if ctx ends first.
// Blocks until the other ends are closed.
func (l *Links) Close(ctx context.Context) error {
	for _, p := range l.publishers {
		p.Close()
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	var errs []error
	leave := func(end interface {
		Close(ctx context.Context) error
	}) {
		all.Go(func() {
			err := end.Close(ctx)
			mu.Lock()
			defer mu.Unlock()
			errs = append(errs, err)
		})
	}
	for _, s := range l.senders {
		leave(s)
	}
	for _, r := range l.receivers {
		leave(r)
	}
	for _, w := range l.watchers {
		leave(w)
	}
	all.Wait()
	return errors.Join(errs...)
}

// leave closes links after an error, of which the caller knows already.
func (l *Links) leave(ctx context.Context) error {
	if err := l.Close(ctx); !errors.Is(err, ctx.Err()) {
		return err
	}
	return nil
}
