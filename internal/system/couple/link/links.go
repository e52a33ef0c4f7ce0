package link

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/goacp/goacp/internal/ground/envvar"
	"github.com/goacp/goacp/internal/ground/spelling"
	"github.com/goacp/goacp/internal/system/couple/description"
	"github.com/goacp/goacp/internal/system/couple/side"
)

// Links are the ends of a model of the links that the description of the run lists. The slices have the order of the description:
// all ranks of the model send and receive in the same order, since ranks that receive a link with conservation wait for each other.
type Links struct {
	model      *Model
	senders    []*Sender
	receivers  []*Receiver
	publishers []*Publisher
	watchers   map[string]*Watcher // by name of the field
	places     map[Closer]int      // of the ends in the description
	initial    map[*Sender]string  // senders that need initial values, and the files with them; "": none
	sending    unfinished
	receiving  unfinished
}

// unfinished is a step that Send or Receive has begun and not ended, because the context has ended or an end of a link has failed. The
// ends that have done it do not do it again.
type unfinished struct {
	begun bool
	step  int64
	done  int // senders or receivers
}

// resume continues with a step, and reports whether it begins.
func (u *unfinished) resume(step int64) (begins bool) {
	if u.begun && u.step == step {
		return false
	}
	*u = unfinished{begun: true, step: step}
	return true
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
	links := &Links{
		model: m, watchers: make(map[string]*Watcher), places: make(map[Closer]int), initial: make(map[*Sender]string),
	}
	for _, l := range all {
		for _, name := range []string{l.From, l.To} {
			if model, field, _ := strings.Cut(name, "."); model == m.name && m.fields.of(field) == nil {
				return nil, fmt.Errorf("%w: the description of the run couples %s, and model %s has no field %s; it has %s",
					ErrField, name, model, field, spelling.Choices(field, m.fields.names()))
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
	for i, l := range all {
		links.begin(g, i, l)
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	inOrder(links, links.senders)
	inOrder(links, links.receivers)
	inOrder(links, links.publishers)
	return links, nil
}

// inOrder sorts ends by the order of the description.
func inOrder[E Closer](l *Links, ends []E) {
	slices.SortFunc(ends, func(a, b E) int { return cmp.Compare(l.places[a], l.places[b]) })
}

// begin begins to open the ends of the model of a link, which has a place in the description.
func (l *Links) begin(g *Group, place int, d description.Link) {
	if f := l.model.fieldOf(d.From); f != nil && d.Watch {
		Open(g, f, func(context.Context) (*Publisher, error) {
			return f.described(side.Sending, &d).publish(d.To, d.SendEvery, d.SameNumbers)
		}, func(p *Publisher) {
			l.publishers = append(l.publishers, p)
			l.places[p] = place
		})
	} else if f != nil {
		Open(g, f, func(ctx context.Context) (*Sender, error) {
			return f.described(side.Sending, &d).sendInTime(ctx, &d)
		}, func(s *Sender) {
			l.senders = append(l.senders, s)
			l.places[s] = place
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
		}, func(r *Receiver) {
			l.receivers = append(l.receivers, r)
			l.places[r] = place
		})
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
// and Publisher.Send do. If it is called again with the same step, it continues with the link that has failed. Blocks while receivers
// are as many messages behind as their links have levels.
func (l *Links) Send(ctx context.Context, step int64) error {
	if err := l.initialize(ctx, step); err != nil {
		return err
	}
	var failed error
	if l.sending.resume(step) {
		for _, p := range l.publishers {
			failed = errors.Join(failed, p.Send(step))
		}
	}
	for ; l.sending.done < len(l.senders); l.sending.done++ {
		if err := l.senders[l.sending.done].Send(ctx, step); err != nil {
			return errors.Join(failed, err)
		}
	}
	l.sending.begun = failed != nil // the senders have sent
	return failed
}

// Receive receives the fields of all links that end at the model and have a message in this step. Watched links are
// left out. Fails as Receiver.Receive does. If it is called again with the same step, it continues with the link that has failed. Blocks
// until the values of the step have arrived.
func (l *Links) Receive(ctx context.Context, step int64) error {
	if err := l.initialize(ctx, step); err != nil {
		return err
	}
	l.receiving.resume(step)
	for ; l.receiving.done < len(l.receivers); l.receiving.done++ {
		if err := l.receivers[l.receiving.done].Receive(ctx, step); err != nil {
			return err
		}
	}
	l.receiving.begun = false
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
