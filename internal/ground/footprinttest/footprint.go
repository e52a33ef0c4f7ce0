// Package footprinttest measures how much memory values keep, for tests that pin what a large run costs.
package footprinttest

import (
	"runtime"
	"slices"
	"testing"
)

// InUse returns the bytes of the heap of Go that something uses.
func InUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

const (
	// few is the number of items of the small structure, and the fewest further ones of the large one.
	few, further = 2000, 20000

	// spread is what all further items may take together, in bytes. The runtime of Go frees and takes
	// some kilobytes of its own meanwhile, which must not count.
	spread = 256 << 10

	// repetitions is how often a footprint is taken. The median counts.
	repetitions = 5
)

// PerItem checks that one further item costs most bytes at the most. footprint returns the bytes that a
// structure of some items keeps. what is an item.
func PerItem(t *testing.T, what string, most float64, footprint func(items int) int64) {
	t.Helper()
	more := max(further, int(spread/most))
	per := float64(median(footprint, few+more)-median(footprint, few)) / float64(more)
	t.Logf("%.2f bytes a %s", per, what)
	if per > most {
		t.Errorf("%.2f bytes a %s, at most %.2f are allowed", per, what, most)
	}
}

// median returns the median of some footprints.
func median(footprint func(items int) int64, items int) int64 {
	var taken [repetitions]int64
	for i := range taken {
		taken[i] = footprint(items)
	}
	slices.Sort(taken[:])
	return taken[repetitions/2]
}
