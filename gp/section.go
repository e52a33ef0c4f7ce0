package gp

import "github.com/goacp/goacp/internal/system/gp/grid"

// Section is all places whose subscript is from Lo to Hi in every dimension, bounds included. A
// section with Hi less than Lo in a dimension is empty, for any other bounds.
type Section struct{ Lo, Hi []int }

// One returns the section that has one place. Pure.
func One(place ...int) Section { return Section{place, place} }

// Empty reports whether the section has no place. Pure.
func (s Section) Empty() bool { return grid.Section(s).Empty() }

// Places returns the number of places. Pure.
func (s Section) Places() int { return grid.Section(s).Places() }

// Place returns the subscript of place i of the section, in C order: the last dimension is the
// fastest. i is from 0 to Places()-1. Pure.
func (s Section) Place(i int) []int { return grid.Section(s).Place(i) }

// Index returns the number of a place of the section in C order, or -1 if the section does not have
// the place. Pure.
func (s Section) Index(place ...int) int { return grid.Section(s).Index(place) }
