package world

import (
	"runtime"
	"testing"

	"github.com/goacp/goacp/internal/extension"
	"github.com/goacp/goacp/internal/ga"
)

// TestMemoryPerProcess pins what one further process of the world costs.
func TestMemoryPerProcess(t *testing.T) {
	footprint := func(procs int) uint64 {
		members, hosts := make([]int, procs), make([]int, procs)
		for i := range members {
			members[i], hosts[i] = i, i&^63 // 64 processes on each host
		}
		p := &extension.Process{Ranks: ga.NewRanks(procs, 0)}
		before := inUse()
		w := New(Config{Process: p, ID: 1, Members: members, Hosts: hosts})
		after := inUse()
		if w.Domain(procs-1) != (procs-1)/64 {
			t.Errorf("process %d is in domain %d", procs-1, w.Domain(procs-1))
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
