//go:build cgo

package libacp

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/goacp/goacp/internal/structure/hashed"
	"github.com/goacp/goacp/internal/structure/hashed/hashedtest"
)

// TestTablesHistory lets ranks in C do random operations on keys and on whole structures at the same time. For each
// key there is an order of the operations that explains all results.
func TestTablesHistory(t *testing.T) {
	seed := rand.Uint32()
	t.Logf("seed %d", seed)
	path := program(t, "history")
	const ranks, keys = 3, 4
	for kind, name := range []string{"set", "multiset", "map"} {
		for net, steps := range map[string]int{"shm": 1500, "tcp": 150} {
			t.Run(name+"/"+net, func(t *testing.T) {
				h := hashedtest.History{Kind: hashed.Kind(kind), Keys: keys,
					Shapes: [2]hashedtest.Shape{{Ranks: []int{0, 1, 2}, Slots: 5}, {Ranks: []int{2, 0}, Slots: 3}}}
				for rank, e := range together(t, ranks, []string{"ACP_NET=" + net}, path, name, fmt.Sprint(seed), fmt.Sprint(steps)) {
					if e.status != 0 || e.stderr != "" {
						t.Fatalf("rank %d: status %d, errors %q", rank, e.status, e.stderr)
					}
					events, err := hashedtest.ParseEvents(e.stdout)
					if err != nil {
						t.Fatal(err)
					}
					h.Events = append(h.Events, events...)
				}
				if len(h.Events) != ranks*steps+2*keys {
					t.Errorf("%d events", len(h.Events))
				}
				if err := h.Check(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
