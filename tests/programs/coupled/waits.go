package main

import (
	"context"
	"fmt"
	"os"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/couple"
)

// waiting is a link between rank 0 and the other ranks, of which this process has one end.
type waiting struct {
	p     *acp.Process
	field *couple.Field
	sends bool // this process sends
}

// wait opens a link with rank 0 on one side, and waits at it in some way.
func wait(p *acp.Process, way string) error {
	w := &waiting{p: p, sends: (p.Rank() == 0) != (way == "send")}
	if err := w.declare(); err != nil {
		return err
	}
	if err := p.Sync(); err != nil {
		return err
	}
	if way == "open" {
		w.ready()
		if p.Rank() == 0 {
			select {}
		}
		_, err := w.open()
		return err
	}
	move, err := w.open()
	if err != nil {
		return err
	}
	w.ready()
	if p.Rank() == 0 && way != "exchange" {
		select {}
	}
	for step := 0; ; step++ {
		if err := move(context.Background(), step); err != nil {
			return err
		}
	}
}

// declare declares the field of this process.
func (w *waiting) declare() error {
	name, ranks := "one", []acp.Rank{0}
	if w.p.Rank() > 0 {
		name, ranks = "others", nil
		for r := 1; r < w.p.Procs(); r++ {
			ranks = append(ranks, acp.Rank(r))
		}
	}
	const n = 100000
	points := couple.Ranges{{First: 0, N: n}}
	if w.p.Rank() > 0 {
		each := n / len(ranks)
		points = couple.Ranges{{First: each * int(w.p.Rank()-1), N: each}}
	}
	m, err := couple.NewModel(w.p, name, ranks)
	if err == nil {
		w.field, err = couple.NewField(m, "field", make([]float64, points[0].N), points, 1)
	}
	return err
}

// open opens the end of this process, and returns the function that moves a message.
func (w *waiting) open() (move func(context.Context, int) error, err error) {
	partner := "others.field"
	if w.p.Rank() > 0 {
		partner = "one.field"
	}
	ctx := context.Background()
	if w.sends {
		s, err := w.field.SendTo(ctx, partner, couple.Options{})
		if err != nil {
			return nil, err
		}
		return s.Send, nil
	}
	r, err := w.field.ReceiveFrom(ctx, partner, couple.Options{})
	if err != nil {
		return nil, err
	}
	return r.Receive, nil
}

// ready prints that this process is about to wait.
func (w *waiting) ready() { fmt.Printf("rank %d pid %d\n", w.p.Rank(), os.Getpid()) }
