package gma

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/memory/maptable"
)

// issue does what C does for a program: it submits a to the submission queue if that is open for the rank at the other
// end, and calls Issue if not.
func issue(e *Engine, a Access) (uint64, error) {
	here := maptable.RankOf(a.Dst) == self
	if a.Order == None && a.Size <= maptable.SubmissionBytes && (here || a.IsCopy) && here != (maptable.RankOf(a.Src) == self) {
		w := maptable.Submission{Dst: a.Dst, Src: a.Src, Size: a.Size, Op: uint8(a.Atomic.Op), Operand: a.Atomic.Operand, Compare: a.Atomic.Compare}
		if h, ok := e.table.Submit(e.farRank(&a), &w); ok {
			return h, nil
		}
	}
	return e.Issue(context.Background(), &a)
}

// farPut returns a put of a word to a rank whose memory is not mapped.
func farPut() Access {
	return Access{IsCopy: true, Dst: 1 << maptable.RankShift, Src: self << maptable.RankShift, Size: 8, Order: None}
}

// fill issues puts until the submission queue is full or no more may be in flight, and returns how many. Their sizes
// differ, so that each starts and completes by itself.
func fill(t *testing.T, s *model) int {
	t.Helper()
	n := 0
	for ; s.e.table.Submissions.Count < maptable.SubmissionMax && s.e.table.Pending < maxInFlight; n++ {
		put := farPut()
		put.Size += uint64(n % 2)
		if _, err := issue(s.e, put); err != nil {
			t.Fatal(err)
		}
		if n > maptable.SubmissionMax+1 {
			t.Fatal("GMAs do not wait in the submission queue")
		}
	}
	return n
}

// fillBehind puts a number of GMAs into flight, and then fills the submission queue.
func fillBehind(t *testing.T, s *model, n int) {
	t.Helper()
	put := farPut()
	for range n {
		if _, err := issue(s.e, put); err != nil {
			t.Fatal(err)
		}
		put.Order = 1 // is not submitted
	}
	fill(t, s)
}

// TestSubmissionsBounded: a peer that answers one GMA at a time does not make more of them go into flight than Issue
// permits, though the Engine takes in many for each. In the end all start and none waits.
func TestSubmissionsBounded(t *testing.T) {
	s := newModel(t, 1, false)
	s.m.started = func(*Access) {}
	fill(t, s)
	for s.e.table.Pending < maxInFlight {
		s.m.open[0].Complete(0, nil)
		s.m.open = s.m.open[1:]
		fill(t, s)
	}
	for i := range 10 {
		s.m.open[0].Complete(0, nil)
		s.m.open = s.m.open[1:]
		if n := s.e.gmas; n >= maxInFlight+maptable.SubmissionMax {
			t.Fatalf("%d GMAs are in flight behind %d answers", n, i)
		}
	}
	completeAll(t, s)
}

// TestSubmissionsBoundedBehindInquire: a thread that inquires about each GMA, so that the submission queue never fills, has no more in
// flight than one that does not.
func TestSubmissionsBoundedBehindInquire(t *testing.T) {
	s := newModel(t, 1, false)
	s.m.started = func(*Access) {}
	for range maxInFlight {
		h, err := issue(s.e, farPut())
		if err != nil {
			t.Fatal(err)
		}
		if done, err := s.e.Inquire(h); done || err != nil {
			t.Fatalf("GMA %d is complete: %v, %v", h, done, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, ok := s.e.table.Submit(1, &maptable.Submission{}); ok {
		t.Errorf("a GMA is submitted behind %d others", maxInFlight)
	}
	put := farPut()
	if _, err := s.e.Issue(ctx, &put); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, expected the error of the context", err)
	}
}

// completeAll ends the GMAs that are open, and those that start meanwhile.
func completeAll(t *testing.T, s *model) {
	t.Helper()
	for len(s.m.open) > 0 {
		g := s.m.open[0]
		s.m.open = s.m.open[1:]
		g.Complete(0, nil)
	}
	if n := s.e.table.Pending; n != 0 || s.e.table.Submissions.To != 0 {
		t.Errorf("%d GMAs are pending, the submission queue is open for rank %d - 1", n, s.e.table.Submissions.To)
	}
	if err := s.e.Wait(context.Background(), All); err != nil {
		t.Error(err)
	}
}

// TestIssueSubmits: Issue submits small GMAs without an order while others are in flight. A GMA of another kind starts
// those that wait and then itself, and one behind a full submission queue starts those that wait.
func TestIssueSubmits(t *testing.T) {
	put, get := farPut(), Access{IsCopy: true, Dst: self << maptable.RankShift, Src: 1 << maptable.RankShift, Size: maptable.SubmissionBytes}
	add := Access{Dst: self << maptable.RankShift, Src: 1 << maptable.RankShift, Size: 8, Atomic: fabric.Atomic{Op: fabric.OpAdd, Width: 8}}
	ordered, large, third := put, get, put
	ordered.Order, large.Size, third.Src = 1, maptable.SubmissionBytes+1, 2<<maptable.RankShift
	for _, c := range []struct {
		name      string
		access    Access
		submitted bool
	}{
		{"put", put, true}, {"get", get, true}, {"add", add, true},
		{"with an order", ordered, false}, {"large", large, false}, {"between others", third, false},
	} {
		s := newModel(t, 1, false)
		s.m.started = func(*Access) {}
		issue := func(a Access) {
			if _, err := s.e.Issue(context.Background(), &a); err != nil {
				t.Fatal(err)
			}
		}
		issue(put)
		issue(get)
		issue(c.access)
		if waits := s.e.table.Submissions.Count; c.submitted != (waits == 2) || c.submitted == (waits == 0) {
			t.Errorf("%s: %d GMAs wait", c.name, waits)
		}
		for s.e.table.Submissions.Count < maptable.SubmissionMax {
			issue(put)
		}
		issue(put)
		if waits := s.e.table.Submissions.Count; waits != 1 {
			t.Errorf("%s: %d GMAs wait when the submission queue has been full, want 1", c.name, waits)
		}
		completeAll(t, s)
	}
}

// TestIssueSubmitsAll: a GMA that Issue has submitted starts as it was issued, with the bytes that a put had then. A put whose
// bytes are not there is not submitted.
func TestIssueSubmitsAll(t *testing.T) {
	s := newModel(t, 1, false)
	var started []Access
	s.m.started = func(a *Access) { started = append(started, *a) }
	far, here := uint64(1)<<maptable.RankShift, uint64(self)<<maptable.RankShift
	swap := Access{Dst: here + 8, Src: far + 16, Size: 4, Atomic: fabric.Atomic{Op: fabric.OpCas, Width: 4, Operand: 3, Compare: 2}}
	long := Access{IsCopy: true, Dst: far + 24, Src: here + 32, Size: 9}
	accesses := []Access{farPut(), farPut(), farPut(), swap, long}
	for i, a := range accesses {
		s.m.word = uint64(i)
		if _, err := s.e.Issue(context.Background(), &a); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.e.table.Submissions.Count; n != 4 {
		t.Fatalf("%d GMAs wait, want 4", n)
	}
	s.m.absent = true
	put := farPut()
	if _, err := s.e.Issue(context.Background(), &put); err != nil || s.e.table.Submissions.Count != 0 {
		t.Errorf("got %v, %d GMAs wait", err, s.e.table.Submissions.Count)
	}
	word, next := accesses[1], accesses[2]
	word.Loaded, word.Atomic.Operand = true, 1
	next.Loaded, next.Atomic.Operand = true, 2
	if want := []Access{farPut(), word, next, swap, long, farPut()}; !slices.Equal(started, want) {
		t.Errorf("got %+v,\nwant %+v", started, want)
	}
	completeAll(t, s)
}

// TestWaitForComplete: to wait for a GMA that is complete while others are in flight does not poll inline.
func TestWaitForComplete(t *testing.T) {
	s := newModel(t, 1, false)
	s.m.started = func(*Access) {}
	var budget wait.Budget
	budget.Permit(1)
	s.e.cond = wait.NewCond(&budget, func() bool { return false })
	inline := 0
	s.e.cond.PollInlineBy(func(_ time.Duration, done func() bool) bool {
		inline++
		return done()
	})
	var handles []uint64
	for range 4 {
		put := farPut()
		h, err := s.e.Issue(context.Background(), &put)
		if err != nil {
			t.Fatal(err)
		}
		handles = append(handles, h)
	}
	s.m.open[0].Complete(0, nil)
	s.m.open = s.m.open[1:]
	if err := s.e.Wait(context.Background(), handles[0]); err != nil || inline != 0 {
		t.Errorf("got %v, polled inline %d times", err, inline)
	}
	completeAll(t, s)
}

// TestSubmissionsDoNotKeepReceiver: the goroutine that completes GMAs returns, though others issue
// further ones without a pause.
func TestSubmissionsDoNotKeepReceiver(t *testing.T) {
	s := newModel(t, 1, false)
	submitted := 0
	s.m.started = func(*Access) {}
	fillBehind(t, s, 2)
	s.m.started = func(*Access) {
		for range 2 {
			if _, ok := s.e.table.Submit(1, &maptable.Submission{Dst: farPut().Dst, Src: farPut().Src, Size: 8}); ok {
				submitted++
			}
		}
	}
	open := len(s.m.open)
	s.m.open[0].Complete(0, nil)
	if n := len(s.m.open) - open; submitted == 0 || n > maptable.SubmissionMax {
		t.Errorf("%d GMAs start when one has completed, and %d are submitted meanwhile", n, submitted)
	}
	s.m.open = s.m.open[1:]
	s.m.started = func(*Access) {}
	completeAll(t, s)
}

// TestSubmissionsTakenAgain: GMAs that are submitted while others start do not wait for a third answer if there was a second
// one meanwhile.
func TestSubmissionsTakenAgain(t *testing.T) {
	s := newModel(t, 1, false)
	s.m.started = func(*Access) {}
	fillBehind(t, s, 2)
	first, second := s.m.open[0], s.m.open[1]
	s.m.open = s.m.open[2:]
	s.m.started = func(*Access) {
		s.m.started = func(*Access) {}
		if _, ok := s.e.table.Submit(1, &maptable.Submission{Dst: farPut().Dst, Src: farPut().Src, Size: 8}); !ok {
			t.Error("the submission queue is shut")
		}
		second.Complete(0, nil)
	}
	first.Complete(0, nil)
	if n := s.e.table.Submissions.Count; n != 0 {
		t.Errorf("%d GMAs wait", n)
	}
	completeAll(t, s)
}

// TestSubmissionsWhenRunEnds: GMAs that wait when the run ends fail with it.
func TestSubmissionsWhenRunEnds(t *testing.T) {
	s := newModel(t, 1, false)
	s.m.started = func(*Access) {}
	fill(t, s)
	started := len(s.m.open)
	over := errors.New("over")
	s.e.cond.End(over)
	if err := s.e.Wait(context.Background(), All); !errors.Is(err, over) {
		t.Errorf("got %v, expected the end of the run", err)
	}
	if len(s.m.open) != started {
		t.Error("GMAs start when the run is over")
	}
	if _, ok := s.e.table.Submit(1, &maptable.Submission{}); ok {
		t.Error("a GMA is submitted when the run is over")
	}
	if _, err := s.e.Issue(context.Background(), &Access{IsCopy: true, Order: All}); !errors.Is(err, over) {
		t.Errorf("got %v, expected the end of the run", err)
	}
}
