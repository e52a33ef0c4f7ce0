package acp_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// TestStates: a process sees guests come and leave, in this order, and waits for each change.
func TestStates(t *testing.T) {
	var first atomic.Pointer[acp.Process]
	h := host(t, bridge.ModeAuto, 2, 8, func(p *acp.Process, _ int) error {
		if p.Rank() == 0 {
			first.Store(p)
		}
		return nil
	})
	defer h.leave()
	for first.Load() == nil {
		time.Sleep(time.Millisecond)
	}
	p := first.Load()
	if p.Seats() != 10 || p.Procs() != 2 {
		t.Errorf("%d seats, %d ranks", p.Seats(), p.Procs())
	}
	expect := func(rank acp.Rank, state acp.State) {
		t.Helper()
		if s, err := p.State(rank); s != state || err != nil {
			t.Errorf("rank %d is %v, %v; expected %v", rank, s, err, state)
		}
	}
	await := func(seen, changes int64) {
		t.Helper()
		n, err := seen, error(nil)
		for n < seen+changes && err == nil {
			n, err = p.AwaitChange(n)
		}
		if n != seen+changes || err != nil {
			t.Errorf("%d changes after %d, %v; expected %d more", n, seen, err, changes)
		}
	}
	expect(1, acp.StatePresent)
	expect(2, acp.StateNone)
	seen, err := p.AwaitChange(-1)
	if err != nil {
		t.Fatal(err)
	}
	arrived := make(chan struct{})
	go func() {
		defer close(arrived)
		await(seen, 1)
	}()
	g, err := h.attach(bridge.ModeAuto, 2)
	if err != nil {
		t.Fatal(err)
	}
	<-arrived
	expect(2, acp.StatePresent)
	if c, err := p.Cohort(3); c != 1 || err != nil {
		t.Errorf("cohort %d, %v", c, err)
	}
	if _, err := p.Cohort(4); !errors.Is(err, acp.ErrBadRank) {
		t.Errorf("the cohort of a rank that has not come: %v", err)
	}
	if _, err := p.State(10); !errors.Is(err, acp.ErrBadRank) {
		t.Errorf("the state of a rank that cannot be: %v", err)
	}
	if err := g.finalize(); err != nil {
		t.Fatal(err)
	}
	await(seen+1, 2)
	expect(2, acp.StateLeft)
	expect(3, acp.StateLeft)
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if _, err := p.WithContext(ctx).AwaitChange(seen + 3); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a wait that nothing ends: %v", err)
	}
}
