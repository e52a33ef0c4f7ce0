package acp_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/lanes"
)

// TestRandomOrders lets every rank issue chains of operations with random orders.
func TestRandomOrders(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	forEachMode(t, []int{1, 2, 3, 4, 7}, func(t *testing.T, mode bridge.Mode, n int) {
		cfg := acp.Config{Mode: mode, StarterSize: uint64(lanes.Size * n)}
		run(t, n, cfg, func(p *member) error {
			l, err := lanes.New(p.Process, seed)
			if err != nil {
				return err
			}
			for round := range 6 {
				if err := l.Round(150); err != nil {
					return fmt.Errorf("round %d: %w", round, err)
				}
			}
			return p.Sync() // others still use the memory of this rank
		})
	})
}
