package list

import (
	"bytes"
	"errors"
)

// destroy frees the elements and the control block. It erases the mark first, so later uses of
// the handle fail.
func (l *ring) destroy() error {
	elements, err := l.left()
	if err != nil {
		return err
	}
	err = l.heaps.apply([]write{{l.ga + offNext, 0}, {l.ga + offPrev, 0}, {l.ga + offN, 0}, {l.ga + offMark, 0}})
	if err != nil {
		return err
	}
	return errors.Join(l.heaps.discard(elements), l.heaps.free(l.ga))
}

// clear erases all elements.
func (l *ring) clear() error {
	old, err := l.left()
	if err == nil {
		err = l.heaps.apply(l.holds(nil, nil))
	}
	if err != nil {
		return err
	}
	return l.heaps.discard(old)
}

// assign replaces the elements by copies of those of a list, which may be the same list.
func (l *ring) assign(from *ring, start, end uint64) error {
	old, err := l.left()
	if err != nil {
		return err
	}
	var originals []Element
	if start == 0 {
		originals, err = from.all(false)
	} else {
		originals, _, err = from.between(start, end)
	}
	if err != nil {
		return err
	}
	copies, err := l.heaps.copyOf(originals)
	if err != nil {
		return err
	}
	if err := l.heaps.apply(l.holds(nil, copies)); err != nil {
		return errors.Join(err, l.heaps.discard(copies))
	}
	return l.heaps.discard(old)
}

// insertRange inserts copies and returns the place of the first.
func (l *ring) insertRange(place uint64, from *ring, start, end uint64) (uint64, error) {
	elements, _, err := from.between(start, end)
	if err != nil || len(elements) == 0 {
		return place, err
	}
	prev, err := l.before(place)
	if err != nil {
		return 0, err
	}
	copies, err := l.heaps.copyOf(elements)
	if err != nil {
		return 0, err
	}
	changes := make([]write, 0, 2*len(copies)+3)
	for _, e := range copies {
		changes = link(changes, prev, e.GA)
		prev = e.GA
	}
	changes = append(link(changes, prev, place), write{l.ga + offN, l.n + uint64(len(copies))})
	if err := l.heaps.apply(changes); err != nil {
		return 0, errors.Join(err, l.heaps.discard(copies))
	}
	return copies[0].GA, nil
}

func (l *ring) eraseRange(start, end uint64) error {
	elements, before, err := l.between(start, end)
	if err != nil || len(elements) == 0 {
		return err
	}
	changes := append(link(nil, before, end), write{l.ga + offN, l.n - uint64(len(elements))})
	if err := l.heaps.apply(changes); err != nil {
		return err
	}
	return l.heaps.discard(elements)
}

// move moves elements of a list, which may be the same, before a place.
func (l *ring) move(place uint64, from *ring, start, end uint64) error {
	if start == from.ga {
		return nil
	}
	if end == 0 {
		e, err := l.heaps.node(start)
		if err != nil {
			return err
		}
		end = e.next
	}
	if place == start || place == end {
		if from.ga == l.ga {
			return nil // the elements are there already
		}
		return broken(place) // place is in the other list
	}
	elements, before, err := from.between(start, end)
	if err != nil || len(elements) == 0 {
		return err
	}
	prev, err := l.before(place)
	if err != nil {
		return err
	}
	for _, e := range elements {
		if e.GA == place || e.GA == prev { // place is among the elements that move
			return broken(place)
		}
	}
	changes := link(nil, before, end)
	changes = link(changes, prev, start)
	changes = link(changes, elements[len(elements)-1].GA, place)
	if n := uint64(len(elements)); from.ga != l.ga {
		changes = append(changes, write{from.ga + offN, from.n - n}, write{l.ga + offN, l.n + n})
	}
	return l.heaps.apply(changes)
}

// swap exchanges the elements of two lists.
func (l *ring) swap(with *ring) error {
	if l.ga == with.ga {
		return nil
	}
	if err := errors.Join(l.checkEnds(), with.checkEnds()); err != nil {
		return err
	}
	return l.heaps.apply(with.takes(l.takes(nil, with), l))
}

// takes adds the changes that make the list consist of the elements of another one.
func (l *ring) takes(changes []write, from *ring) []write {
	if from.next == from.ga {
		changes = link(changes, l.ga, l.ga)
	} else {
		changes = link(changes, l.ga, from.next)
		changes = link(changes, from.prev, l.ga)
	}
	return append(changes, write{l.ga + offN, from.n})
}

func (l *ring) reverse() error {
	elements, err := l.all(false)
	if err != nil {
		return err
	}
	for i, j := 0, len(elements)-1; i < j; i, j = i+1, j-1 {
		elements[i], elements[j] = elements[j], elements[i]
	}
	return l.heaps.apply(l.holds(nil, elements))
}

// filter erases the elements for which drop returns true, and returns their number. It calls
// drop in the order of the elements.
func (l *ring) filter(drop func(Element) bool) (uint64, error) {
	elements, err := l.all(true)
	if err != nil {
		return 0, err
	}
	kept := make([]Element, 0, len(elements))
	var dropped []Element
	for _, e := range elements {
		if drop(e) {
			dropped = append(dropped, e)
		} else {
			kept = append(kept, e)
		}
	}
	if err := l.heaps.apply(l.holds(nil, kept)); err != nil {
		return 0, err
	}
	return uint64(len(dropped)), l.heaps.discard(dropped)
}

func equalTo(value []byte) func(Element) bool {
	return func(e Element) bool { return bytes.Equal(e.Value, value) }
}

func equalToLast() func(Element) bool {
	var last []byte
	first := true
	return func(e Element) bool {
		equal := !first && bytes.Equal(e.Value, last)
		last, first = e.Value, false
		return equal
	}
}
