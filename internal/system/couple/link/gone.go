package link

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/system/couple/meet"
	"github.com/goacp/goacp/internal/system/couple/watch"
)

// gone ends the waits for a member of another cohort that has left the run or is lost, and forgets the requests of that
// member.
func (s *System) gone(member int) {
	c := s.caller(member)
	deliver(s.host.do(func(h *meet.Host) []meet.Answer { return h.Gone(c) }))
	deliver(s.registry.do(func(g *meet.Registry) []meet.Answer { return g.Gone(c) }))
	deliver(s.totals.do(func(all map[uint64]*meet.Totals) (answers []meet.Answer) {
		for _, t := range all {
			answers = append(answers, t.Gone(member)...)
		}
		return answers
	}))
	s.openings.gone(member, c.Rank)
	s.flows.gone(member)
	s.watches.gone(member)
	s.notifier.notify()
}

// recheck calls gone again if a member is gone: one of its requests has been served meanwhile.
func (s *System) recheck(member int) {
	if errors.Is(s.p.Check(member), global.ErrRankGone) {
		s.gone(member)
	}
}

// openings are the links that this process is opening, and of which all ranks are known.
type openings struct {
	mu  sync.Mutex
	all map[*opening]context.CancelCauseFunc
}

// untilGone returns a context that ends with ErrRankGone when a rank of the link is gone. The caller calls end.
func (o *opening) untilGone(ctx context.Context) (until context.Context, end func()) {
	until, cancel := context.WithCancelCause(ctx)
	t := &o.s.openings
	t.mu.Lock()
	t.all[o] = cancel
	t.mu.Unlock()
	for _, member := range o.keepers { // that may have been gone before
		if err := o.s.p.Check(member); err != nil {
			cancel(err)
		}
	}
	return until, func() {
		t.mu.Lock()
		delete(t.all, o)
		t.mu.Unlock()
		cancel(nil)
	}
}

// gone ends the contexts of the links of a member.
func (t *openings) gone(member, rank int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for o, cancel := range t.all {
		for _, m := range o.keepers {
			if m == member {
				cancel(fmt.Errorf("rank %d: %w", rank, global.ErrRankGone))
			}
		}
	}
}

// forget ends all of them.
func (t *openings) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = make(map[*opening]context.CancelCauseFunc)
}

// gone ends the flows of a member. They count as closed by the partner. Flows that the partner has closed itself stay so.
func (t *flows) gone(member int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range t.byNumber {
		if f.member != member {
			continue
		}
		if f.word == nil {
			f.gone.Store(true)
			continue // begin follows
		}
		if _, over := f.reported(); !over {
			f.gone.Store(true)
			atomic.OrUint64(f.word, ended)
		}
		if f.end.closed {
			_ = t.release(f.end) // on an error the heap is damaged: no call waits for that
		}
	}
}

// begin gives a flow its word.
func (t *flows) begin(f *stream, word *uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	*word = 0
	if f.gone.Load() {
		*word = ended
	}
	f.word = word
}

// over returns why the partner of a flow has ended.
func (f *stream) over() error {
	if f.gone.Load() {
		return global.ErrRankGone
	}
	return ErrEnded
}

// gone ends the watched links of a member.
func (t *watches) gone(member int) {
	t.mu.Lock()
	var ended []*watched
	for _, w := range t.byKey {
		for _, members := range w.members {
			for _, m := range members {
				if m == member {
					ended = append(ended, w)
				}
			}
		}
	}
	t.mu.Unlock()
	for _, w := range ended {
		w.take(&watch.Message{Kind: watch.Over})
	}
}
