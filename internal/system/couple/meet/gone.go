package meet

import "slices"

// agreed is a link whose ranks have introduced themselves, and are to meet again.
type agreed struct {
	link    string
	members []int   // of both sides, without those that are gone
	broken  Outcome // what the ranks get at their next meeting if one of them is gone
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

// Gone lets a member leave all meetings, since it has left the run or is lost. The links that it was about to have
// are not made: their ranks get ErrPartner when the others have come to their next meeting. Other cohorts may have the models of its cohort.
func (h *Host) Gone(c Caller) (answers []Answer) {
	member, rank := c.Member, c.Rank
	h.events++
	h.disown(c.Cohort)
	for key, m := range h.open {
		m.forget(member)
		if m.empty() {
			delete(h.open, key)
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
			if key := (meetingKey{question, x.link, id}); h.open[key] != nil {
				answers = append(answers, h.breakOff(key)...)
			}
		}
		if len(x.members) == 0 {
			delete(h.agreed, id)
		}
	}
	return answers
}

// isBroken reports whether a meeting is about a broken link.
func (h *Host) isBroken(key meetingKey) bool {
	x := h.agreed[key.id]
	return key.question != AboutIntroduction && x != nil && x.broken.code != 0
}

// breakOff ends the meeting of a broken link if all members have come that are not gone. None of them sends anything about the link after
// that. A member that is gone may have come, too.
func (h *Host) breakOff(key meetingKey) []Answer {
	m, x := h.open[key], h.agreed[key.id]
	if m.sides[0].came+m.sides[1].came < len(x.members) {
		return nil
	}
	present := make(map[int]bool)
	for _, member := range x.members {
		present[member] = true
	}
	came := 0
	for _, g := range m.sides {
		for _, who := range g.present {
			if who.ticket != nil && present[who.from] {
				came++
			}
		}
	}
	if came < len(x.members) {
		return nil
	}
	delete(h.open, key)
	delete(h.agreed, key.id)
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
