//go:build mpi

package main

import (
	"context"
	"errors"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/couple"
	"github.com/goacp/goacp/examples/mixed/coupled/heat"
)

// links couple this model. It sends its temperatures: the ocean wants those at the interface, the watcher
// all.
type links struct {
	mine         *couple.Field
	in           *couple.Receiver
	out, watched *couple.Sender
}

// open declares the temperatures of this rank, and those of the ocean that it needs, and opens the links.
// Points are numbered as in the grid, so the first ones are those at the interface.
func open(ctx context.Context, p *acp.Process, air *heat.Part, below []float64) (l links, err error) {
	rows, columns := air.Medium.Rows, air.Medium.Columns
	whole := couple.Block{Grid: []int{rows, columns}, First: []int{0, air.Own.First}, Extent: []int{rows, air.Own.Count}, Halo: []int{0, 1}}
	model, err1 := couple.NewModel(p, "atmosphere", nil)
	if err1 != nil {
		return l, err1
	}
	mine, err1 := couple.NewField(model, "all", air.Now(), whole, 1)
	theirs, err2 := couple.NewField(model, "below", below, couple.Ranges{{First: heat.NeedsOfAtmosphere(air.Own).First, N: len(below)}}, 1)
	if err := errors.Join(err1, err2); err != nil {
		return l, err
	}
	l.mine = mine
	if l.in, err = theirs.ReceiveFrom(ctx, "ocean.all", couple.Options{}); err != nil {
		return l, err
	}
	if l.out, err = mine.SendTo(ctx, "ocean.above", couple.Options{}); err != nil {
		return l, err
	}
	l.watched, err = mine.SendTo(ctx, "watcher.atmosphere", couple.Options{Levels: heat.Reports, Every: heat.ReportEvery})
	return l, err
}

// send sends the present time level to the watcher in each step that it wants, and to the ocean in all steps but
// the last.
func (l *links) send(ctx context.Context, air *heat.Part, step int) error {
	err := errors.Join(couple.Use(l.mine, air.Now()), l.watched.Send(ctx, step))
	if err != nil || step == heat.Steps {
		return err
	}
	return l.out.Send(ctx, step)
}
