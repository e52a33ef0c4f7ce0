package meet

import (
	"maps"

	"github.com/goacp/goacp/internal/system/couple/side"
)

// refused is the reason why the ranks of a cohort on a side wait for a link in vain. Ranks that have not come get the same reason, each once.
type refused struct {
	why     Outcome
	missing map[int]bool // the ranks, by index
}

// refusedKey names the ranks that are refused.
type refusedKey struct {
	sideKey
	cohort int
}

// refuseOthers gives a reason to the ranks of a cohort that have not come, of a side with a number of ranks.
func (h *Host) refuseOthers(key sideKey, cohort int, why Outcome, size int, came func(index int) bool) {
	missing := make(map[int]bool)
	for i := range size {
		if !came(i) {
			missing[i] = true
		}
	}
	if len(missing) > 0 {
		h.refused[refusedKey{key, cohort}] = &refused{why, missing}
	}
}

// refusedBefore returns the reason why a rank waits in vain because others of its side did; the zero Outcome if they did not, or
// the rank has got the reason.
func (h *Host) refusedBefore(a *Arrival, cohort int) Outcome {
	key := refusedKey{sideOf(a), cohort}
	f := h.refused[key]
	if f == nil || !f.missing[a.Index] {
		return Outcome{}
	}
	delete(f.missing, a.Index)
	if len(f.missing) == 0 {
		delete(h.refused, key)
	}
	return f.why
}

// begins records that a rank opens the link. It returns the reason if the rank waits in vain.
func (h *Host) begins(a *Arrival) Outcome {
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
// arrival is the Outcome with the reason, and cohort is that of the rank. Fails with wire.ErrMalformed.
func (h *Host) Refuse(a *Arrival, cohort int) ([]Answer, error) {
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
	h.refuseOthers(sideOf(a), cohort, why, a.Size, m.sides[a.Side].has)
	return m.answer(refusal(why)), nil
}
