package group

import (
	"runtime"
	"testing"
)

// crowd is a world of many processes, of which this one is the first.
type crowd int

func (crowd) ID() uint64          { return 1 }
func (c crowd) Procs() int        { return int(c) }
func (crowd) Self() int           { return 0 }
func (crowd) Member(proc int) int { return proc }
func (crowd) Domain(proc int) int { return proc / 64 }

// TestMemoryPerProcess pins what one further process costs in the group of all, once all scopes have
// been used.
func TestMemoryPerProcess(t *testing.T) {
	footprint := func(procs int) uint64 {
		before := inUse()
		all := New(nil, crowd(procs)).All()
		for _, s := range []Scope{All, Node, Masters} {
			if _, err := all.Scope(s); err != nil {
				t.Fatal(err)
			}
		}
		after := inUse()
		if all.Size() != procs {
			t.Errorf("%d of %d processes", all.Size(), procs)
		}
		return after - before
	}
	const few, many = 2000, 22000
	per := float64(footprint(many)-footprint(few)) / (many - few)
	t.Logf("%.0f bytes a process", per)
	if per > 80 {
		t.Errorf("%.0f bytes a process, at most 80 are allowed", per)
	}
}

func inUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
