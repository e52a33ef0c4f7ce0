// Package bad has a field that C has no type for.
package bad

//goacp:c bad_t
type bad struct{ m map[int]int }

var _ = bad{}
