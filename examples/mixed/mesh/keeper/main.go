// The keeper: an ACP program in Go, without MPI, that checks whether the lake and the air lose heat. They send it the heat
// of all of their triangles and cells in the steps that the description of the run says.
//
//	acpgo -o keeper ./mesh/keeper
//	macprun mesh/mesh.yaml
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/couple"
)

var (
	triangles = flag.Int("triangles", 648, "triangles of the lake")
	cells     = flag.Int("cells", 192, "cells of the air")
	steps     = flag.Int("steps", 400, "steps of the models")
	every     = flag.Int("every", 50, "steps between two sums, as the description of the run says")
)

func main() {
	flag.Parse()
	if *triangles < 1 || *cells < 1 || *steps < 0 || *every < 1 {
		fmt.Fprintln(os.Stderr, "keeper: -triangles, -cells and -every are at least 1, and -steps at least 0")
		os.Exit(2)
	}
	p, err := acp.Init(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	kept, err := keep(context.Background(), p)
	if err != nil {
		// The others cannot go on without this rank.
		fmt.Fprintln(os.Stderr, err)
		p.Abort(err.Error())
		os.Exit(1)
	}
	if err := p.Finalize(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if !kept {
		fmt.Fprintln(os.Stderr, "keeper: expected that the heat of both stays the same and that the lake gets some")
		os.Exit(1)
	}
}

// keep prints the heat of both models in each step that they send. It reports whether the heat of both stayed as it was
// while some went from one to the other.
func keep(ctx context.Context, p *acp.Process) (bool, error) {
	keeper, err := couple.NewModel(p, "keeper", nil)
	if err != nil {
		return false, err
	}
	lake, air := make([]float64, *triangles), make([]float64, *cells)
	_, err = couple.NewField(keeper, "lake", lake, couple.Ranges{{N: *triangles}}, 1)
	_, err1 := couple.NewField(keeper, "air", air, couple.Ranges{{N: *cells}}, 1)
	if err := errors.Join(err, err1); err != nil {
		return false, err
	}
	links, err := keeper.Open(ctx)
	if err != nil {
		return false, err
	}
	var first, last [2]float64
	for step := 0; step <= *steps; step += *every {
		if err := links.Receive(ctx, step); err != nil {
			return false, err
		}
		last = [2]float64{sum(lake), sum(air)}
		if step == 0 {
			first = last
		}
		fmt.Printf("keeper: step %4d: heat of the lake %.6f, of the air %.6f, together %.9f\n", step, last[0], last[1], last[0]+last[1])
	}
	before := first[0] + first[1]
	lost := math.Abs(last[0]+last[1]-before) / before
	fmt.Printf("keeper: in %d steps the heat of both changed by %.1e of itself\n", *steps, lost)
	return lost <= 1e-12 && last[0] > 1.01*first[0], links.Close(ctx)
}

func sum(values []float64) (all float64) {
	for _, v := range values {
		all += v
	}
	return all
}
