package gma

import (
	"context"
	"testing"

	"github.com/goacp/goacp/internal/memory/maptable"
)

// TestPipeline issues chains in which each GMA follows all before it. Those that the transport
// carries out in order start at once.
func TestPipeline(t *testing.T) {
	type step struct {
		copies   bool
		dst, src int
		starts   bool
	}
	put := func(rank int, starts bool) step { return step{true, rank, self, starts} }
	get := func(rank int, starts bool) step { return step{true, self, rank, starts} }
	add := func(rank int, starts bool) step { return step{false, self, rank, starts} }
	for name, chain := range map[string][]step{
		"puts":                   {put(1, true), put(1, true), put(1, true)},
		"gets":                   {get(1, true), get(1, true), get(1, true)},
		"a get behind puts":      {put(1, true), put(1, true), get(1, true), get(1, true)},
		"a put behind a get":     {put(1, true), get(1, true), put(1, false)},
		"an add behind puts":     {put(1, true), add(1, true), add(1, true), put(1, false)},
		"an add behind a get":    {get(1, true), add(1, false)},
		"a get behind an add":    {add(1, true), get(1, false)},
		"another rank":           {put(1, true), put(2, false)},
		"behind one that waits":  {put(1, true), put(2, false), put(2, false), put(1, false)},
		"get from another rank":  {get(1, true), get(2, false), get(1, false)},
		"a get from the putting": {put(2, true), get(2, true), get(1, false)},
	} {
		for _, order := range []string{"handle", "all"} {
			s := newModel(t, 1, false)
			started := 0
			s.m.started = func(*Access) { started++ }
			last, want := None, 0
			for i, c := range chain {
				a := Access{IsCopy: c.copies, Dst: uint64(c.dst) << maptable.RankShift, Src: uint64(c.src) << maptable.RankShift, Order: last}
				if order == "all" {
					a.Order = All
				}
				var err error
				if last, err = s.e.Issue(context.Background(), &a); err != nil {
					t.Fatal(err)
				}
				if c.starts {
					want++
				}
				if started != want {
					t.Fatalf("%s, by %s: %d have started after %d, want %d", name, order, started, i+1, want)
				}
			}
			for k := 0; k < len(s.m.open); k++ {
				s.m.open[k].Complete(0, nil)
			}
			if started != len(chain) || !s.e.Quiet() {
				t.Errorf("%s, by %s: %d of %d have started", name, order, started, len(chain))
			}
		}
	}
}

// TestPipelineAfterWaiting: when GMAs that had to wait are complete, later ones start at once again.
func TestPipelineAfterWaiting(t *testing.T) {
	s := newModel(t, 1, false)
	started := 0
	s.m.started = func(*Access) { started++ }
	issue := func(rank int) {
		t.Helper()
		a := Access{IsCopy: true, Dst: self << maptable.RankShift, Src: uint64(rank) << maptable.RankShift, Order: All}
		if _, err := s.e.Issue(context.Background(), &a); err != nil {
			t.Fatal(err)
		}
	}
	issue(1)
	issue(2)
	issue(2)
	s.m.open[0].Complete(0, nil) // the second starts
	issue(2)
	if started != 2 {
		t.Fatalf("%d have started, want 2", started)
	}
	s.m.open[1].Complete(0, nil)
	s.m.open[2].Complete(0, nil)
	s.m.open[3].Complete(0, nil)
	issue(2)
	issue(2)
	if started != 6 {
		t.Errorf("%d have started, want 6", started)
	}
}
