package link

import (
	"maps"

	"github.com/goacp/goacp/internal/fabric"
)

// refusal is why the ranks of a side wait for a link in vain. Those that come later are told so, too.
type refusal struct {
	side side
	why  outcome
	left int // ranks that have not come
}

// begins notes that a rank wants the link. It returns why the rank waits in vain.
func (h *meetings) begins(a *attendance) outcome {
	if f := h.refused[a.name]; f != nil && f.side == a.side {
		if f.left--; f.left <= 0 {
			delete(h.refused, a.name)
		}
		return f.why
	}
	senders := h.over[a.name]
	if a.side == sending {
		maps.DeleteFunc(senders, func(i int, _ bool) bool { return i == a.index || i >= a.size })
		if len(senders) == 0 {
			delete(h.over, a.name)
		}
		return outcome{}
	}
	for i := range senders {
		return hasEnded(i)
	}
	return outcome{}
}

// ends notes that a sender publishes no more. The receivers of the meeting are told so.
func (h *meetings) ends(a *attendance) {
	if h.over[a.name] == nil {
		h.over[a.name] = make(map[int]bool)
	}
	h.over[a.name][a.index] = true
	key := meetingKey{aboutIntroduction, a.name, 0}
	if m := h.open[key]; m != nil {
		why := acquaintance{outcome: hasEnded(a.index)}
		m.sides[receiving].answer(why.encode())
		m.sides[receiving] = gathering{}
		if m.empty() {
			delete(h.open, key)
		}
	}
}

// hasEnded returns the outcome for receivers whose sender publishes no more.
func hasEnded(index int) outcome {
	return problem(ErrEnded, "process %d of the sending side has closed the link", index)
}

// serveRefuse ends a meeting whose other side will never come, as the first rank of a side has found out.
func (s *System) serveRefuse(r fabric.Request) (int, error) {
	a, err := decodeAttendance(r.Body)
	if err != nil {
		return 0, err
	}
	why, err := decodeOutcome(a.body)
	if err != nil {
		return 0, err
	}
	h := &s.meetings
	h.mu.Lock()
	defer h.mu.Unlock()
	key := meetingKey{aboutIntroduction, a.name, 0}
	m := h.open[key]
	if m == nil || m.sides[a.side].size != a.size {
		return 0, nil
	}
	delete(h.open, key)
	if left := a.size - m.sides[a.side].came; left > 0 {
		h.refused[a.name] = &refusal{a.side, why, left}
	}
	refused := acquaintance{outcome: why}
	m.answer(refused.encode())
	return 0, nil
}
