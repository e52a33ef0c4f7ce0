package heap

// needRun is takeRun that gives up the empty spans of size classes before it fails.
func (h *Heap) needRun(length uint32) (uint32, error) {
	n, err := h.takeRun(length)
	if err == nil {
		return n, nil
	}
	for class := range h.books.open {
		h.giveEmpty(&h.books.open[class])
	}
	return h.takeRun(length)
}

// giveEmpty gives the empty span of a class away, if there is one.
func (h *Heap) giveEmpty(list *uint32) {
	for n := *list; n != 0; n = h.span(n).next {
		if h.span(n).used == 0 {
			h.unlink(list, n)
			h.giveRun(n, 1)
			return
		}
	}
}

// only reports whether span n is alone in the list of its class. Such a span stays there
// when it becomes empty, so that blocks that come and go one by one do not make and undo
// a span each. No class has more than one.
func (h *Heap) only(n uint32) bool { return h.span(n).next == 0 && h.span(n).prev == 0 }

// takeRun returns the first of length adjacent spans: from the first free run that is
// long enough, or else from above all that were ever used.
func (h *Heap) takeRun(length uint32) (uint32, error) {
	for n := h.books.free; n != 0; n = h.span(n).next {
		run := h.span(n).length
		if run < length {
			continue
		}
		h.unlink(&h.books.free, n)
		h.clear(n, run)
		if run > length {
			h.markFree(n+length, run-length)
		}
		return n, nil
	}
	if uint64(h.books.top)+uint64(length) > uint64(len(h.spans)) {
		return 0, ErrFull
	}
	n := h.books.top + 1
	h.books.top += length
	return n, nil
}

// giveRun makes length spans from n on free and joins them with their neighbours. A
// run that ends at the top lowers the top.
func (h *Heap) giveRun(n, length uint32) {
	if n > 1 && h.span(n-1).kind == spanFree {
		before := h.span(n - 1).length
		h.unlink(&h.books.free, n-before)
		h.clear(n-before, before)
		n, length = n-before, length+before
	}
	if after := n + length; after <= h.books.top && h.span(after).kind == spanFree {
		run := h.span(after).length
		h.unlink(&h.books.free, after)
		h.clear(after, run)
		length += run
	}
	if n+length-1 == h.books.top {
		h.clear(n, length)
		h.books.top = n - 1
		return
	}
	h.markFree(n, length)
}

// markFree makes the spans a free run and puts it in front of the list.
func (h *Heap) markFree(n, length uint32) {
	h.clear(n, length)
	h.span(n+length-1).become(spanFree, 0, length)
	h.span(n).become(spanFree, 0, length)
	h.push(&h.books.free, n)
}

// clear forgets what the ends of a run, or the only descriptor of a block, said.
func (h *Heap) clear(n, length uint32) {
	h.span(n).kind = spanInner
	h.span(n + length - 1).kind = spanInner
}

// push puts span n in front of a list.
func (h *Heap) push(list *uint32, n uint32) {
	s := h.span(n)
	s.next, s.prev = *list, 0
	if s.next != 0 {
		h.span(s.next).prev = n
	}
	*list = n
}

// unlink takes span n out of a list.
func (h *Heap) unlink(list *uint32, n uint32) {
	s := h.span(n)
	if s.prev != 0 {
		h.span(s.prev).next = s.next
	} else {
		*list = s.next
	}
	if s.next != 0 {
		h.span(s.next).prev = s.prev
	}
	s.next, s.prev = 0, 0
}
