package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/couple"
)

// ring runs a model of a ring of models: it sends its field to the next model, and receives the field of the
// previous model.
type ring struct {
	to, from              string
	points, steps, levels int
}

// share returns the points of a rank: a block, or every n-th point. Models with an odd number of ranks have
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

// value returns the value that a model sends for a point in a step.
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
	links, err := r.open(ctx, m, fieldOut, fieldIn)
	if err != nil {
		return err
	}
	for step := range r.steps {
		for i, x := range held {
			out[i] = value(m.Name(), step, x)
		}
		if err := errors.Join(links.Send(ctx, step), links.Receive(ctx, step)); err != nil {
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
	return links.Close(ctx)
}

// links are both links of a model.
type links interface {
	Send(ctx context.Context, step int) error
	Receive(ctx context.Context, step int) error
	Close(ctx context.Context) error
}

// open opens both links: the links of the description if the program has no names of partners.
func (r *ring) open(ctx context.Context, m *couple.Model, out, in *couple.Field) (links, error) {
	if r.to == "" {
		return m.Open(ctx)
	}
	p := &pair{}
	opened := make(chan error, 1)
	go func() {
		var err error
		p.Sender, err = out.SendTo(ctx, r.to+".in", couple.Options{Levels: r.levels})
		opened <- err
	}()
	var err error
	p.Receiver, err = in.ReceiveFrom(ctx, r.from+".out", couple.Options{})
	return p, errors.Join(err, <-opened)
}

// pair is the links that a model has opened itself.
type pair struct {
	*couple.Sender
	*couple.Receiver
}

// Close closes both ends.
func (p *pair) Close(ctx context.Context) error {
	return errors.Join(p.Sender.Close(ctx), p.Receiver.Close(ctx))
}
