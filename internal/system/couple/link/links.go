package link

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/goacp/goacp/internal/ground/envvar"
	"github.com/goacp/goacp/internal/system/couple/description"
	"github.com/goacp/goacp/internal/system/couple/side"
)

// Links are the ends of a model of the links that the description of the run lists.
type Links struct {
	model      *Model
	senders    []*Sender
	receivers  []*Receiver
	publishers []*Publisher
	watchers   map[string]*Watcher // by name of the field
	initial    map[*Sender]string  // senders that need initial values, and the files with them; "": none
}

// Open seals the model and opens the links that the description of the run has for its fields. Links without this model are
// none of its business. Without a description there are no links.
//
// Fails with ErrField if the model has not declared a field of the description, with ErrOptions for a malformed
// description, and as SendTo, ReceiveFrom, PublishTo and Watch do. On failure none of the links is open. Collective
// for the ranks of the model and of the models to which it has links. Blocks until all ranks have called, except in
// models that watch.
func (m *Model) Open(ctx context.Context) (*Links, error) {
	m.Seal()
	all, err := description.Parse(os.Getenv(envvar.Couple))
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", envvar.Couple, ErrOptions, err)
	}
	links := &Links{model: m, watchers: make(map[string]*Watcher), initial: make(map[*Sender]string)}
	for _, l := range all {
		for _, name := range []string{l.From, l.To} {
			if model, field, _ := strings.Cut(name, "."); model == m.name && m.fields.of(field) == nil {
				return nil, fmt.Errorf("%w: the description of the run couples %s, and model %s has not declared that field", ErrField, name, model)
			}
		}
	}
	for _, l := range all {
		for _, name := range []string{l.From, l.To} {
			if f := m.fieldOf(name); f != nil {
				if err := f.checkTime(&l); err != nil {
					return nil, err
				}
			}
		}
	}
	g := Begin(ctx)
	for _, l := range all {
		links.begin(g, l)
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return links, nil
}

// begin begins to open the ends of the model of a link.
func (l *Links) begin(g *Group, d description.Link) {
	if f := l.model.fieldOf(d.From); f != nil && d.Watch {
		Open(g, f, func(context.Context) (*Publisher, error) {
			return f.described(side.Sending, &d).publish(d.To, d.SendEvery, d.SameNumbers)
		}, func(p *Publisher) { l.publishers = append(l.publishers, p) })
	} else if f != nil {
		Open(g, f, func(ctx context.Context) (*Sender, error) {
			return f.described(side.Sending, &d).sendInTime(ctx, &d)
		}, func(s *Sender) {
			l.senders = append(l.senders, s)
			if d.Time.Lag > 0 {
				l.initial[s] = d.Time.Initial
			}
		})
	}
	if f := l.model.fieldOf(d.To); f != nil && d.Watch {
		Open(g, f, func(ctx context.Context) (*Watcher, error) {
			return f.described(side.Receiving, &d).watch(ctx, d.From, d.SameNumbers)
		}, func(w *Watcher) { l.watchers[f.name] = w })
	} else if f != nil {
		Open(g, f, func(ctx context.Context) (*Receiver, error) {
			return f.described(side.Receiving, &d).receiveInTime(ctx, &d)
		}, func(r *Receiver) { l.receivers = append(l.receivers, r) })
	}
}

// described returns the field that a link of the description has on a side: this field, or a field with the weights
// of a file.
func (f *Field) described(sd side.Side, d *description.Link) *Field {
	if d.Weights == "" || d.AtSender != (sd == side.Sending) {
		return f
	}
	return f.weightedByFile(d.Weights, sd)
}

// Send sends the fields of all links that begin at the model and have a message in this step. Fails as Sender.Send
// and Publisher.Send do. Blocks while receivers are as many messages behind as their links have levels.
func (l *Links) Send(ctx context.Context, step int64) error {
	if err := l.initialize(ctx, step); err != nil {
		return err
	}
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

// Receive receives the fields of all links that end at the model and have a message in this step. Watched links are
// left out. Fails as Receiver.Receive does. Blocks until the values of the step have arrived.
func (l *Links) Receive(ctx context.Context, step int64) error {
	if err := l.initialize(ctx, step); err != nil {
		return err
	}
	for _, r := range l.receivers {
		if err := r.Receive(ctx, step); err != nil {
			return err
		}
	}
	return nil
}

// Watchers returns the ends of the watched links, by the name of the field.
func (l *Links) Watchers() map[string]*Watcher { return l.watchers }

// Close closes all links, including watched links. Fails as Sender.Close does, and may be called again if ctx ends
// first. Blocks until the messages that have been sent have left.
func (l *Links) Close(ctx context.Context) error {
	var ends []Closer
	for _, p := range l.publishers {
		ends = append(ends, p)
	}
	for _, s := range l.senders {
		ends = append(ends, s)
	}
	for _, r := range l.receivers {
		ends = append(ends, r)
	}
	for _, w := range l.watchers {
		ends = append(ends, w)
	}
	var errs []error
	for _, e := range ends {
		errs = append(errs, e.Close(ctx))
	}
	return errors.Join(errs...)
}
