// Soak does random operations of every structure on all ranks at the same time and
// checks every result. It works in rounds. In a round each rank has an actor for each
// structure, on a separate goroutine, that does random steps on its own data and on shared
// data; a barrier ends the round, and then everything must agree with the model of each actor.
//
//	acprun -np 8 -smemsize 1m soak -seed 7 -rounds 5 -steps 200
//
// All choices depend only on the seed, the round, the rank and the actor, so that the same seed
// gives the same operations again, but not at the same times. Every rank prints "rank R host H
// pid P" at the start; rank 0 prints a line for every round. A failure names the seed, the
// round, the rank, the actor and the step. The program itself has no deadline: its driver gets
// the stacks of its goroutines by SIGQUIT.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/goacp/goacp/acp"
)

func main() {
	seed := flag.Uint64("seed", 1, "of all random choices")
	rounds := flag.Int("rounds", 5, "rounds")
	steps := flag.Int("steps", 200, "steps of each actor in a round")
	only := flag.String("only", "", "the only actors, by their names with commas between")
	without := flag.String("without", "", "actors that do not take part")
	flag.Parse()
	p, err := acp.Init(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	host, _ := os.Hostname()
	fmt.Printf("rank %d host %s pid %d\n", p.Rank(), host, os.Getpid())
	if err := soak(p, *seed, *rounds, *steps, choose(*only, *without)); err != nil {
		if errors.Is(err, acp.ErrPeerDead) {
			// The launcher prints the reason, and Init ends the process.
			select {}
		}
		fmt.Fprintf(os.Stderr, "soak: %v\n", err)
		p.Abort(err.Error())
		os.Exit(1)
	}
}

// soak plays the rounds and finalizes.
func soak(p *acp.Process, seed uint64, rounds, steps int, cast []role) error {
	for number := range rounds {
		begin := time.Now()
		w, err := newWorld(p, seed, number)
		if err != nil {
			return err
		}
		if err := w.play(steps, cast); err != nil {
			return fmt.Errorf("seed %d round %d rank %d: %w", seed, number, w.rank, err)
		}
		if w.rank == 0 {
			fmt.Printf("seed %d round %d: right after %v\n", seed, number, time.Since(begin).Round(time.Millisecond))
		}
		if err := w.reset(); err != nil {
			return fmt.Errorf("seed %d after round %d: %w", seed, number, err)
		}
	}
	return p.Finalize()
}
