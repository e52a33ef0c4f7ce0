// Command makeweights makes the file with weights of acpweights, by all ranks of a run:
//
//	acprun -np 16 -nodefile hosts makeweights ocean.nc atmosphere.nc ocean-air.nc
//
// The ranks may be on several hosts. Each reads both grids, and rank 0 writes the file.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/weights"
	"github.com/goacp/goacp/weights/together"
)

var methods = map[string]weights.Method{"nearest": weights.Nearest, "bilinear": weights.Bilinear, "conservative": weights.Conservative}

func main() {
	name := flag.String("method", "conservative", "nearest, bilinear or conservative")
	flag.Parse()
	method, ok := methods[*name]
	if !ok || flag.NArg() != 3 {
		fmt.Fprintln(os.Stderr, "makeweights: expected makeweights [-method nearest|bilinear|conservative] FROM TO OUTPUT")
		os.Exit(2)
	}
	p, err := acp.Init(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, "makeweights:", err)
		os.Exit(1)
	}
	if err := makeFile(context.Background(), p, method, flag.Arg(0), flag.Arg(1), flag.Arg(2)); err != nil {
		p.Abort(err.Error())
	}
	if err := p.Finalize(); err != nil {
		fmt.Fprintln(os.Stderr, "makeweights:", err)
		os.Exit(1)
	}
}

// makeFile reads the grids, makes a part of the weights, and writes all of them on the first rank.
func makeFile(ctx context.Context, p *acp.Process, method weights.Method, from, to, output string) error {
	job, err := p.JobOf(p.Rank())
	if err != nil {
		return err
	}
	a, err := weights.ReadGrid(from, "")
	if err != nil {
		return err
	}
	b, err := weights.ReadGrid(to, "")
	if err != nil {
		return err
	}
	m, err := together.Make(ctx, p, job.Ranks(), a, b, weights.Options{Method: method})
	if err != nil || m == nil {
		return err
	}
	if err := m.WriteFile(output); err != nil {
		return err
	}
	fmt.Printf("%s: %d weights by %d ranks\n", output, len(m.Entries), job.Procs())
	return nil
}
