package table

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/memory/lookup"
	"github.com/goacp/goacp/internal/system/gp/grid"
)

// seen returns the entry that C finds under the number of an array, or nil.
func seen(t *Table, number int) *array {
	found := (*head)(t.Address()).arrays.Find(uint64(number))
	if found == 0 {
		return nil
	}
	return (*array)(unsafe.Pointer(unsafe.SliceData(t.mem[number])))
}

// TestAdd: C finds the arrays that have a place, with all of their blocks, until they are removed.
func TestAdd(t *testing.T) {
	tab, err := New(nil)
	if err != nil {
		t.Fatal(err)
	}
	l, err := grid.New(grid.Shape{Dims: []int{7, 5, 9}, Starts: [][]int{{0, 3, 3}, {0}, {0, 8}}}, 6)
	if err != nil {
		t.Fatal(err)
	}
	records := []uint64{10, 20, 30, 40, 50, 60}
	const first, second = 3, 3 + lookup.Size // which have the same entry
	tab.Add(first, l, records)
	tab.Add(second, l, records)
	if seen(tab, second) != nil {
		t.Error("C finds an array whose entry is taken")
	}
	a := seen(tab, first)
	if a == nil || a.dims != 3 {
		t.Fatalf("C finds %+v", a)
	}
	if got := unsafe.Slice((*uint64)(a.records), len(records)); !slices.Equal(got, records) {
		t.Errorf("C finds records at %v", got)
	}
	for d, n := range l.Dims() {
		x := a.dimensions[d]
		got := unsafe.Slice((*int32)(x.starts), x.blocks)
		if x.places != uint64(n) || !slices.Equal(got, l.Starts(d)) {
			t.Errorf("dimension %d: C finds %d places in blocks from %v", d, x.places, got)
		}
	}
	tab.Remove(second) // of which C has not learnt
	if seen(tab, first) == nil {
		t.Error("C has lost an array")
	}
	tab.Remove(first)
	tab.Add(second, l, records)
	if seen(tab, first) != nil || seen(tab, second) == nil {
		t.Error("C does not find the array that is left")
	}
}
