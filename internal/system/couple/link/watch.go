package link

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/activity"
)

// watchLevels is the number of levels of a watched link: while the messenger still takes a message of one round,
// there is room for one of the next.
const watchLevels = 2

// What ends of a watched link tell each other.
const (
	saysWish   = iota // a receiver to the chooser: it wants a step
	saysAsk           // the chooser to a sender: in this round, send the first step that is not less than this one
	saysSent          // a sender to the chooser: this step, in this round
	saysPassed        // a sender to the chooser: it has come to this step, and had passed the one of this round
	saysChosen        // the chooser to a receiver: this round has brought this step from all senders
	saysOver          // one end to another: there will be no more steps
	sayings
)

// saying is what one end of a watched link tells another one.
type saying struct {
	id    uint64 // of the link
	to    side   // of the end that is told
	what  uint64
	round uint64
	step  int64
}

func (m *saying) encode() []byte {
	var w writer
	w.number(m.id)
	w.number(uint64(m.to))
	w.number(m.what)
	w.number(m.round)
	w.signed(m.step)
	return w
}

func decodeSaying(b []byte) (m saying, err error) {
	r := reader{rest: b}
	m.id, m.to = r.number(), side(r.count(int(receiving)))
	m.what, m.round, m.step = uint64(r.count(sayings-1)), uint64(r.count(math.MaxInt)), r.signed()
	return m, r.end()
}

// watch is what one end of a watched link knows of the others. The first receiver is the chooser.
type watch struct {
	s       *System
	id      uint64
	partner string // the name of the field at the other end
	members [2][]int
	over    atomic.Bool   // there will be no more steps
	ended   chan struct{} // closed when over is set

	// What the chooser has asked a sender for.
	asked atomic.Pointer[saying]

	// What has been chosen for a receiver. step is set before chosen.
	chosen atomic.Uint64 // round
	step   atomic.Int64

	chooser // at the first receiver
}

func newWatch(o *opening) *watch {
	return &watch{s: o.s, id: o.known.id, partner: partnerOf(o.name, o.side), members: o.members, ended: make(chan struct{})}
}

// tell tells the end of a member on a side. It does not wait.
func (w *watch) tell(member int, to side, m saying) {
	m.id, m.to = w.id, to
	w.s.start(member, opWatch, m.encode(), 0)
}

// end says to some members of a side that there will be no more steps.
func (w *watch) end(to side, members []int) {
	for _, m := range members {
		w.tell(m, to, saying{what: saysOver})
	}
}

// leave tells other ends that the end with an index on a side is closed. The first receiver hears it from all, and
// tells the rest.
func (w *watch) leave(sd side, index int) {
	receivers := w.members[receiving]
	if sd == sending || index > 0 {
		w.end(receiving, receivers[:1])
		return
	}
	w.end(receiving, receivers[1:])
	w.end(sending, w.members[sending])
}

// take notes what another end has told this one.
func (w *watch) take(m *saying) {
	switch m.what {
	case saysWish:
		w.wishes.Add(1)
	case saysAsk:
		w.asked.Store(m)
		return // no goroutine waits for that
	case saysSent, saysPassed:
		w.answered(m.round, m.step, m.what == saysPassed, len(w.members[sending]))
	case saysChosen:
		w.step.Store(m.step)
		w.chosen.Store(m.round)
	case saysOver:
		if !w.over.Swap(true) {
			close(w.ended)
		}
	}
	w.s.p.Cond.Lock()
	w.s.p.Cond.Broadcast()
	w.s.p.Cond.Unlock()
}

// wait waits until done holds, for which a member has to act. Fails with ErrEnded if there are no more steps, with
// the error of ctx, and if the run is over.
func (w *watch) wait(ctx context.Context, member int, done func() bool) error {
	err := w.s.p.Cond.WaitContext(ctx, activity.On(activity.Link, member).About(w.partner), func() bool { return done() || w.over.Load() })
	if err == nil && !done() {
		return fmt.Errorf("rank %d: %w", w.s.p.Ranks.Rank(member), ErrEnded)
	}
	return err
}

// watchKey names an end of a watched link at its process.
type watchKey struct {
	id   uint64
	side side
}

// watches are the ends of watched links of this process.
type watches struct {
	mu    sync.Mutex
	byKey map[watchKey]*watch
}

func (t *watches) enter(k watchKey, w *watch) {
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
	t.byKey = make(map[watchKey]*watch)
}

// serveWatch takes what another end of a watched link tells. Nothing happens if this end is closed.
func (s *System) serveWatch(r fabric.Request) (int, error) {
	m, err := decodeSaying(r.Body)
	if err != nil {
		return 0, err
	}
	s.watches.mu.Lock()
	w := s.watches.byKey[watchKey{m.id, m.to}]
	s.watches.mu.Unlock()
	if w != nil {
		w.take(&m)
	}
	return 0, nil
}
