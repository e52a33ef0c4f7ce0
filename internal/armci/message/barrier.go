package message

// Barrier returns when all processes of the team have called it. What one of them has stored
// before is visible to the others after it. Fails if the run is over.
//
// If there is no board, each process tells in round k the one 2^k ranks further that it has come so
// far.
func (h *Hub) Barrier(t *Team) error {
	if err := h.enter(); err != nil {
		return err
	}
	defer h.leave()
	shared, err := h.board(t)
	if err != nil {
		return err
	}
	if shared != nil {
		return shared.Barrier()
	}
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
