package meet

import "slices"

// agreed is a link whose ranks have introduced themselves, and are to meet again.
type agreed struct {
	link    string
	members []int   // of both sides; of a broken link those that have not got the answer
	broken  Outcome // why the ranks do not meet again
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
func (h *Host) brokenBefore(a *Arrival, from int) Outcome {
	x := h.agreed[a.ID]
	if x == nil || x.broken.code == 0 {
		return Outcome{}
	}
	h.answered(a.ID, x, from)
	return x.broken
}

// answered notes that a member has got the answer about a broken link, on one side.
func (h *Host) answered(id uint64, x *agreed, member int) {
	if i := slices.Index(x.members, member); i >= 0 {
		x.members = slices.Delete(x.members, i, i+1)
	}
	if len(x.members) == 0 {
		delete(h.agreed, id)
	}
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
		if x.broken.code == 0 {
			x.broken = problem(ErrPartner, "rank %d has left the run or is lost", rank)
		}
		for _, question := range []Question{AboutReadiness, AboutConnection} {
			answers = append(answers, h.breakOff(meetingKey{question, x.link, id}, x, member)...)
		}
		if len(x.members) == 0 {
			delete(h.agreed, id)
		}
	}
	return answers
}

// breakOff ends a meeting of a broken link, if it has begun. A member that is gone gets no answer.
func (h *Host) breakOff(key meetingKey, x *agreed, gone int) []Answer {
	m := h.open[key]
	if m == nil {
		return nil
	}
	delete(h.open, key)
	m.forget(gone)
	for _, g := range m.sides {
		for _, who := range g.present {
			if who.ticket != nil {
				h.answered(key.id, x, who.from)
			}
		}
	}
	return m.answer(x.broken.Encode())
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
