// Orders lets every rank issue chains of copies and atomics over all ranks, each
// with a random order that is just strong enough to make the outcome certain, and
// compares all memory with a sequential model.
//
//	acprun -np 4 -smemsize 64k orders -seed 1
//
// Each rank needs 4096 bytes of starter memory for every rank.
package main

import (
	"flag"
	"fmt"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/acptest/ordertest"
	"github.com/goacp/goacp/tests/programs/rank"
)

func main() {
	seed := flag.Uint64("seed", 1, "seed of all random choices")
	rounds := flag.Int("rounds", 6, "how often memory is filled and compared")
	steps := flag.Int("steps", 150, "operations per round")
	flag.Parse()
	rank.Main(func(p *acp.Process) error {
		l, err := ordertest.New(p, *seed)
		if err != nil {
			return err
		}
		for round := range *rounds {
			if err := l.Round(*steps); err != nil {
				return fmt.Errorf("seed %d, round %d: %w", *seed, round, err)
			}
		}
		// Other ranks still use the memory of this rank.
		return p.Sync()
	})
}
