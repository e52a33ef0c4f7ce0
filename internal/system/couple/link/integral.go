package link

import (
	"context"
	"fmt"
	"time"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/system/couple/conserve"
	"github.com/goacp/goacp/internal/system/couple/meet"
	"github.com/goacp/goacp/internal/system/couple/side"
)

// integral is the state of an end of a link that conserves. The first receiver is the root, which adds the parts of all ranks.
type integral struct {
	method conserve.Method
	root   int       // the member
	areas  []float64 // in order of the layout; nil: each is 1
	index  int       // of this rank on its side

	asked   []*reply // of a sender: for the last messages, which the root has not answered
	pending *reply   // of a receiver: for a message that it has taken, whose time limit has passed; nil if there is none
	number  int64    // of the message of pending
}

// Conserve lets links of the field that are opened from now on keep its integral. area returns that of the point at a position in
// memory; nil means 1 for each. Fails with ErrOptions for a field of integers.
func (f *Field) Conserve(m conserve.Method, area func(position int64) float64) error {
	if !m.Valid() {
		return fmt.Errorf("field %s: %w: method %d of conservation; expected none, add or multiply", f.Name(), ErrOptions, m)
	}
	if err := f.timeable(); err != nil {
		return err
	}
	f.conserve, f.area = m, area
	return nil
}

// keepIntegral prepares an end to keep the integral. members are those of both sides.
func (e *end) keepIntegral(m conserve.Method, members [2][]int) error {
	t, err := e.timing()
	if err != nil {
		return err
	}
	reals := e.field.element.Reals()
	if 16*(reals+1) > fabric.CallMax/2 {
		return fmt.Errorf("%w: conservation of %v", ErrOptions, e.field.element)
	}
	t.integral = &integral{method: m, root: members[side.Receiving][0], index: e.field.model.index}
	if area := t.program.area; area != nil {
		t.integral.areas = make([]float64, 0, t.layout.Len())
		t.layout.Positions.Each(func(at int64) { t.integral.areas = append(t.integral.areas, area(at)) })
	}
	if e.rooted() {
		e.s.totals.mu.Lock()
		defer e.s.totals.mu.Unlock()
		e.s.totals.machine[e.id] = meet.NewTotals(members, reals)
	}
	return nil
}

// rooted reports whether this end is the root of a link that conserves.
func (e *end) rooted() bool {
	return e.timed != nil && e.timed.integral != nil && e.side == side.Receiving && e.timed.integral.index == 0
}

// endIntegral ends the sums of the link at the root.
func (e *end) endIntegral() {
	if !e.rooted() {
		return
	}
	deliver(e.s.totals.do(func(all map[uint64]*meet.Totals) (answers []meet.Answer) {
		if t := all[e.id]; t != nil {
			answers = t.End()
			delete(all, e.id)
		}
		return answers
	}))
}

// drop notes at the root that no receiver needs messages before a number.
func (e *end) drop(number int64) {
	if !e.rooted() {
		return
	}
	deliver(e.s.totals.do(func(all map[uint64]*meet.Totals) (answers []meet.Answer) {
		if t := all[e.id]; t != nil {
			answers = t.Drop(number)
		}
		return answers
	}))
}

// serveIntegral takes the part of a rank. If the link is closed here, the answer is empty.
func (s *System) serveIntegral(r fabric.Request) (int, error) {
	p, err := conserve.DecodePart(r.Body, s.p.Ranks.Seats())
	if err != nil {
		return 0, err
	}
	to := deferRequest(r)
	deliver(s.totals.do(func(all map[uint64]*meet.Totals) []meet.Answer {
		if t := all[p.Link]; t != nil {
			return t.Add(&p, r.From, to)
		}
		return []meet.Answer{{To: to}}
	}))
	s.recheck(r.From)
	return 0, nil
}

// part sends the part of this rank of a message to the root.
func (e *end) part(number int64) *reply {
	t := e.timed
	p := conserve.Part{
		Link: e.id, Number: number, Side: e.side, Index: t.integral.index,
		Sums: conserve.Of(t.values, t.integral.areas, e.field.element.Reals()),
	}
	return e.s.start(t.integral.root, opIntegral, p.Encode(), fabric.CallMax)
}

// wait waits for the answer of the root. A program that waits sees for which link.
func (e *end) wait(ctx context.Context, r *reply) ([]byte, error) {
	select {
	case <-r.done:
	default:
		defer e.noteWait(time.Now())
		reason := activity.On(activity.Link, e.timed.integral.root).About(meet.Partner(e.name, e.side))
		defer e.s.p.Budget.Unpark(e.s.p.Budget.Park(reason))
	}
	answer, err := e.s.answer(ctx, r)
	if err != nil {
		err = e.wrap(nil, global.Cause(err))
	}
	return answer, err
}

// account waits until the root has answered all but the last messages of a sender. So a sender without common points is as many
// messages ahead as the others at most.
func (s *Sender) account(ctx context.Context) error {
	i := s.timed.integral
	for i != nil && uint64(len(i.asked)) > s.levels {
		if _, err := s.wait(ctx, i.asked[0]); err != nil {
			return err
		}
		i.asked = i.asked[1:]
	}
	return nil
}

// contribute sends the part of a sender of a message.
func (s *Sender) contribute(number int64) {
	if i := s.timed.integral; i != nil {
		i.asked = append(i.asked, s.part(number))
	}
}

// correct changes the values of a message so that the integral is that of the senders. If ctx ends, the next call continues.
func (r *Receiver) correct(ctx context.Context, number int64) error {
	t := r.timed
	i := t.integral
	if i == nil {
		return nil
	}
	switch {
	case i.pending == nil:
		i.pending, i.number = r.part(number), number
	case i.number != number:
		return r.wrap(nil, fmt.Errorf("%w: message %d has come, and its sums are missing; it is to be received before message %d", ErrStep, i.number, number))
	}
	answer, err := r.wait(ctx, i.pending)
	if err != nil {
		return err
	}
	if len(answer) == 0 {
		return r.wrap(nil, fmt.Errorf("%w: the first rank of this side has closed the link", ErrEnded))
	}
	sums, err := conserve.DecodeSums(answer, r.field.element.Reals())
	if err != nil {
		return r.wrap(nil, err)
	}
	i.pending = nil
	sums.Correct(i.method, t.values)
	return nil
}
