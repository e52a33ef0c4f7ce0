package list

import (
	"errors"
	"fmt"

	"github.com/goacp/goacp/internal/network/am"
)

// ring is a list in an operation, with a copy of the control block's node from the beginning of the
// operation.
type ring struct {
	heaps *Heaps
	ga    uint64
	node
}

// at returns the node at a place of the list.
func (l *ring) at(place uint64) (node, error) {
	if place == l.ga {
		return l.node, nil
	}
	return l.heaps.node(place)
}

// before returns the place before another one. It fails if the links between the two do not agree, as is the
// case for an erased element.
func (l *ring) before(place uint64) (uint64, error) {
	here, err := l.at(place)
	if err != nil {
		return 0, err
	}
	prev, err := l.at(here.prev)
	if err != nil {
		return 0, err
	}
	if prev.next != place {
		return 0, broken(place)
	}
	return here.prev, nil
}

// insert makes an element with a value before a place, and returns its place.
func (l *ring) insert(place, rank uint64, value []byte) (uint64, error) {
	if place == 0 {
		place = l.next
	}
	prev, err := l.before(place)
	if err != nil {
		return 0, err
	}
	ga, err := l.heaps.create(rank, node{next: place, prev: prev}, value)
	if err != nil {
		return 0, err
	}
	changes := [...]write{{prev + offNext, ga}, {place + offPrev, ga}, {l.ga + offN, l.n + 1}}
	if err := l.heaps.apply(changes[:]); err != nil {
		return 0, errors.Join(err, l.heaps.free(ga))
	}
	return ga, nil
}

// erase erases an element and returns the place behind it, and how many it has erased.
func (l *ring) erase(place uint64) (next, n uint64, err error) {
	switch place {
	case 0:
		place = l.next
	case l.ga:
		place = l.prev
	}
	if place == l.ga {
		return l.ga, 0, nil
	}
	prev, err := l.before(place)
	if err != nil {
		return 0, 0, err
	}
	e, err := l.heaps.node(place)
	if err != nil {
		return 0, 0, err
	}
	behind, err := l.at(e.next)
	if err != nil {
		return 0, 0, err
	}
	if behind.prev != place || l.n == 0 {
		return 0, 0, broken(place)
	}
	changes := [...]write{{prev + offNext, e.next}, {e.next + offPrev, prev}, {l.ga + offN, l.n - 1}}
	if err := l.heaps.apply(changes[:]); err != nil {
		return 0, 0, err
	}
	return e.next, 1, l.heaps.free(place)
}

// checkEnds fails if the first or the last element, if there are any, does not link to the
// control block.
func (l *ring) checkEnds() error {
	first, err := l.at(l.next)
	if err != nil {
		return err
	}
	last, err := l.at(l.prev)
	if err != nil {
		return err
	}
	if first.prev != l.ga || last.next != l.ga || (l.n == 0) != (l.next == l.ga) {
		return broken(l.ga)
	}
	return nil
}

// all returns all elements. It checks all links.
func (l *ring) all(values bool) ([]Element, error) {
	elements, err := l.heaps.elements(l.ga, l.n, l.next, l.ga, values)
	if err != nil {
		return nil, err
	}
	n := uint64(len(elements))
	if n != l.n {
		return nil, fmt.Errorf("%w: the list at %#x counts %d elements and has %d", am.ErrBadIterator, l.ga, l.n, n)
	}
	first, last := l.ga, l.ga
	if n > 0 {
		first, last = elements[0].Prev, elements[n-1].GA
	}
	if first != l.ga || last != l.prev {
		return nil, broken(l.ga)
	}
	return elements, nil
}

// between returns the elements from start to before end, and the place before them. It checks
// the links at both ends.
func (l *ring) between(start, end uint64) (elements []Element, before uint64, err error) {
	elements, err = l.heaps.elements(l.ga, l.n, start, end, false)
	if err != nil || len(elements) == 0 {
		return nil, 0, err
	}
	if before, err = l.before(start); err != nil {
		return nil, 0, err
	}
	last, err := l.before(end)
	if err == nil && last != elements[len(elements)-1].GA {
		err = broken(end)
	}
	return elements, before, err
}

// link adds the changes that make b follow a.
func link(changes []write, a, b uint64) []write {
	return append(changes, write{a + offNext, b}, write{b + offPrev, a})
}

// holds adds the changes that make the list consist of elements. The elements have their
// present links.
func (l *ring) holds(changes []write, elements []Element) []write {
	set := func(at, old, word uint64) {
		if old != word {
			changes = append(changes, write{at, word})
		}
	}
	first, last := l.ga, l.ga
	for i, e := range elements {
		next := l.ga
		if i+1 < len(elements) {
			next = elements[i+1].GA
		}
		set(e.GA+offNext, e.Next, next)
		set(e.GA+offPrev, e.Prev, last)
		last = e.GA
	}
	if len(elements) > 0 {
		first = elements[0].GA
	}
	set(l.ga+offNext, l.next, first)
	set(l.ga+offPrev, l.prev, last)
	set(l.ga+offN, l.n, uint64(len(elements)))
	return changes
}
