package message

// Gather gives all processes of the team what each of them brings: all is the blocks of own, by
// rank. All pass the same length. Neither slice is on the stack. Fails with ErrUnequal, with
// ErrTooLong, and if the run is over.
//
// A process that has 2^k blocks, those of the ranks from its own on, gets as many from the process
// 2^k ranks further.
func (h *Engine) Gather(t *Team, own []byte) (all []byte, err error) {
	n, size := len(own), t.size()
	turned := make([]byte, size*n) // block i is that of rank t.Rank+i
	copy(turned, own)
	if n == 0 {
		return turned, nil
	}
	if err := h.enter(); err != nil {
		return nil, err
	}
	defer h.leave()
	l := t.label(tagGather)
	for d := 1; d < size; d *= 2 {
		count := min(d, size-d)
		o, err := h.post(l, t.Members[(t.Rank-d+size)%size], turned[:count*n], 0)
		if err != nil {
			return nil, err
		}
		part := turned[d*n : (d+count)*n]
		got, err := h.Receive(l, t.Members[(t.Rank+d)%size], part)
		if err == nil && got != len(part) {
			err = errUnequal(uint64(got), part)
		}
		if err == nil && o != nil {
			err = h.await(o)
		}
		if err != nil {
			return nil, err
		}
	}
	all = make([]byte, len(turned))
	copied := copy(all[t.Rank*n:], turned)
	copy(all, turned[copied:])
	return all, nil
}
