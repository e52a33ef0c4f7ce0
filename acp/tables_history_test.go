package acp_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/acptest/clienttest"
	"github.com/goacp/goacp/internal/structure/hashed"
	"github.com/goacp/goacp/internal/structure/hashed/hashedtest"
)

// TestTablesHistory lets all ranks do random operations on a few keys of two structures, and on both
// structures as a whole, all at the same time. For each key, some order of the operations must explain all
// results.
func TestTablesHistory(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	const ranks = 4
	shapes := []struct {
		name string
		of   [2]hashedtest.Shape
	}{
		{"same shape", [2]hashedtest.Shape{{Ranks: []int{0, 1, 2, 3}, Slots: 5}, {Ranks: []int{0, 1, 2, 3}, Slots: 5}}},
		{"other shape", [2]hashedtest.Shape{{Ranks: []int{0, 1, 2, 3}, Slots: 5}, {Ranks: []int{3, 1, 1}, Slots: 4}}},
	}
	forEachMode(t, []int{ranks}, func(t *testing.T, mode bridge.Mode, n int) {
		steps := map[bridge.Mode]int{bridge.ModeSHM: 1500, bridge.ModeTCP: 200}[mode]
		for kind, name := range []string{"set", "multiset", "map"} {
			for _, shape := range shapes {
				for _, keys := range []int{1, 6} { // the size is known if there is only one key
					t.Run(fmt.Sprintf("%s/%s/%d", name, shape.name, keys), func(t *testing.T) {
						h := hashedtest.History{Kind: hashed.Kind(kind), Shapes: shape.of, Keys: keys}
						recordHistory(t, &h, mode, n, steps, seed)
						if err := h.Check(); err != nil {
							t.Error(err)
						}
					})
				}
			}
		}
	})
}

// recordHistory fills h with random operations of all ranks.
func recordHistory(t *testing.T, h *hashedtest.History, mode bridge.Mode, ranks, steps int, seed uint64) {
	var at [2]acp.TableAddress
	events := make([][]hashedtest.Event, ranks)
	start := time.Now()
	run(t, ranks, acp.Config{Mode: mode, StarterSize: 1 << 16, HeapSize: acp.MinHeapSize}, func(p *member) error {
		if p.Rank() == 0 {
			for i := range at {
				var err error
				if at[i], err = clienttest.Create(p.Process, h.Kind, h.Shapes[i], acp.Rank(i)); err != nil {
					return err
				}
			}
		}
		if err := p.Sync(); err != nil {
			return err
		}
		c := clienttest.Client{
			Process: p.Process, Kind: h.Kind, Keys: h.Keys, Whole: 4, Random: rand.New(rand.NewPCG(seed, uint64(p.Rank()))),
			Now: func() (int64, error) { return int64(time.Since(start)), nil },
		}
		if err := c.Open(at); err != nil {
			return err
		}
		for range steps {
			if err := c.Step(); err != nil {
				return err
			}
		}
		if err := p.Sync(); err != nil {
			return err
		}
		if p.Rank() == 0 {
			if err := errors.Join(c.Observe(), c.Destroy()); err != nil {
				return err
			}
		}
		events[p.Rank()] = c.Events
		return heapIsWhole(p)
	})
	for _, list := range events {
		h.Events = append(h.Events, list...)
	}
}
