package acp_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/acptest/ordertest"
)

// TestRandomOrders lets every rank issue chains of operations with random orders.
func TestRandomOrders(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	forEachMode(t, []int{1, 2, 3, 4, 7}, func(t *testing.T, mode bridge.Mode, n int) {
		cfg := acp.Config{Mode: mode, StarterSize: uint64(ordertest.Size * n)}
		run(t, n, cfg, func(p *member) error {
			l, err := ordertest.New(p.Process, seed)
			if err != nil {
				return err
			}
			for round := range 6 {
				if err := l.Round(150); err != nil {
					return fmt.Errorf("round %d: %w", round, err)
				}
			}
			return p.Sync() // other ranks still use the memory of this rank
		})
	})
}

// TestOrdersAtFullRate has thousands of operations in flight between agents. They share messages, and each
// starts before its predecessor is complete.
func TestOrdersAtFullRate(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for _, n := range []int{2, 3} {
		cfg := acp.Config{Mode: bridge.ModeTCP, StarterSize: uint64(ordertest.Size * n)}
		run(t, n, cfg, func(p *member) error {
			l, err := ordertest.New(p.Process, seed)
			if err != nil {
				return err
			}
			for round := range 2 {
				if err := l.Round(2000); err != nil {
					return fmt.Errorf("%d ranks, round %d: %w", n, round, err)
				}
			}
			return p.Sync() // other ranks still use the memory of this rank
		})
	}
}

// TestCompleteIsComplete issues copies that finish within the call while other copies of the same process are
// in flight. Handles that Complete has waited for are complete and stay complete.
func TestCompleteIsComplete(t *testing.T) {
	const copies = 50000
	run(t, 2, acp.Config{Mode: bridge.ModeTCP, StarterSize: 4096}, func(p *member) error {
		if p.Rank() == 1 {
			return p.Sync()
		}
		here, there := must(p.StarterGA(0)), must(p.StarterGA(1))
		var wg sync.WaitGroup
		errs := make([]error, 2) // of copies that finish within the call, and of other copies
		for i := range errs {
			dst := there
			if i%2 == 0 {
				dst = here + 64
			}
			at := acp.GA(128 * (i + 1))
			wg.Go(func() {
				for range copies {
					h, err := p.Copy(dst+at, here+at+8, 8, acp.HandleNull)
					if err == nil {
						err = p.Complete(h)
					}
					if err == nil {
						var done bool
						if done, err = p.Inquire(h); err == nil && !done {
							err = errors.New("a copy is complete and is not")
						}
					}
					if err != nil {
						errs[i] = err
						return
					}
				}
			})
		}
		wg.Wait()
		return errors.Join(append(errs, p.Sync())...)
	})
}
