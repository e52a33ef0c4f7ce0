package message

import "github.com/goacp/goacp/internal/structure/collarea"

// Barrier returns when all processes of the team have called it. What one of them has stored
// before is visible to the others after it. Fails with global.ErrRankGone if one of them is gone, and if the run is over.
func (h *Engine) Barrier(t *Team) error {
	return h.together(t, (*collarea.Area).Barrier, func() error { return h.disseminate(t) })
}

// disseminate is Barrier by messages: in round k each process tells the one 2^k ranks further that it has
// come so far.
func (h *Engine) disseminate(t *Team) error {
	l := t.label(tagBarrier)
	failed := t.failed()
	for d := 1; d < t.size(); d *= 2 {
		to, from := t.Members[(t.Rank+d)%t.size()], t.Members[(t.Rank-d+t.size())%t.size()]
		if failed != nil {
			if err := h.sendEnd(l, to, failed); err != nil {
				return err
			}
			continue
		}
		failed = h.Send(l, to, nil)
		if failed == nil {
			_, failed = h.Receive(l, from, nil)
		}
	}
	return failed
}
