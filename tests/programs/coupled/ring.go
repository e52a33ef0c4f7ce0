package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/couple"
)

// ring is what a model of a ring of models does: it sends its field to the next one, and receives that of
// the one before.
type ring struct {
	to, from              string
	points, steps, levels int
}

// share returns the points of a rank: those of a block, or every n-th one. Models with an odd number of ranks have
// blocks.
func (r *ring) share(index, ranks int) couple.List {
	var l couple.List
	for x := range r.points {
		if ranks%2 == 1 && x*ranks/r.points == index || ranks%2 == 0 && x%ranks == index {
			l = append(l, x)
		}
	}
	return l
}

// value returns what a model sends for a point in a step.
func value(model string, step, point int) float64 {
	return float64(len(model)*1000003+int(model[0])*7919+step*131) + float64(point)/16
}

// run opens both links and exchanges the fields.
func (r *ring) run(p *acp.Process) error {
	ctx := context.Background()
	m, err := couple.NewModel(p, "", nil)
	if err != nil {
		return err
	}
	job, err := p.JobOf(p.Rank())
	if err != nil {
		return err
	}
	index := slices.Index(job.Ranks(), p.Rank())
	held := r.share(index, job.Procs())
	out, in := make([]float64, len(held)), make([]float64, len(held))
	fieldOut, err1 := couple.NewField(m, "out", out, held, 1)
	fieldIn, err2 := couple.NewField(m, "in", in, held, 1)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	opened := make(chan error, 1)
	var sender *couple.Sender
	go func() {
		var err error
		sender, err = fieldOut.SendTo(ctx, r.to+".in", couple.Options{Levels: r.levels})
		opened <- err
	}()
	receiver, err := fieldIn.ReceiveFrom(ctx, r.from+".out", couple.Options{})
	if err := errors.Join(err, <-opened); err != nil {
		return err
	}
	for step := range r.steps {
		for i, x := range held {
			out[i] = value(m.Name(), step, x)
		}
		if err := errors.Join(sender.Send(ctx, step), receiver.Receive(ctx, step)); err != nil {
			return err
		}
		for i, x := range held {
			if want := value(r.from, step, x); in[i] != want {
				return fmt.Errorf("step %d: point %d of %s is %v, want %v", step, x, r.from, in[i], want)
			}
		}
	}
	if index == 0 {
		fmt.Printf("%s has got %d fields of %s\n", m.Name(), r.steps, r.from)
	}
	closed := make(chan error, 1)
	go func() { closed <- sender.Close(ctx) }()
	return errors.Join(receiver.Close(ctx), <-closed)
}
