package link

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/system/couple/meet"
	"github.com/goacp/goacp/internal/system/couple/side"
	"github.com/goacp/goacp/internal/system/couple/watch"
)

// watchLevels is the number of levels of a watched link: while the messenger still reads the message of one round,
// there is room for the message of the next.
const watchLevels = 2

// watched is the state that one end of a watched link has of the other ends. The first receiver is the
// coordinator.
type watched struct {
	s       *System
	id      uint64
	partner string // the name of the field at the other end
	members [2][]int
	over    atomic.Bool   // there are no more steps
	ended   chan struct{} // closed when over is set

	// The request of the coordinator to a sender.
	asked atomic.Pointer[watch.Message]

	// The choice for a receiver. step is set before chosen.
	chosen atomic.Uint64 // round
	step   atomic.Int64

	// At the first receiver.
	mu          sync.Mutex // guards coordinator
	coordinator *watch.Coordinator
}

func newWatched(o *opening) *watched {
	return &watched{
		s: o.s, id: o.known.ID, partner: meet.Partner(o.name, o.side), members: o.members, ended: make(chan struct{}),
		coordinator: watch.NewCoordinator(len(o.members[side.Sending]), len(o.members[side.Receiving])),
	}
}

// tell sends a message to the end of a member on a side. It does not wait.
func (w *watched) tell(member int, to side.Side, m watch.Message) {
	m.ID, m.To = w.id, to
	w.s.start(member, opWatch, m.Encode(), 0)
}

// end notifies some members of a side that there are no more steps.
func (w *watched) end(to side.Side, members []int) {
	for _, member := range members {
		w.tell(member, to, watch.Message{Kind: watch.Over})
	}
}

// leave notifies other ends that the end with an index on a side is closed. The first receiver gets this notice
// from all ends, and notifies all others.
func (w *watched) leave(sd side.Side, index int) {
	receivers := w.members[side.Receiving]
	if sd == side.Sending || index > 0 {
		w.end(side.Receiving, receivers[:1])
		return
	}
	w.end(side.Receiving, receivers[1:])
	w.end(side.Sending, w.members[side.Sending])
}

// take handles a message of another end.
func (w *watched) take(m *watch.Message) {
	switch m.Kind {
	case watch.Wish:
		w.mu.Lock()
		w.coordinator.Wish()
		w.mu.Unlock()
	case watch.Ask:
		w.asked.Store(m)
		return // no goroutine waits for that
	case watch.Sent, watch.Passed:
		w.mu.Lock()
		w.coordinator.Answered(m)
		w.mu.Unlock()
	case watch.Chosen:
		w.step.Store(m.Step)
		w.chosen.Store(m.Round)
	case watch.Over:
		if !w.over.Swap(true) {
			close(w.ended)
		}
	}
	w.s.p.Cond.Lock()
	w.s.p.Cond.Broadcast()
	w.s.p.Cond.Unlock()
}

// wait waits until done holds. member is the member for which it waits. Fails with ErrEnded if there are no more
// steps, with the error of ctx, and if the run is over.
func (w *watched) wait(ctx context.Context, member int, done func() bool) error {
	err := w.s.p.Cond.WaitContext(ctx, activity.On(activity.Link, member).About(w.partner), func() bool { return done() || w.over.Load() })
	if err == nil && !done() {
		return fmt.Errorf("rank %d: %w", w.s.p.Ranks.Rank(member), ErrEnded)
	}
	return err
}

// watchKey names an end of a watched link at its process.
type watchKey struct {
	id   uint64
	side side.Side
}

// watches are the ends of watched links of this process.
type watches struct {
	mu    sync.Mutex
	byKey map[watchKey]*watched
}

func (t *watches) enter(k watchKey, w *watched) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.byKey[k] = w
}

func (t *watches) remove(k watchKey) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.byKey, k)
}

// forget ends all of them.
func (t *watches) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.byKey = make(map[watchKey]*watched)
}

// serveWatch takes a message of another end of a watched link. Nothing happens if this end is closed.
func (s *System) serveWatch(r fabric.Request) (int, error) {
	m, err := watch.Decode(r.Body)
	if err != nil {
		return 0, err
	}
	s.watches.mu.Lock()
	w := s.watches.byKey[watchKey{m.ID, m.To}]
	s.watches.mu.Unlock()
	if w != nil {
		w.take(&m)
	}
	return 0, nil
}

// choose chooses the next step for all receivers, which is greater than the previous step, and sends it to them.
// If ctx ends first, it may be called again.
func (w *watched) choose(ctx context.Context, before int64) error {
	senders, receivers := w.members[side.Sending], w.members[side.Receiving]
	if err := w.wait(ctx, receivers[0], func() bool { return w.coordinated((*watch.Coordinator).Wanted) }); err != nil {
		return err
	}
	w.mu.Lock()
	m, begins := w.coordinator.Begin(before)
	w.mu.Unlock()
	if begins {
		w.tellAll(side.Sending, m)
	}
	for {
		if err := w.wait(ctx, senders[0], func() bool { return w.coordinated((*watch.Coordinator).Decided) }); err != nil {
			return err
		}
		w.mu.Lock()
		m := w.coordinator.Decide()
		w.mu.Unlock()
		if m.Kind == watch.Chosen {
			for _, member := range receivers[1:] {
				w.tell(member, side.Receiving, m)
			}
			w.step.Store(m.Step)
			w.chosen.Store(m.Round)
			return nil
		}
		w.tellAll(side.Sending, m)
	}
}

// coordinated gets the step from the coordinator.
func (w *watched) coordinated(what func(*watch.Coordinator) bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return what(w.coordinator)
}

// tellAll sends a message to the ends of all members on a side.
func (w *watched) tellAll(to side.Side, m watch.Message) {
	for _, member := range w.members[to] {
		w.tell(member, to, m)
	}
}
