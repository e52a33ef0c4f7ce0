package gma

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/maptable"
	"github.com/goacp/goacp/internal/network/router"
)

// manual is a starter whose accesses the test ends.
type manual struct {
	blocking bool // starts may wait for a peer
	single   bool // series cannot start
	series   int  // that have started
	word     uint64
	absent   bool // word cannot be loaded
	started  func(a *Access)
	open     []fabric.Completion
}

var here byte

// path is that of an atomic, or of a copy whose memory on near ranks is mapped.
func (m *manual) path(a *Access) router.Path {
	location := func(rank int) router.Location {
		if near(rank) {
			return router.Location{Addr: unsafe.Pointer(&here), Member: rank}
		}
		return router.Location{Member: rank}
	}
	dst, src := location(maptable.RankOf(a.Dst)), location(maptable.RankOf(a.Src))
	if !a.IsCopy {
		return new(router.Router).AtomicPath(src)
	}
	return new(router.Router).Between(dst, src)
}

// self is the rank of the Engine. Another rank of its host has the rank before.
const self = 9

// near reports whether the memory of a rank is mapped.
func near(rank int) bool { return rank >= self-1 }

func (m *manual) start(a *Access, done fabric.Completion) router.Path {
	m.started(a)
	m.open = append(m.open, done)
	return m.path(a)
}

// startSeries starts the GMAs of a series, of which the test ends all together.
func (m *manual) startSeries(s *series, done fabric.Completion) (path router.Path, ok bool) {
	if m.single {
		return path, false
	}
	m.series++
	for i := range s.gmas {
		a := access(&s.gmas[i])
		m.started(&a)
		path = m.path(&a)
	}
	m.open = append(m.open, done)
	return path, true
}

func (m *manual) gathers(router.Path) bool { return !m.blocking }

func (m *manual) mayWait() bool     { return m.blocking }
func (m *manual) hasDeferred() bool { return false }
func (m *manual) flush()            {}

func (m *manual) mail(Access, func() bool) (bool, error) { return false, nil }

func (m *manual) load(uint64, uint64) (uint64, bool) { return m.word, !m.absent }

func (m *manual) deliver(*Access, uint64) error { return nil }

func (m *manual) deliverSeries(*series) {}

// TestOrder issues GMAs with random orders, which end in random order, and compares starts,
// completion and errors with what the specification says.
func TestOrder(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	series := 0
	for i := range uint64(200) {
		s := newModel(t, seed+i, i%2 == 0)
		for range 300 {
			switch s.rnd.IntN(4) {
			case 3:
				s.burst()
			case 0:
				s.issue()
			case 1:
				s.end()
			case 2:
				h := s.rnd.Uint64N(uint64(len(s.issued)) + 3)
				if h == 0 {
					h = All
				}
				s.ask(h)
			}
		}
		for len(s.m.open) > 0 {
			s.end()
		}
		if s.e.table.Pending != 0 || !s.complete(All) {
			t.Fatalf("%d GMAs do not end", s.e.table.Pending)
		}
		s.ask(All)
		if !s.e.Quiet() {
			t.Fatal("nothing is in flight, and the Engine is not quiet")
		}
		series += s.m.series
	}
	if series == 0 {
		t.Error("no GMAs have started as a series")
	}
}

// TestIssueWaits fills the Engine. The next Issue waits until one GMA is retired, and no
// longer than the run lasts.
func TestIssueWaits(t *testing.T) {
	s := newModel(t, 1, false)
	s.m.started = func(*Access) {}
	for range maxInFlight {
		if _, err := s.e.Issue(context.Background(), &Access{IsCopy: true}); err != nil {
			t.Fatal(err)
		}
	}
	first := s.m.open[0]
	var all sync.WaitGroup
	all.Go(func() {
		if h, err := s.e.Issue(context.Background(), &Access{IsCopy: true}); err != nil || h != maxInFlight+1 {
			t.Errorf("issued as %d: %v", h, err)
		}
	})
	first.Complete(0, nil)
	all.Wait()
	over := errors.New("over")
	all.Go(func() {
		if _, err := s.e.Issue(context.Background(), &Access{IsCopy: true}); err != over {
			t.Errorf("got %v, expected the end of the run", err)
		}
	})
	s.e.cond.End(over)
	all.Wait()
	if err := s.e.Wait(context.Background(), All); !errors.Is(err, over) {
		t.Errorf("got %v, expected the end of the run", err)
	}
}

// TestGiveUp: a Wait and an Issue that give up leave everything in flight, with its errors for
// the next Wait.
func TestGiveUp(t *testing.T) {
	s := newModel(t, 1, false)
	s.m.started = func(*Access) {}
	for range maxInFlight {
		if _, err := s.e.Issue(context.Background(), &Access{IsCopy: true}); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() {
		if err := s.e.Wait(ctx, All); err != context.Canceled {
			t.Errorf("Wait: got %v, expected the error of the context", err)
		}
	})
	all.Go(func() {
		if _, err := s.e.Issue(ctx, &Access{IsCopy: true}); err != context.Canceled {
			t.Errorf("Issue: got %v, expected the error of the context", err)
		}
	})
	cancel()
	all.Wait()
	failed := errors.New("failed")
	for i, g := range s.m.open {
		if i == 7 {
			g.Complete(0, failed)
		} else {
			g.Complete(0, nil)
		}
	}
	if err := s.e.Wait(ctx, All); !errors.Is(err, failed) {
		t.Errorf("got %v, expected the error of one GMA", err)
	}
	if err := s.e.Wait(context.Background(), All); err != nil {
		t.Errorf("an error is returned twice: %v", err)
	}
}
