package grid

import (
	"errors"
	"fmt"
	"slices"
)

// ErrBounds: a place or a section that is not in the array.
var ErrBounds = errors.New("outside of the array")

// Section is all places whose subscript is from Lo to Hi in every dimension, bounds included.
type Section struct{ Lo, Hi []int }

// Empty reports whether the section has no place.
func (s Section) Empty() bool {
	for d := range s.Lo {
		if s.Hi[d] < s.Lo[d] {
			return true
		}
	}
	return false
}

// Single reports whether the section has exactly one place.
func (s Section) Single() bool { return slices.Equal(s.Lo, s.Hi) }

// Extent returns the places along dimension d of a section that is not empty.
func (s Section) Extent(d int) int { return s.Hi[d] - s.Lo[d] + 1 }

// Places returns the number of places. It does not overflow for sections of an array.
func (s Section) Places() int {
	if s.Empty() {
		return 0
	}
	n := 1
	for d := range s.Lo {
		n *= s.Extent(d)
	}
	return n
}

// Place returns the subscript of place i of the section, in C order.
func (s Section) Place(i int) []int {
	place := make([]int, len(s.Lo))
	for d := len(place) - 1; d >= 0; d-- {
		n := s.Extent(d)
		place[d] = s.Lo[d] + i%n
		i /= n
	}
	return place
}

// Index returns the number of a place of the section in C order, or -1 if the section does not
// have the place.
func (s Section) Index(place []int) int {
	if len(place) != len(s.Lo) {
		return -1
	}
	for d, x := range place {
		if x < s.Lo[d] || x > s.Hi[d] {
			return -1
		}
	}
	return s.index(place)
}

// index is Index for a place that the section has.
func (s Section) index(place []int) int {
	i := 0
	for d, x := range place {
		i = i*s.Extent(d) + x - s.Lo[d]
	}
	return i
}

// Check returns an error if a section does not fit the array: it has another number of
// dimensions, or it has places and not all of them are in the array. Fails with ErrBounds.
func (l *Layout) Check(s Section) error {
	if len(s.Lo) != len(l.dims) || len(s.Hi) != len(l.dims) {
		return fmt.Errorf("%w: a section of %d and %d bounds for an array of %d dimensions", ErrBounds, len(s.Lo), len(s.Hi), len(l.dims))
	}
	if s.Empty() || l.Contains(s.Lo) && l.Contains(s.Hi) {
		return nil
	}
	return fmt.Errorf("%w: section %v to %v of dimensions %v", ErrBounds, s.Lo, s.Hi, l.dims)
}
