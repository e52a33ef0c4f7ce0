package message

import "github.com/goacp/goacp/internal/structure/collarea"

// Barrier returns when all processes of the team have called it. What one of them has stored
// before is visible to the others after it. Fails if the run is over.
func (h *Engine) Barrier(t *Team) error {
	return h.together(t, (*collarea.Area).Barrier, func() error { return h.disseminate(t) })
}

// disseminate is Barrier by messages: in round k each process tells the one 2^k ranks further that it has
// come so far.
func (h *Engine) disseminate(t *Team) error {
	l := t.label(tagBarrier)
	for d := 1; d < t.size(); d *= 2 {
		if err := h.Send(l, t.Members[(t.Rank+d)%t.size()], nil); err != nil {
			return err
		}
		if _, err := h.Receive(l, t.Members[(t.Rank-d+t.size())%t.size()], nil); err != nil {
			return err
		}
	}
	return nil
}
