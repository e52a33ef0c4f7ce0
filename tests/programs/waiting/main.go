// Waiting is a program that never ends: every rank waits in the way that its argument selects,
// so that a test can kill processes.
//
//	acprun -np 4 waiting -in sync
//
// The ways are sync (rank 0 never comes to the barrier), complete (of an operation
// on a rank that the test stops), compute and init (rank 0 never calls Init). Each
// rank prints "rank R pid P" when it is ready.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/tests/programs/rank"
)

func main() {
	in := flag.String("in", "sync", "sync, complete or compute")
	flag.Parse()
	rank.Main(func(p *acp.Process) error {
		if err := p.Sync(); err != nil {
			return err
		}
		fmt.Printf("rank %d pid %d\n", p.Rank(), os.Getpid())
		switch *in {
		case "sync":
			if p.Rank() == 0 {
				compute()
			}
			return p.Sync()
		case "complete":
			if p.Rank() == 0 {
				compute()
			}
			return complete(p)
		case "compute":
			compute()
		}
		return fmt.Errorf("unknown way to wait %q", *in)
	})
}

// compute keeps the processor busy forever.
func compute() {
	for x := uint64(1); ; x = x*6364136223846793005 + 1 {
		if x == 0 {
			fmt.Println(x)
		}
	}
}

// complete repeatedly accesses memory of rank 0 until it no longer replies.
func complete(p *acp.Process) error {
	src, dst := rank.Must(p.StarterGA(0)), rank.Must(p.StarterGA(p.Rank()))
	for {
		if _, err := p.Add8(dst+8, src, 1, acp.HandleNull); err != nil {
			return err
		}
		if err := p.Complete(acp.HandleAll); err != nil {
			return err
		}
	}
}
