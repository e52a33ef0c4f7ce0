package list

// Compare is negative if a comes before b, 0 if it does not matter, and positive if a
// comes behind b.
type Compare func(a, b *Element) (int, error)

// Sort sorts a list by its links; elements that compare as equal stay in order. The
// elements have values if those are asked for. If compare fails, or panics, nothing has changed.
func (m *Memory) Sort(list uint64, values bool, compare Compare) error {
	l, err := m.open(list)
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
	return m.apply(l.holds(nil, elements))
}

// Merge merges the elements of two sorted lists into the first. Of elements that compare
// as equal, those of the first come first. It does nothing if the two are one.
func (m *Memory) Merge(list, with uint64, values bool, compare Compare) error {
	l, err := m.open(list)
	if err != nil || list == with {
		return err
	}
	other, err := m.open(with)
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
	return m.apply(l.holds(other.holds(nil, nil), merged))
}

// sorted sorts by merging, which takes the fewest comparisons: they are what costs, since
// they may be on their way to the other end of the network.
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
