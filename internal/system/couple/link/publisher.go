package link

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/system/couple/flow"
	"github.com/goacp/goacp/internal/system/couple/meet"
	"github.com/goacp/goacp/internal/system/couple/side"
	"github.com/goacp/goacp/internal/system/couple/watch"
)

// Publisher is the end of a watched link at a rank of the sending side. A separate goroutine opens the link whenever
// the receivers come, so its methods wait for no rank. One goroutine at a time calls them.
type Publisher struct {
	s     *System
	field *Field
	name  string // of the link
	every int64
	life  uint64

	sameNumbers bool

	last   int64 // step
	closed bool
	stop   context.CancelFunc
	gone   chan struct{} // closed when the goroutine has ended

	mu     sync.Mutex
	end    *end  // nil while there are no receivers
	failed error // why there will be none
}

// publishers are those of this process.
type publishers struct {
	mu     sync.Mutex
	latest map[string]*Publisher // by name of the link
}

// forget ends all of them.
func (t *publishers) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.latest = make(map[string]*Publisher)
}

// PublishTo begins to publish the field to the field with a name, such as "viewer.picture", in the steps that every
// divides. Fails with ErrOptions and ErrModel. Does not block.
func (f *Field) PublishTo(to string, every int) (*Publisher, error) {
	return f.publish(to, every, false)
}

// publish is PublishTo. sameNumbers is as in Options.
func (f *Field) publish(to string, every int, sameNumbers bool) (*Publisher, error) {
	if f.bad != nil {
		return nil, f.bad
	}
	if every < 0 {
		return nil, fmt.Errorf("%w: every %d steps", ErrOptions, every)
	}
	if err := checkPartner(to); err != nil {
		return nil, err
	}
	f.linked.Store(true)
	s := f.model.sys
	p := &Publisher{
		s: s, field: f, name: meet.LinkName(f.Name(), to), every: int64(max(every, 1)),
		life: s.life.Load(), sameNumbers: sameNumbers, last: -1, gone: make(chan struct{}),
	}
	t := &s.publishers
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.latest[p.name]
	t.latest[p.name] = p
	ctx, stop := context.WithCancel(context.Background())
	p.stop = stop
	s.background.run(func(ending context.Context) {
		defer close(p.gone)
		defer context.AfterFunc(ending, stop)()
		if before != nil {
			<-before.gone
		}
		p.serve(ctx, to)
	})
	return p, nil
}

// serve opens the link for receivers, one set after the other, until ctx ends or the senders have made a mistake. Then it notifies present
// and later receivers of the end, unless a later publication follows.
func (p *Publisher) serve(ctx context.Context, to string) {
	for failed := false; !failed && ctx.Err() == nil; {
		e, err := p.s.open(ctx, p.field, side.Sending, meet.Watching, to, Options{SameNumbers: p.sameNumbers})
		switch {
		case err == nil:
			p.show(ctx, e)
		case errors.Is(err, ErrTypes), errors.Is(err, ErrGrids), errors.Is(err, ErrMissing), errors.Is(err, ErrPartner), errors.Is(err, global.ErrFull), errors.Is(err, global.ErrRankGone), ctx.Err() != nil:
			// The receivers also get the error, and may come again.
		default:
			failed = true
			p.mu.Lock()
			p.failed = err
			p.mu.Unlock()
		}
	}
	if p.replaced() {
		return // the next publication continues
	}
	o := opening{s: p.s, f: p.field, side: side.Sending, name: p.name, host: p.s.hostOf(p.name)}
	// On an error the run is over.
	_, _ = o.leave(context.Background(), meet.AboutIntroduction, []byte("closed"))
}

// replaced reports whether there is a later publication of the link, which begins when this one has ended.
func (p *Publisher) replaced() bool {
	t := &p.s.publishers
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.latest[p.name] != p
}

// show lets Send use an end until the receivers have closed it, or ctx ends.
func (p *Publisher) show(ctx context.Context, e *end) {
	p.mu.Lock()
	p.end = e
	p.mu.Unlock()
	select {
	case <-e.watch.ended:
	case <-ctx.Done():
	case <-p.s.p.Lifecycle.Running().Done():
	}
	p.mu.Lock()
	p.end = nil
	p.mu.Unlock()
	// On an error the run is over.
	_ = e.Close(context.Background())
}

// Send sends the values of a step to the receivers, if they have requested the step. Steps ascend. Fails with
// ErrStep, with ErrClosed, with points.ErrTwice and ErrDisagree for these errors of the senders, and if the run is
// over. Does not wait.
func (p *Publisher) Send(step int64) error {
	if err := p.usable(); err != nil {
		return err
	}
	if step%p.every != 0 {
		return nil
	}
	if step <= p.last {
		return fmt.Errorf("link %s: %w: step %d is sent after step %d", p.name, ErrStep, step, p.last)
	}
	before := p.last
	p.last = step
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.end == nil {
		return p.failed
	}
	if err := p.end.publish(before, step); !errors.Is(err, global.ErrRankGone) {
		return err
	}
	return nil // the end of the watchers follows
}

// Ready reports that Send does not wait. Fails with ErrClosed, and if the run is over.
func (p *Publisher) Ready() (bool, error) {
	if err := p.usable(); err != nil {
		return false, err
	}
	return true, nil
}

// Wait returns at once, since Send does not wait. Fails as Ready does.
func (p *Publisher) Wait(context.Context) error { return p.usable() }

// usable returns why the publication has ended, or nil.
func (p *Publisher) usable() error {
	if err := p.s.mem.Alive(); err != nil {
		return err
	}
	if p.closed || p.life != p.s.life.Load() {
		return fmt.Errorf("link %s: %w", p.name, ErrClosed)
	}
	return nil
}

// publish replies to the coordinator. If the coordinator has requested the step, it sends the values. before is the
// previous step.
func (e *end) publish(before, step int64) error {
	asked, first := e.watch.asked.Load(), e.watch.members[side.Receiving][0]
	if !asked.Due(e.Messages, step) {
		return nil
	}
	slot, hasSpace := asked.Round%e.levels, true
	for _, f := range e.flows {
		hasSpace = hasSpace && f.free(slot)
	}
	answer := asked.Answer(before, step, hasSpace)
	e.Messages = asked.Round
	if answer.Kind == watch.Sent {
		e.Last = step
		e.field.multiply(side.Sending)
		data, size := e.field.data.Base, uintptr(e.field.element.Size())
		for _, f := range e.flows {
			h := f.slot(slot)
			h.Step = step
			flow.Pack(f.values(h), data, &f.positions, size)
			f.put(slot)
			if err := f.tell(e.Messages); err != nil {
				return e.wrap(f, err)
			}
		}
	}
	e.watch.tell(first, side.Receiving, answer)
	return nil
}

// Close ends the publication, and notifies present and later receivers. Returns nil at once, since it does not wait.
func (p *Publisher) Close(context.Context) error {
	p.closed = true
	p.stop()
	return nil
}
