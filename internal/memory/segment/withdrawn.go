package segment

import (
	"sort"
	"unsafe"
)

// extent is a range of addresses of this process.
type extent struct{ addr, size uint64 }

func (x extent) end() uint64 { return x.addr + x.size }

// Withdrawn is memory of this process that regions had which are not published any more. The zero
// Withdrawn is no memory.
type Withdrawn struct {
	regions   []extent // in order of address
	reach     []uint64 // by region: the greatest end of it and those before it
	published *coverage
}

// newWithdrawn returns the memory of regions, in any order, other than what published has.
func newWithdrawn(regions []extent, published *coverage) Withdrawn {
	if len(regions) > 1 { // not of a single region, since the call allocates
		sort.Slice(regions, func(i, j int) bool { return regions[i].addr < regions[j].addr })
	}
	w := Withdrawn{regions: regions, reach: make([]uint64, len(regions)), published: published}
	reach := uint64(0)
	for i, x := range regions {
		reach = max(reach, x.end())
		w.reach[i] = reach
	}
	return w
}

// Empty reports whether no region was withdrawn.
func (w Withdrawn) Empty() bool { return len(w.regions) == 0 }

// Touch reports whether one of the n bytes at p is withdrawn and in no region that is published now.
// Does not block.
func (w Withdrawn) Touch(p unsafe.Pointer, n uint64) bool {
	x := extent{uint64(uintptr(p)), n}
	for i := sort.Search(len(w.reach), func(i int) bool { return w.reach[i] > x.addr }); i < len(w.regions); i++ {
		from, to := max(w.regions[i].addr, x.addr), min(w.regions[i].end(), x.end())
		if w.regions[i].addr >= x.end() {
			return false
		}
		if from < to && !w.published.covers(extent{from, to - from}) {
			return true
		}
	}
	return false
}
