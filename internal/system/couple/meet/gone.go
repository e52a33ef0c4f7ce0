package meet

import (
	"slices"

	"github.com/goacp/goacp/internal/system/couple/wire"
)

// agreed is a link whose ranks have introduced themselves, and are to meet again.
type agreed struct {
	link    string
	members []int // of both sides
	broken  Outcome
	left    int // of a broken link: ranks that have not got the answer
}

// agree records the link of a meeting whose ranks have all come.
func (h *Host) agree(link string, id uint64, m *meeting) {
	x := &agreed{link: link}
	for i := range m.sides {
		for _, who := range m.sides[i].present {
			x.members = append(x.members, who.from)
		}
	}
	h.agreed[id] = x
}

// brokenBefore returns why the ranks of a link do not meet again; the zero Outcome if they do.
func (h *Host) brokenBefore(a *Arrival) Outcome {
	x := h.agreed[a.ID]
	if x == nil || x.broken.code == 0 {
		return Outcome{}
	}
	why := x.broken
	if x.left--; x.left <= 0 {
		delete(h.agreed, a.ID)
	}
	return why
}

// Gone lets a member leave all meetings, since it has left the run or is lost. The links that it was about to have
// are not made: their ranks get ErrPartner. Other cohorts may have the models of its cohort.
func (h *Host) Gone(c Caller) (answers []Answer) {
	member, rank := c.Member, c.Rank
	h.events++
	h.disown(c.Cohort)
	for key, m := range h.open {
		if key.question == AboutIntroduction {
			m.forget(member)
			if m.empty() {
				delete(h.open, key)
			}
		}
	}
	for id, x := range h.agreed {
		if !slices.Contains(x.members, member) {
			continue
		}
		x.members = slices.DeleteFunc(x.members, func(other int) bool { return other == member })
		x.broken = problem(ErrPartner, "rank %d has left the run or is lost", rank)
		key := meetingKey{question: AboutReadiness, link: x.link, id: id}
		x.left = len(x.members)
		if m := h.open[key]; m != nil {
			m.forget(member)
			x.left -= m.sides[0].came + m.sides[1].came
			answers = append(answers, m.answer(x.broken.Encode())...)
			delete(h.open, key)
		}
		if x.left <= 0 {
			delete(h.agreed, id)
		}
	}
	return answers
}

// forget removes a member, which gets no answer.
func (m *meeting) forget(member int) {
	for i := range m.sides {
		g := &m.sides[i]
		for k := range g.present {
			if g.present[k].ticket == nil || g.present[k].from != member {
				continue
			}
			g.present[k] = attendant{}
			if g.came--; g.came == 0 {
				*g = gathering{}
				break
			}
		}
	}
}

// Gone ends the models of a member that has left the run or is lost, and forgets its requests.
func (g *Registry) Gone(c Caller) (answers []Answer) {
	for name, m := range g.models {
		for by := range m.asking {
			if by.from == c.Member {
				delete(m.asking, by)
			}
		}
		if m.declared[c.Member] && !m.ended {
			// Only a list of members can be malformed.
			more, _ := g.Report(&Report{Fact: Ended, Model: name}, c)
			answers = append(answers, more...)
		}
	}
	return answers
}

// Break ends the shard of a link of which a member is gone. Requests for findings fail with wire.ErrMalformed, those
// that wait and later ones.
func (s *Shards) Break(id uint64) (answers []Answer) {
	if of := s.byID[id]; of != nil {
		for _, w := range of.waiting {
			answers = append(answers, Answer{To: w.ticket, Err: wire.ErrMalformed})
		}
		delete(s.byID, id)
	}
	s.broken[id] = true
	return answers
}
