// The watcher: an ACP program in Go, without MPI, that follows two coupled models. They send it all of their
// temperatures in every 100th step.
//
//	acpgo -o watcher ./coupled/watcher
//	macprun coupled/coupled.inputfile
package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/couple"
	"github.com/goacp/goacp/examples/mixed/coupled/heat"
)

func main() {
	p, err := acp.Init(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	drift, err := watch(context.Background(), p)
	if err != nil {
		// The others cannot go on without this rank.
		fmt.Fprintln(os.Stderr, err)
		p.Abort(err.Error())
		os.Exit(1)
	}
	fmt.Printf("watcher: in %d steps the heat of both changed by %.1e of itself\n", heat.Steps, drift)
	if err := p.Finalize(); err != nil || !(drift <= 1e-9) {
		fmt.Fprintln(os.Stderr, "the heat of both is to stay as it is", err)
		os.Exit(1)
	}
}

// model is one of the models, as the watcher sees it.
type model struct {
	whole *heat.Part
	in    *couple.Receiver
}

// newModel opens the link from the model of a medium.
func newModel(ctx context.Context, watcher *couple.Model, m heat.Medium) (*model, error) {
	whole, err := heat.NewPart(m, heat.Span{First: 0, Count: m.Columns})
	if err != nil {
		return nil, err
	}
	size := []int{m.Rows, m.Columns}
	f, err := couple.NewField(watcher, m.Name, whole.Now(), couple.Block{Grid: size, First: []int{0, 0}, Extent: size, Halo: []int{0, 1}}, 1)
	if err != nil {
		return nil, err
	}
	in, err := f.ReceiveFrom(ctx, m.Name+".all", couple.Options{Every: heat.ReportEvery})
	return &model{whole, in}, err
}

// watch prints the heat of both models in each step that they send. It returns by how much the heat of both changed
// from the first one to the last, relatively.
func watch(ctx context.Context, p *acp.Process) (float64, error) {
	watcher, err := couple.NewModel(p, "watcher", nil)
	if err != nil {
		return 0, err
	}
	ocean, err := newModel(ctx, watcher, heat.Ocean())
	if err != nil {
		return 0, err
	}
	air, err := newModel(ctx, watcher, heat.Atmosphere())
	if err != nil {
		return 0, err
	}
	first, together := 0.0, 0.0
	for step := 0; step <= heat.Steps; step += heat.ReportEvery {
		if err := errors.Join(ocean.in.Receive(ctx, step), air.in.Receive(ctx, step)); err != nil {
			return 0, err
		}
		below, above := ocean.whole.Content(), air.whole.Content()
		if together = below + above; step == 0 {
			first = together
		}
		fmt.Printf("watcher: step %4d: heat of the ocean %.6f, of the atmosphere %.6f, together %.6f\n", step, below, above, together)
	}
	return math.Abs(together-first) / math.Abs(first), errors.Join(ocean.in.Close(ctx), air.in.Close(ctx))
}
