package meet

import (
	"math"
	"slices"

	"github.com/goacp/goacp/internal/system/couple/conserve"
	"github.com/goacp/goacp/internal/system/couple/side"
	"github.com/goacp/goacp/internal/system/couple/wire"
)

// Totals adds the parts that the ranks of one link have in the integrals of each message. The first receiver keeps it.
type Totals struct {
	members [2][]int // of both sides
	numbers int      // of a part
	next    int64    // no receiver needs the sums of earlier messages
	rounds  map[int64]*round
}

// round is the parts of one message.
type round struct {
	parts   [2][][]float64
	missing int
	tickets []Ticket
}

// mostRounds bounds the messages whose parts have not all come. A sender waits for the answer of a part when it is as many
// messages ahead as a link has levels.
const mostRounds = 2 * MaxLevels

// NewTotals returns the Totals of a link between members, whose points have a number of real numbers.
func NewTotals(members [2][]int, reals int) *Totals {
	return &Totals{members: members, numbers: reals + 1, rounds: make(map[int64]*round)}
}

// Add takes the part of a member. When all parts of a message have come, it answers all of them with the conserve.Sums of the message.
// A part of a message that no receiver needs has an empty answer.
func (t *Totals) Add(p *conserve.Part, from int, ticket Ticket) []Answer {
	bad := []Answer{{To: ticket, Err: wire.ErrMalformed}}
	if p.Index >= len(t.members[p.Side]) || t.members[p.Side][p.Index] != from || len(p.Sums) != t.numbers {
		return bad
	}
	if p.Number < t.next {
		return []Answer{{To: ticket}}
	}
	r := t.rounds[p.Number]
	if r == nil {
		if len(t.rounds) >= mostRounds {
			return bad
		}
		r = new(round)
		for sd, all := range t.members {
			r.parts[sd] = make([][]float64, len(all))
			r.missing += len(all)
		}
		t.rounds[p.Number] = r
	}
	if r.parts[p.Side][p.Index] != nil {
		return bad
	}
	r.parts[p.Side][p.Index] = p.Sums
	r.tickets = append(r.tickets, ticket)
	if r.missing--; r.missing > 0 {
		return nil
	}
	delete(t.rounds, p.Number)
	sums := conserve.Total(r.parts)
	body := sums.Encode()
	answers := make([]Answer, len(r.tickets))
	for i, to := range r.tickets {
		answers[i] = Answer{To: to, Body: body}
	}
	return answers
}

// Drop gives empty answers to the parts of all messages before a number, which no receiver needs.
func (t *Totals) Drop(number int64) []Answer {
	t.next = max(t.next, number)
	var answers []Answer
	for n, r := range t.rounds {
		if n >= t.next {
			continue
		}
		delete(t.rounds, n)
		for _, to := range r.tickets {
			answers = append(answers, Answer{To: to})
		}
	}
	return answers
}

// End is Drop for all messages.
func (t *Totals) End() []Answer { return t.Drop(math.MaxInt64) }

// Gone is End if a member is a rank of the link.
func (t *Totals) Gone(member int) []Answer {
	if !slices.Contains(t.members[side.Sending], member) && !slices.Contains(t.members[side.Receiving], member) {
		return nil
	}
	return t.End()
}
