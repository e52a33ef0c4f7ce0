package acp_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// TestGiveUpLost: operations whose calls returned early end when the run is lost. So do a call that waits for
// them, and Finalize, whether or not it returned early.
func TestGiveUpLost(t *testing.T) {
	w := newWorld(t, 2)
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	stuck := time.AfterFunc(deadline, func() { panic("ranks are stuck: " + t.Name()) })
	defer stuck.Stop()
	agents, abort := make(chan *staller, 1), make(chan struct{})
	errs := make([]error, 2)
	var both sync.WaitGroup
	for rank := range 2 {
		both.Go(func() {
			p, err := w.open(ctx, rank, acp.Config{Mode: bridge.ModeTCP})
			switch {
			case err != nil:
				errs[rank] = err
			case rank == 0:
				errs[rank] = loseGivenUp(p, <-agents, func() { close(abort) })
			default:
				agents <- stalling.Of(p)
				<-abort
				p.Abort("test")
				_ = p.Finalize() // fails: the run is over
			}
		})
	}
	both.Wait()
	w.server.Close()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// loseGivenUp starts operations on rank 1, which does not answer, lets their contexts end, and calls abort.
func loseGivenUp(p *acp.Process, s *staller, abort func()) error {
	v, l := must(acp.NewVector[int](p, 1, 1)), must(acp.NewList[int](p, 1))
	go func() { _, _ = stalling.Of(p).p.Call(1, 0, nil, nil) }() // fails: the run ends
	<-s.entered
	defer close(s.resume)
	var err error
	for range 3 {
		err = errors.Join(err,
			expect(context.Canceled, v.WithContext(endsWhenAsked()).PushBack(1)),
			expect(context.Canceled, l.WithContext(endsWhenAsked()).PushBack(1, 1)),
			expect(context.Canceled, last(p.WithContext(endsWhenAsked()).Malloc(8, 1))),
		)
	}
	pushed, finalized := make(chan error, 1), make(chan error, 1)
	go func() { pushed <- v.PushBack(2) }()
	err = errors.Join(err, expect(context.Canceled, p.WithContext(endsWhenAsked()).Finalize()))
	go func() { finalized <- p.Finalize() }()
	abort()
	if push := <-pushed; !errors.Is(push, acp.ErrPeerDead) && !errors.Is(push, acp.ErrFinalized) {
		err = errors.Join(err, fmt.Errorf("a call that waits for those that were given up: %w", push))
	}
	return errors.Join(err, expect(acp.ErrPeerDead, <-finalized))
}
