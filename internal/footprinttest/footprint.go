// Package footprinttest measures how much memory values keep, for tests that pin what a large run costs.
package footprinttest

import (
	"runtime"
	"testing"
)

// InUse returns the bytes of the heap of Go that something uses.
func InUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// PerItem checks that one further item costs most bytes at the most. footprint returns the bytes that a
// structure of some items keeps. what is an item.
func PerItem(t *testing.T, what string, most float64, footprint func(items int) uint64) {
	t.Helper()
	const few, many = 2000, 22000
	per := (float64(footprint(many)) - float64(footprint(few))) / (many - few)
	t.Logf("%.0f bytes a %s", per, what)
	if per > most {
		t.Errorf("%.0f bytes a %s, at most %.0f are allowed", per, what, most)
	}
}
