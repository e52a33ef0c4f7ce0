package gma

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/memory/maptable"
)

// issued is a GMA in the model of an Engine.
type issued struct {
	kind      kind
	src, dst  int // ranks
	size      uint64
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
	s.m = &manual{blocking: blocking, single: seed/2%2 == 0, started: s.started}
	var b wait.Budget
	s.e = &Engine{
		table: &maptable.Table{Rank: self, Procs: self + 1}, starter: s.m, cond: wait.NewCond(&b, func() bool { return false }),
		member: func(rank int) int { return rank },
		run:    func(f func()) { f() },
		onFail: s.failed,
	}
	return s
}

// errSeries is the error of a series as a whole.
var errSeries = errors.New("the series failed")

// failed returns the error of a GMA that has failed.
func (s *model) failed(a *Access, err error) error {
	if err == errSeries {
		return s.issued[handleOf(a)-1].err
	}
	return err
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

// handleOf returns the handle that a GMA of the model has: it is in the positions.
func handleOf(a *Access) uint64 { return maptable.PositionOf(a.Src) }

// issue issues a GMA with a random order.
func (s *model) issue() {
	n := uint64(len(s.issued))
	g := s.choose()
	g.size = []uint64{0, 4, 8, maptable.SubmissionBytes, maptable.SubmissionBytes + 1}[s.rnd.IntN(5)]
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
	s.begin(g, order)
}

// burst issues GMAs that are like the last one and have no order.
func (s *model) burst() {
	for range 1 + s.rnd.IntN(20) {
		if len(s.issued) == 0 || s.issued[len(s.issued)-1].kind == local {
			return
		}
		last := s.issued[len(s.issued)-1]
		g := &issued{kind: last.kind, src: last.src, dst: last.dst, size: last.size}
		s.issued = append(s.issued, g)
		s.begin(g, None)
	}
}

// begin issues g, the newest GMA.
func (s *model) begin(g *issued, order uint64) {
	n := uint64(len(s.issued) - 1)
	at := n + 1
	a := Access{Src: uint64(g.src)<<maptable.RankShift | at, Dst: uint64(g.dst)<<maptable.RankShift | at, Size: g.size, Order: order}
	if a.IsCopy = g.kind != add; !a.IsCopy {
		a.Size, a.Atomic = 8, fabric.Atomic{Op: fabric.OpAdd, Width: 8}
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
	h := handleOf(a)
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
	done := s.m.open[i]
	s.m.open = append(s.m.open[:i], s.m.open[i+1:]...)
	if p, ok := done.(*part); ok {
		s.endPart(p)
		return
	}
	f := done.(*inFlight)
	if f.series != nil {
		s.endSeries(f)
	} else {
		err := s.fail(f.handle)
		s.issued[f.handle-1].done = true
		f.Complete(0, err)
	}
	s.tookAll("a GMA has completed")
}

// fail chooses whether a GMA fails, and returns its error.
func (s *model) fail(handle uint64) error {
	g := s.issued[handle-1]
	if s.rnd.IntN(4) == 0 {
		g.err = fmt.Errorf("GMA %d failed", handle)
	}
	return g.err
}

// endSeries lets a series end, with errors of some of its GMAs or of all.
func (s *model) endSeries(f *inFlight) {
	var all error
	if s.rnd.IntN(8) == 0 {
		all = errSeries
	}
	for i, w := range f.series.gmas {
		g := s.issued[w.Handle-1]
		if g.done = true; all != nil {
			g.err = fmt.Errorf("GMA %d failed with others", w.Handle)
		} else if err := s.fail(w.Handle); err != nil {
			for range 1 + s.rnd.IntN(2) { // an item may fail twice
				f.series.Fail(i, err)
			}
		}
	}
	f.Complete(0, all)
}

// endPart lets a GMA end that has started by itself, although it is one of a series. All of these are complete with
// the last.
func (s *model) endPart(p *part) {
	gmas := p.g.series.gmas
	err := s.fail(gmas[p.index].Handle)
	last := p.g.series.parts.open.Load() == 1
	for _, w := range gmas {
		s.issued[w.Handle-1].done = last
	}
	if p.Complete(0, err); last {
		s.tookAll("a series has completed")
	}
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
