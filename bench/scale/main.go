// Scale shows what a run of many ranks costs at its start, without starting it:
//
//	go run ./bench/scale [-ranks N] [-per-host N | -hosts N] [-jobs N]
//
// One process opens itself as rank 0 of runs of several sizes, whose other ranks do not exist. A rehearsal
// of the rendezvous makes, decodes and counts all messages that a launcher of ACP and these ranks would
// send. The program prints a table that says how each figure grows with the ranks. Time for messages is
// not in it, nor what starts the processes.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/goacp/goacp/acp"
)

func main() {
	ranks := flag.Int("ranks", acp.MaxProcs, "ranks of the largest run")
	perHost := flag.Int("per-host", 128, "ranks on each host")
	hosts := flag.Int("hosts", 0, "hosts of the largest run, in place of -per-host")
	jobs := flag.Int("jobs", 1, "jobs among which the ranks are divided")
	flag.Parse()
	largest := shape{ranks: *ranks, perHost: *perHost, jobs: *jobs}
	err := largest.spread(*hosts)
	if err == nil {
		err = run(largest)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

// run measures runs up to the largest one and prints the table.
func run(largest shape) error {
	debug.SetMemoryLimit(memoryLimit)
	var all []figures
	for _, ranks := range sizes(largest.ranks) {
		s := largest
		s.ranks, s.jobs = ranks, min(s.jobs, ranks)
		f, err := measure(context.Background(), s)
		if err != nil {
			return fmt.Errorf("%d ranks: %w", ranks, err)
		}
		all = append(all, f)
	}
	fmt.Printf("Ranks on each host: %d; jobs: %d. A message is what one end of a connection sends before it waits.\n\n", largest.perHost, largest.jobs)
	return writeTable(os.Stdout, all)
}

// memoryLimit is how many bytes of memory the program takes before it collects garbage more often.
const memoryLimit = 1600 << 20

// sizes returns the ranks of the runs: 1024, 16384 and 131072 where these are less than the largest, and the
// largest.
func sizes(largest int) []int {
	var all []int
	for _, n := range [...]int{1024, 16384, 131072} {
		if n < largest {
			all = append(all, n)
		}
	}
	return append(all, largest)
}
