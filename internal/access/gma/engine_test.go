package gma

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/memory/maptable"
	"github.com/goacp/goacp/internal/network/router"
)

// manual is a starter whose accesses the test ends.
type manual struct {
	blocking bool // starts may wait for a peer
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

func (m *manual) gathers(router.Path) bool { return !m.blocking }

func (m *manual) mayWait() bool     { return m.blocking }
func (m *manual) hasDeferred() bool { return false }
func (m *manual) flush()            {}

func (m *manual) mail(Access, func() bool) (bool, error) { return false, nil }

func (m *manual) load(uint64, uint64) (uint64, bool) { return m.word, !m.absent }

func (m *manual) deliver(*Access, uint64) error { return nil }

// issued is a GMA in the model of an Engine.
type issued struct {
	kind      kind
	src, dst  int    // ranks
	condition uint64 // everything up to here has to be complete when it starts
	follows   bool   // it is carried out behind the one before
	started   bool
	done      bool
	err       error // returned when it is retired, until Wait or Inquire has returned it
}

type kind int

const (
	put kind = iota
	get
	add
	third // copies between two other ranks
	local // carried out at once by C, which takes a handle
	kinds
)

// choose chooses a GMA, often one like the last one.
func (s *model) choose() *issued {
	if n := len(s.issued); n > 0 && s.rnd.IntN(2) == 0 {
		last := s.issued[n-1]
		return &issued{kind: last.kind, src: last.src, dst: last.dst}
	}
	far, mapped := s.rnd.IntN(3), self-s.rnd.IntN(2)
	switch k := kind(s.rnd.IntN(int(kinds))); k {
	case put:
		return &issued{kind: k, src: mapped, dst: far}
	case get:
		return &issued{kind: k, src: far, dst: mapped}
	case add:
		return &issued{kind: k, src: far, dst: self}
	case third:
		return &issued{kind: k, src: far, dst: s.rnd.IntN(3)}
	default:
		return &issued{kind: k, src: self, dst: self}
	}
}

// peer returns the rank that carries out a put, get or atomic.
func (g *issued) peer() int {
	if g.kind == put {
		return g.dst
	}
	return g.src
}

// before reports whether a GMA is carried out before another one that starts now. Gets and atomics store in
// memory of this process, each kind in order, and puts may read there.
func (g *issued) before(later *issued) bool {
	ordered := g.started && g.kind != third && later.kind != third && g.peer() == later.peer()
	return g.done || ordered && (g.kind == put || g.kind == later.kind)
}

// model is what the specification says about an Engine with a manual starter.
type model struct {
	t      *testing.T
	e      *Engine
	m      *manual
	rnd    *rand.Rand
	issued []*issued // by handle - 1
}

func newModel(t *testing.T, seed uint64, blocking bool) *model {
	s := &model{t: t, rnd: rand.New(rand.NewPCG(seed, 0))}
	s.m = &manual{blocking: blocking, started: s.started}
	var b wait.Budget
	s.e = &Engine{
		table: &maptable.Table{Rank: self, Procs: self + 1}, starter: s.m, cond: wait.NewCond(&b, func() bool { return false }),
		member: func(rank int) int { return rank },
		run:    func(f func()) { f() },
		onFail: func(_ *Access, err error) error { return err },
	}
	return s
}

// precedes reports whether everything up to a handle is done, or is carried out before g.
func (s *model) precedes(handle uint64, g *issued) bool {
	for _, earlier := range s.issued[:min(handle, uint64(len(s.issued)))] {
		if !earlier.before(g) {
			return false
		}
	}
	return true
}

// complete reports whether everything up to a handle is done.
func (s *model) complete(handle uint64) bool {
	for _, g := range s.issued[:min(handle, uint64(len(s.issued)))] {
		if !g.done {
			return false
		}
	}
	return true
}

// issue issues a GMA with a random order. Size has the handle that it is going to have.
func (s *model) issue() {
	n := uint64(len(s.issued))
	g := s.choose()
	s.issued = append(s.issued, g)
	if g.kind == local {
		g.started, g.done = true, true
		s.e.table.Next()
		return
	}
	order := None
	switch s.rnd.IntN(5) {
	case 0:
		order = All
		g.condition = n
	case 1, 2:
		order = Cont
		g.condition = n
		if n > 0 && s.issued[n-1].src == g.src && s.issued[n-1].dst == g.dst {
			g.condition, g.follows = s.issued[n-1].condition, true
		}
	case 3:
		order = s.rnd.Uint64N(n+3) + 1
		if order <= n {
			g.condition = order
		}
	}
	a := Access{Src: uint64(g.src) << maptable.RankShift, Dst: uint64(g.dst) << maptable.RankShift, Size: n + 1, Order: order}
	if a.IsCopy = g.kind != add; !a.IsCopy {
		a.Atomic.Op = fabric.OpAdd
	}
	h, err := uint64(0), error(nil)
	if s.rnd.IntN(2) == 0 {
		h, err = s.e.Issue(context.Background(), &a)
	} else {
		h, err = issue(s.e, a) // as from C
	}
	if err != nil || h != n+1 {
		s.t.Fatalf("issued as %d, expected %d: %v", h, n+1, err)
	}
	if !g.started && s.complete(n) {
		s.t.Fatalf("GMA %d with order %#x waits for nothing", h, order)
	}
}

func (s *model) started(a *Access) {
	h := a.Size
	g := s.issued[h-1]
	switch {
	case g.started:
		s.t.Errorf("GMA %d starts twice", h)
	case !s.precedes(g.condition, g):
		s.t.Errorf("GMA %d starts before %d is complete", h, g.condition)
	case g.follows && !s.issued[h-2].before(g):
		s.t.Errorf("GMA %d overtakes the one before", h)
	}
	g.started = true
}

// end lets one that has started end, perhaps with an error.
func (s *model) end() {
	if len(s.m.open) == 0 {
		return
	}
	i := s.rnd.IntN(len(s.m.open))
	f := s.m.open[i].(*inFlight)
	s.m.open = append(s.m.open[:i], s.m.open[i+1:]...)
	h := f.handle
	g := s.issued[h-1]
	if s.rnd.IntN(4) == 0 {
		g.err = fmt.Errorf("GMA %d failed", h)
	}
	g.done = true
	f.Complete(0, g.err)
	s.tookAll("a GMA has completed")
}

// tookAll expects that nothing waits in the submission queue.
func (s *model) tookAll(behind string) {
	s.t.Helper()
	if n := s.e.table.Submissions.Count; n != 0 {
		s.t.Fatalf("%s, and %d GMAs wait in the submission queue", behind, n)
	}
}

// ask compares what Inquire, or Wait, says about a handle.
func (s *model) ask(handle uint64) {
	never := handle > uint64(len(s.issued)) && handle != All // such a handle is complete
	want := never || s.complete(handle)
	var got bool
	var err error
	if want && s.rnd.IntN(2) == 0 {
		got, err = true, s.e.Wait(context.Background(), handle)
	} else {
		got, err = s.e.Inquire(handle)
	}
	s.tookAll("the program has asked")
	if got != want {
		s.t.Fatalf("GMA %d is complete: %v, expected %v", handle, got, want)
	}
	for i, g := range s.issued {
		expected := g.err != nil && got && !never && uint64(i) < handle
		if is := g.err != nil && errors.Is(err, g.err); is != expected {
			s.t.Fatalf("after GMA %d the answer is %v; the error of %d in it: %v, expected %v", handle, err, i+1, is, expected)
		}
		if expected {
			g.err = nil
		}
	}
}

// TestOrder issues GMAs with random orders, which end in random order, and compares starts,
// completion and errors with what the specification says.
func TestOrder(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for i := range uint64(200) {
		s := newModel(t, seed+i, i%2 == 0)
		for range 300 {
			switch s.rnd.IntN(3) {
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
