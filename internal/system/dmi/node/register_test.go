package node_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// access is one access to a page whose bytes are those of one value. begin and end are moments of one clock for all processes.
type access struct {
	begin, end int64
	write      bool
	value      uint64 // written, or read
}

// checkRegister returns an error if the accesses to one page cannot have happened one after the other, each between its begin and end. All
// writes have different values, and the first value is 0.
//
// The accesses of one value follow each other. So each value has a zone, from the first end to the last begin of its accesses: if the
// zone is not empty, the value is in the page all the time; otherwise at one moment between its last begin and its first end. Zones of
// the first kind do not overlap, and none contains a zone of the second kind (Gibbons and Korach, Testing shared memories, 1997).
func checkRegister(accesses []access) error {
	type zone struct {
		value        uint64
		written      *access
		firstEnd     int64
		lastBegin    int64
		forward      bool
		lower, upper int64
	}
	zones := map[uint64]*zone{}
	for i := range accesses {
		a := &accesses[i]
		z := zones[a.value]
		if z == nil {
			z = &zone{value: a.value, firstEnd: a.end, lastBegin: a.begin}
			zones[a.value] = z
		}
		z.firstEnd, z.lastBegin = min(z.firstEnd, a.end), max(z.lastBegin, a.begin)
		if a.write {
			z.written = a
		}
	}
	var all []*zone
	for _, z := range zones {
		if z.value == 0 {
			z.firstEnd = -1 // it is there before all accesses
		} else if z.written == nil {
			return fmt.Errorf("value %d is read, but never written", z.value)
		}
		for i := range accesses {
			if a := &accesses[i]; z.value != 0 && a.value == z.value && a.end < z.written.begin {
				return fmt.Errorf("value %d is read before it is written", z.value)
			}
		}
		z.forward = z.firstEnd < z.lastBegin
		z.lower, z.upper = min(z.firstEnd, z.lastBegin), max(z.firstEnd, z.lastBegin)
		all = append(all, z)
	}
	slices.SortFunc(all, func(a, b *zone) int { return cmp.Compare(a.lower, b.lower) })
	for i, z := range all {
		if !z.forward {
			continue
		}
		for _, other := range all[i+1:] {
			if other.lower >= z.upper {
				break
			}
			if other.forward || other.upper < z.upper {
				return fmt.Errorf("values %d and %d alternate: %d is there from %d to %d, and %d from %d to %d (%v)",
					z.value, other.value, z.value, z.lower, z.upper, other.value, other.lower, other.upper, other.forward)
			}
		}
	}
	return nil
}

// TestCheckRegister: the checker accepts histories of a register and finds wrong ones.
func TestCheckRegister(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for range 2000 {
		var list []access
		value, next := uint64(0), uint64(1)
		for i := range int64(20) {
			at := 100 * i
			a := access{begin: at - r.Int64N(300), end: at + 1 + r.Int64N(300), write: r.IntN(2) == 0, value: value}
			if a.write {
				value, next = next, next+1
				a.value = value
			}
			list = append(list, a)
		}
		if err := checkRegister(list); err != nil {
			t.Fatalf("%+v: %v", list, err)
		}
	}
	for name, wrong := range map[string][]access{
		"old value":    {{0, 1, true, 1}, {2, 3, false, 0}},
		"alternating":  {{0, 10, true, 1}, {0, 10, true, 2}, {11, 12, false, 1}, {13, 14, false, 2}, {15, 16, false, 1}},
		"never":        {{0, 1, false, 7}},
		"from future":  {{0, 1, false, 1}, {2, 3, true, 1}},
		"lost write":   {{0, 1, true, 1}, {2, 3, true, 2}, {4, 5, false, 1}},
		"initial back": {{0, 10, true, 1}, {0, 5, false, 1}, {6, 7, false, 0}},
	} {
		if checkRegister(wrong) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
