package link

import (
	"context"
	"sync"
	"sync/atomic"
)

// chooser chooses which step all receivers of a watched link get. Senders do not wait for each other. So the
// chooser asks for a step that is ahead of them. If it hears that a sender has passed that step, it asks for a later
// one, and goes further ahead each time.
type chooser struct {
	wishes atomic.Int64  // receivers that want the next step
	result atomic.Uint64 // the last round in which all senders have sent, or one had passed the step

	mu       sync.Mutex // guards what follows
	round    uint64     // the present one
	waiting  int        // senders that have not answered in it
	step     int64      // that those which have answered have sent, if they agree
	agree    bool
	greatest int64 // the last step that a sender has come to

	// The goroutine that chooses has these.
	asking bool
	ahead  int64 // how far to go next
}

// begin begins a round and returns its number.
func (c *chooser) begin(senders int) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.round++
	c.waiting, c.agree = senders, true
	return c.round
}

// answered notes that a sender has sent a step in a round, or that it has come to a step and had passed the one that
// was asked for.
func (c *chooser) answered(round uint64, step int64, passed bool, senders int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.greatest = max(c.greatest, step)
	if round != c.round {
		return
	}
	if c.waiting == senders {
		c.step = step
	}
	c.waiting--
	c.agree = c.agree && !passed && step == c.step
	if c.waiting == 0 || !c.agree {
		c.result.Store(round)
	}
}

// outcome returns the step that all senders have sent, or the last one that any has come to and false.
func (c *chooser) outcome() (step int64, agree bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.agree {
		return c.step, true
	}
	return c.greatest, false
}

// choose chooses the next step that all receivers get, which is greater than the one before, and tells them. If
// ctx ends first, it may be called again.
func (w *watch) choose(ctx context.Context, before int64) error {
	senders, receivers := w.members[sending], w.members[receiving]
	if !w.asking {
		if err := w.wait(ctx, receivers[0], func() bool { return w.wishes.Load() == int64(len(receivers)) }); err != nil {
			return err
		}
		w.wishes.Store(0)
		w.asking, w.ahead = true, 1
		w.ask(before + 1)
	}
	for {
		if err := w.wait(ctx, senders[0], func() bool { return w.result.Load() == w.round }); err != nil {
			return err
		}
		step, agree := w.chooser.outcome()
		if agree {
			w.asking = false
			for _, m := range receivers[1:] {
				w.tell(m, receiving, saying{what: saysChosen, round: w.round, step: step})
			}
			w.step.Store(step)
			w.chosen.Store(w.round)
			return nil
		}
		w.ask(step + w.ahead)
		w.ahead *= 2
	}
}

// ask begins a round, in which each sender sends the first step that it comes to and that is not less than
// from.
func (w *watch) ask(from int64) {
	round := w.begin(len(w.members[sending]))
	for _, m := range w.members[sending] {
		w.tell(m, sending, saying{what: saysAsk, round: round, step: from})
	}
}
