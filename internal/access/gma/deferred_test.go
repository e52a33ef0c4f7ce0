package gma

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/memory/maptable"
	"github.com/goacp/goacp/internal/network/router"
)

// holder is a starter whose accesses are complete after a flush. Size has the number of an access.
type holder struct {
	t  *testing.T
	e  *Engine
	mu sync.Mutex

	held  []fabric.Completion
	after []uint64        // by number: the handle up to which all has to be complete when it starts
	done  map[uint64]bool // numbers
	runs  sync.WaitGroup
}

func newHolder(t *testing.T) *holder {
	h := &holder{t: t, done: map[uint64]bool{}}
	var b wait.Budget
	h.e = &Engine{
		table: &maptable.Table{}, starter: h, cond: wait.NewCond(&b, func() bool { return false }),
		member: func(rank int) int { return rank }, run: h.runs.Go,
		onFail: func(_ *Access, err error) error { return err },
	}
	return h
}

func (h *holder) path(*Access) router.Path { return router.Path{} }
func (h *holder) mayWait() bool            { return true }
func (h *holder) gathers(router.Path) bool { return false }

func (h *holder) mail(Access, func() bool) (bool, error) { return false, nil }

func (h *holder) start(a *Access, done fabric.Completion) router.Path {
	h.mu.Lock()
	defer h.mu.Unlock()
	for n := range h.after[a.Size] {
		if !h.done[n+1] {
			h.t.Errorf("GMA %d starts before %d is complete", a.Size+1, n+1)
		}
	}
	if _, may := done.(fabric.Deferred); !may {
		h.t.Errorf("GMA %d does not wait for a flush", a.Size+1)
	}
	h.held = append(h.held, done)
	return router.Path{}
}

func (h *holder) deliver(a *Access, _ uint64) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.done[a.Size+1] = true
	return nil
}

func (h *holder) startSeries(*series, fabric.Completion) (router.Path, bool) {
	return router.Path{}, false
}

func (h *holder) deliverSeries(*series) {}

func (h *holder) load(uint64, uint64) (uint64, bool) { return 0, true }

func (h *holder) hasDeferred() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.held) > 0
}

func (h *holder) flush() {
	h.mu.Lock()
	held := h.held
	h.held = nil
	h.mu.Unlock()
	for _, done := range held {
		done.Complete(0, nil)
	}
}

// TestDeferred issues GMAs with random orders, all of which wait for a flush. Those that have to follow
// others start when these are complete, Wait returns without help, and a flush is for many.
func TestDeferred(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	h := newHolder(t)
	for n := range uint64(3000) {
		order, after := None, uint64(0)
		switch rnd.IntN(12) {
		case 0:
			order, after = All, n
		case 1:
			order, after = Cont, 0
			if n > 0 {
				after = h.after[n-1] // at least
			}
		case 2:
			order = rnd.Uint64N(n + 1)
			after = order
		}
		h.mu.Lock()
		h.after = append(h.after, after)
		h.mu.Unlock()
		if _, err := h.e.Issue(context.Background(), &Access{Size: n, Order: order}); err != nil {
			t.Fatal(err)
		}
		if rnd.IntN(50) != 0 {
			continue
		}
		handle := 1 + rnd.Uint64N(n+1)
		if err := h.e.Wait(context.Background(), handle); err != nil {
			t.Fatal(err)
		}
		h.mu.Lock()
		for m := uint64(1); m <= handle; m++ {
			if !h.done[m] {
				t.Errorf("after the wait for GMA %d, %d is not complete", handle, m)
			}
		}
		h.mu.Unlock()
	}
	if err := h.e.Wait(context.Background(), All); err != nil || !h.e.Quiet() {
		t.Errorf("after the end: %v", err)
	}
	h.runs.Wait()
}

// TestDeferredStaysOpen: GMAs in no order stay with the transport until the program waits.
func TestDeferredStaysOpen(t *testing.T) {
	h := newHolder(t)
	for n := range uint64(64) {
		h.after = append(h.after, 0)
		if _, err := h.e.Issue(context.Background(), &Access{Size: n}); err != nil {
			t.Fatal(err)
		}
	}
	if len(h.held) != 64 {
		t.Errorf("%d of 64 wait for a flush", len(h.held))
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if err := h.e.Wait(ctx, All); err != context.DeadlineExceeded {
		t.Errorf("a wait that gives up returns %v", err)
	}
	if err := h.e.Wait(context.Background(), All); err != nil || len(h.held) != 0 {
		t.Errorf("after the wait %d wait for a flush: %v", len(h.held), err)
	}
}
