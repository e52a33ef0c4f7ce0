package array

import "github.com/goacp/goacp/internal/ground/traffic"

// count counts n bytes of an element of a rank that are copied, unless there are none. near.c of libgp does so
// for elements that C copies.
func (s *System) count(rank int, k traffic.Kind, path traffic.Path, n int) {
	if n > 0 && s.mem.Counts() {
		s.mem.CountAccess(s.p.Ranks.Member(rank), k, path, uint64(n))
	}
}

// Copied counts n bytes of the element of a place that the caller has copied from the result of Near.
func (a *Array) Copied(place []int, n int) { a.countNear(place, traffic.Get, n) }

// countNear counts n bytes of the element of a place that this process has mapped.
func (a *Array) countNear(place []int, k traffic.Kind, n int) {
	if a.sys.mem.Counts() {
		rank, _ := a.placed.Load().layout.Find(place)
		a.sys.count(rank, k, traffic.SHM, n)
	}
}

// kindOf returns how a copy with opRead or opWrite is counted.
func kindOf(operation int) traffic.Kind {
	if operation == opRead {
		return traffic.Get
	}
	return traffic.Put
}
