package heap

import (
	"errors"
	"fmt"
)

// needRun is takeRun, except that it frees the empty spans of size classes before it fails.
func (h *Heap) needRun(length uint32) (uint32, error) {
	n, err := h.takeRun(length)
	if !errors.Is(err, ErrFull) && err != errUngranted {
		return n, err
	}
	for class := range h.metadata.open {
		if err := h.giveEmpty(&h.metadata.open[class]); err != nil {
			return 0, err
		}
	}
	return h.takeRun(length)
}

// giveEmpty frees the empty span of a class, if there is one.
func (h *Heap) giveEmpty(list *uint32) error {
	n := *list
	for left := h.total; n != 0; left-- {
		s, err := h.span(n)
		switch {
		case err != nil:
			return err
		case left == 0:
			return endless(n)
		case s.used == 0:
			return errors.Join(h.unlink(list, n), h.giveSmall(n))
		}
		n = s.next
	}
	return nil
}

// giveSmall frees a span of small blocks, which keeps its memory.
func (h *Heap) giveSmall(n uint32) error {
	h.ungrant(1, true)
	return h.giveRun(n, 1)
}

// endless is the error of a list that has more spans than there are. n is one of them.
func endless(n uint32) error {
	return fmt.Errorf("%w: the list with span %d has no end", ErrDamaged, n)
}

// only reports whether the span is alone in the list of its class. Such a span stays there when it
// becomes empty, so that a program that allocates and frees one block again and again does not make
// and free a span each time. No class has more than one empty span.
func (s *span) only() bool { return s.next == 0 && s.prev == 0 }

// takeRun returns the first of length adjacent spans: from the first free run that is
// long enough, or else from above all that were ever used. Fails with errUngranted, and
// with ErrFull.
func (h *Heap) takeRun(length uint32) (uint32, error) {
	if !h.granted(length) {
		return 0, errUngranted
	}
	n, err := h.findRun(length)
	if err == nil {
		h.metadata.taken += uint64(length)
	}
	return n, err
}

// findRun is takeRun without counting.
func (h *Heap) findRun(length uint32) (uint32, error) {
	n := h.metadata.free
	for left := h.total; n != 0; left-- {
		run, err := h.freeRun(n)
		switch {
		case err != nil:
			return 0, err
		case left == 0:
			return 0, endless(n)
		case run.length >= length:
			return n, h.cut(n, run.length, length)
		}
		n = run.next
	}
	top := h.metadata.top
	if uint64(top)+uint64(length) > h.total {
		return 0, ErrFull
	}
	h.metadata.top = top + length
	return top + 1, nil
}

// freeRun returns the descriptor of the first span of a free run. Fails if the span is not one.
func (h *Heap) freeRun(n uint32) (span, error) {
	s, err := h.span(n)
	if err != nil {
		return span{}, err
	}
	run := span{kind: s.kind, length: s.length, next: s.next}
	if run.kind != spanFree {
		return span{}, fmt.Errorf("%w: span %d is not free", ErrDamaged, n)
	}
	_, err = h.run(n, run.length)
	return run, err
}

// cut takes length spans from the beginning of the free run at n.
func (h *Heap) cut(n, run, length uint32) error {
	if err := errors.Join(h.unlink(&h.metadata.free, n), h.clear(n, run)); err != nil {
		return err
	}
	if run > length {
		return h.markFree(n+length, run-length)
	}
	return nil
}

// giveRun makes length spans from n on free and joins them with their neighbours. A
// run that ends at the top lowers the top.
func (h *Heap) giveRun(n, length uint32) error {
	if n > 1 {
		last, err := h.span(n - 1)
		if err != nil {
			return err
		}
		if before := last.length; last.kind == spanFree {
			if before >= n {
				return fmt.Errorf("%w: a free run of %d spans ends at span %d", ErrDamaged, before, n-1)
			}
			if err := h.joinRun(n-before, before); err != nil {
				return err
			}
			n, length = n-before, length+before
		}
	}
	if after := n + length; after <= h.metadata.top && uint64(after) <= h.total {
		first, err := h.span(after)
		if err != nil {
			return err
		}
		if run := first.length; first.kind == spanFree {
			if err := h.joinRun(after, run); err != nil {
				return err
			}
			length += run
		}
	}
	if n+length-1 == h.metadata.top {
		h.metadata.top = n - 1
		return h.clear(n, length)
	}
	return h.markFree(n, length)
}

// joinRun takes a free run out of its list, to be part of a longer one.
func (h *Heap) joinRun(n, length uint32) error {
	run, err := h.freeRun(n)
	if err == nil && run.length != length {
		err = fmt.Errorf("%w: the ends of the free run at span %d disagree", ErrDamaged, n)
	}
	if err != nil {
		return err
	}
	return errors.Join(h.unlink(&h.metadata.free, n), h.clear(n, length))
}

// markFree makes the spans a free run and puts it in front of the list.
func (h *Heap) markFree(n, length uint32) error {
	first, err := h.run(n, length)
	if err != nil {
		return err
	}
	if err := h.clear(n, length); err != nil {
		return err
	}
	last, err := h.span(n + length - 1)
	if err != nil {
		return err
	}
	last.become(spanFree, 0, length)
	first.become(spanFree, 0, length)
	return h.push(&h.metadata.free, n)
}

// clear clears the descriptors at the ends of a run, or the only one of a block.
func (h *Heap) clear(n, length uint32) error {
	first, err := h.run(n, length)
	if err != nil {
		return err
	}
	last, err := h.span(n + length - 1)
	if err != nil {
		return err
	}
	first.kind, last.kind = spanInner, spanInner
	return nil
}

// push puts span n in front of a list.
func (h *Heap) push(list *uint32, n uint32) error {
	s, err := h.span(n)
	if err != nil {
		return err
	}
	first := *list
	if first != 0 {
		behind, err := h.span(first)
		if err != nil {
			return err
		}
		behind.prev = n
	}
	s.next, s.prev = first, 0
	*list = n
	return nil
}

// unlink takes span n out of a list.
func (h *Heap) unlink(list *uint32, n uint32) error {
	s, err := h.span(n)
	if err != nil {
		return err
	}
	next, prev := s.next, s.prev
	to := list // what leads to n from before
	if prev != 0 {
		before, err := h.span(prev)
		if err != nil {
			return err
		}
		to = &before.next
	}
	if *to != n {
		return fmt.Errorf("%w: span %d is not in its list", ErrDamaged, n)
	}
	if next != 0 {
		behind, err := h.span(next)
		if err != nil {
			return err
		}
		behind.prev = prev
	}
	*to = next
	s.next, s.prev = 0, 0
	return nil
}
