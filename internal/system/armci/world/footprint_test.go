package world

import (
	"testing"

	"github.com/goacp/goacp/internal/ground/footprinttest"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/process/extension"
)

// TestMemoryPerProcess pins the memory for one further process of the world.
func TestMemoryPerProcess(t *testing.T) {
	footprinttest.PerItem(t, "process", 80, func(procs int) int64 {
		members, hosts := make([]int, procs), make([]int, procs)
		for i := range members {
			members[i], hosts[i] = i, i&^63 // 64 processes on each host
		}
		p := &extension.Process{Ranks: ga.NewRanks(procs, 0)}
		before := footprinttest.InUse()
		w := New(Config{Process: p, ID: 1, Members: members, Hosts: hosts})
		after := footprinttest.InUse()
		if w.Domain(procs-1) != (procs-1)/64 {
			t.Errorf("process %d is in domain %d", procs-1, w.Domain(procs-1))
		}
		return after - before
	})
}
