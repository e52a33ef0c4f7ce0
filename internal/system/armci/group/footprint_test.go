package group

import (
	"testing"

	"github.com/goacp/goacp/internal/ground/footprinttest"
)

// crowd is a world of many processes; this process is the first.
type crowd int

func (crowd) ID() uint64          { return 1 }
func (c crowd) Procs() int        { return int(c) }
func (crowd) Self() int           { return 0 }
func (crowd) Member(proc int) int { return proc }
func (crowd) Domain(proc int) int { return proc / 64 }

// TestMemoryPerProcess pins the memory for one further process in the group of all, after all scopes
// have been used.
func TestMemoryPerProcess(t *testing.T) {
	footprinttest.PerItem(t, "process", 80, func(procs int) int64 {
		before := footprinttest.InUse()
		all := New(nil, crowd(procs)).All()
		for _, s := range []Scope{All, Node, Masters} {
			if _, err := all.Scope(s); err != nil {
				t.Fatal(err)
			}
		}
		after := footprinttest.InUse()
		if all.Size() != procs {
			t.Errorf("%d of %d processes", all.Size(), procs)
		}
		return after - before
	})
}
