package list

// Compare returns a negative number if a is before b in the order, 0 if they are equal, and a
// positive number if a is behind b.
type Compare func(a, b *Element) (int, error)

// Sort sorts a list by its links; elements that compare as equal stay in order. If values is
// true, compare gets the values of the elements. If compare fails, or panics, nothing has
// changed.
func (h *Heaps) Sort(list uint64, values bool, compare Compare) error {
	l, err := h.open(list)
	if err != nil {
		return err
	}
	elements, err := l.all(values)
	if err != nil {
		return err
	}
	if elements, err = sorted(elements, compare); err != nil {
		return err
	}
	return h.finish([]uint64{list}, l.holds(nil, elements))
}

// Merge merges the elements of two sorted lists into the first list. Of elements that compare
// as equal, those of the first list come first. It does nothing if both are the same list.
func (h *Heaps) Merge(list, with uint64, values bool, compare Compare) error {
	l, err := h.open(list)
	if err != nil || list == with {
		return err
	}
	other, err := h.open(with)
	if err != nil {
		return err
	}
	a, err := l.all(values)
	if err != nil {
		return err
	}
	b, err := other.all(values)
	if err != nil {
		return err
	}
	merged, err := merge(make([]Element, 0, len(a)+len(b)), a, b, compare)
	if err != nil {
		return err
	}
	return h.finish([]uint64{list, with}, l.holds(other.holds(nil, nil), merged))
}

// finish carries out all changes of lists.
func (h *Heaps) finish(lists []uint64, changes []write) error {
	if h.Agents == nil {
		return h.apply(changes)
	}
	views := h.Views
	return h.Agents.Finish(lists, func(a Agents) error {
		all := Heaps{Views: views, Agents: a}
		return all.apply(changes)
	})
}

// sorted sorts by merging, which takes the fewest comparisons. Comparisons dominate the time, since compare
// may read values of other hosts.
func sorted(elements []Element, compare Compare) (_ []Element, err error) {
	other := make([]Element, 0, len(elements))
	for width := 1; width < len(elements); width *= 2 {
		other = other[:0]
		for from := 0; from < len(elements); from += 2 * width {
			middle := min(from+width, len(elements))
			to := min(middle+width, len(elements))
			if other, err = merge(other, elements[from:middle], elements[middle:to], compare); err != nil {
				return nil, err
			}
		}
		elements, other = other, elements
	}
	return elements, nil
}

// merge appends a and b to to, in order.
func merge(to, a, b []Element, compare Compare) ([]Element, error) {
	for len(a) > 0 && len(b) > 0 {
		order, err := compare(&b[0], &a[0])
		if err != nil {
			return nil, err
		}
		if order < 0 {
			to, b = append(to, b[0]), b[1:]
		} else {
			to, a = append(to, a[0]), a[1:]
		}
	}
	return append(append(to, a...), b...), nil
}
