package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/couple"
)

// watch lets rank 0 watch a model of the other ranks, which publish until a file exists.
func watch(p *acp.Process, file string) error {
	w := &waiting{p: p, sends: p.Rank() > 0}
	if err := w.declare(); err != nil {
		return err
	}
	if p.Rank() == 0 {
		return w.look(context.Background())
	}
	out, err := w.field.PublishTo("one.field", 1)
	if err != nil {
		return err
	}
	w.ready()
	steps := 0
	for exists := false; !exists; steps++ {
		time.Sleep(time.Millisecond) // the time of a step of the model
		if err := out.Send(steps); err != nil {
			return err
		}
		_, err := os.Stat(file)
		exists = err == nil
	}
	out.Close()
	fmt.Printf("rank %d has ended\n", p.Rank())
	return nil
}

// look watches until the model has ended.
func (w *waiting) look(ctx context.Context) error {
	in, err := w.field.Watch(ctx, "others.field")
	if err != nil {
		return err
	}
	for pictures := 0; ; pictures++ {
		switch _, err := in.Next(ctx); {
		case errors.Is(err, couple.ErrEnded):
			return in.Close(ctx)
		case err != nil:
			return err
		case pictures == 1:
			w.ready()
		}
	}
}
