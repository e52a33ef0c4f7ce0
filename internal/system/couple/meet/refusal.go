package meet

import (
	"maps"

	"github.com/goacp/goacp/internal/system/couple/side"
)

// refused is the reason why the ranks of a side wait for a link in vain. Later ranks get the same reason.
type refused struct {
	side side.Side
	why  Outcome
	left int // ranks that have not come
}

// begins records that a rank opens the link. It returns the reason if the rank waits in vain.
func (h *Host) begins(a *Arrival) Outcome {
	if f := h.refused[a.Link]; f != nil && f.side == a.Side {
		if f.left--; f.left <= 0 {
			delete(h.refused, a.Link)
		}
		return f.why
	}
	senders := h.over[a.Link]
	if a.Side == side.Sending {
		maps.DeleteFunc(senders, func(i int, _ bool) bool { return i == a.Index || i >= a.Size })
		if len(senders) == 0 {
			delete(h.over, a.Link)
		}
		return Outcome{}
	}
	for i := range senders {
		return hasEnded(i)
	}
	return Outcome{}
}

// ends records that a sender has ended its publication. The receivers of the meeting get this reason.
func (h *Host) ends(a *Arrival) []Answer {
	if h.over[a.Link] == nil {
		h.over[a.Link] = make(map[int]bool)
	}
	h.over[a.Link][a.Index] = true
	key := meetingKey{question: AboutIntroduction, link: a.Link}
	m := h.open[key]
	if m == nil {
		return nil
	}
	answers := m.sides[side.Receiving].answer(refusal(hasEnded(a.Index)))
	m.sides[side.Receiving] = gathering{}
	if m.empty() {
		delete(h.open, key)
	}
	return answers
}

// hasEnded returns the outcome for receivers whose sender has ended its publication.
func hasEnded(index int) Outcome {
	return problem(ErrEnded, "process %d of the sending side has closed the link", index)
}

// Refuse ends a meeting after the first rank of a side has found that the other side will never come. Body of the
// arrival is the Outcome with the reason. Fails with wire.ErrMalformed.
func (h *Host) Refuse(a *Arrival) ([]Answer, error) {
	why, err := DecodeOutcome(a.Body)
	if err != nil {
		return nil, err
	}
	key := meetingKey{question: AboutIntroduction, link: a.Link}
	m := h.open[key]
	if m == nil || m.sides[a.Side].size != a.Size {
		return nil, nil
	}
	delete(h.open, key)
	if left := a.Size - m.sides[a.Side].came; left > 0 {
		h.refused[a.Link] = &refused{a.Side, why, left}
	}
	return m.answer(refusal(why)), nil
}
