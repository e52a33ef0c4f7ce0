package list

// State returns the first place of a list and the number of its elements.
func (h *Heaps) State(list uint64) (first, n uint64, err error) {
	l, err := h.open(list)
	return l.next, l.n, err
}

// Size returns the bytes of the value of an element.
func (h *Heaps) Size(place uint64) (uint64, error) {
	e, err := h.node(place)
	return e.n, err
}

// Step returns the place n elements further, at most the end. If n is negative, it goes back,
// at most to the first element.
func (h *Heaps) Step(list, place uint64, n int64) (uint64, error) {
	if n == 0 || n > 0 && place == list {
		return place, nil
	}
	back := n < 0
	left := uint64(n)
	if back {
		left = -left
	}
	if left > 1 {
		_, count, err := h.State(list)
		if err != nil {
			return 0, err
		}
		left = min(left, count+1) // from the end to the first, or the other way round
	}
	for r := h.Read(list, left, back, false); left > 0; left-- {
		e, err := r.linked(place)
		if err != nil {
			return 0, err
		}
		to := e.Next
		if back {
			to = e.Prev
		}
		if to == list {
			if !back {
				place = to
			}
			break
		}
		place = to
	}
	return place, nil
}

// Distance returns the number of steps from first to last, or to the end if last does not
// follow first.
func (h *Heaps) Distance(list, first, last uint64) (uint64, error) {
	if first == last || first == list {
		return 0, nil
	}
	_, count, err := h.State(list)
	if err != nil {
		return 0, err
	}
	r := h.Read(list, count, false, false)
	n := uint64(0)
	for place := first; place != last && place != list; n++ {
		if n == count {
			return 0, broken(place)
		}
		e, err := r.linked(place)
		if err != nil {
			return 0, err
		}
		place = e.Next
	}
	return n, nil
}
