package gma

import (
	"sync/atomic"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/maptable"
	"github.com/goacp/goacp/internal/network/router"
)

// GMAs of one kind that wait in the submission queue one after the other become a series: they start together, the
// transport carries them out by one request, and they are retired together. So what the Engine does for one GMA it
// does once for many. They are in order among themselves, and each has its own error.

// series is the part of an inFlight that one GMA does not have.
type series struct {
	fabric.Series
	gmas     []maptable.Submission
	failures []failure // those of GMAs that have failed, when the series is done
	parts    *parts    // if the GMAs have started one by one
}

// maxSpareSeries bounds the series that are kept for reuse.
const maxSpareSeries = 64

// newSeries returns a series of GMAs that are alike. The caller holds the lock.
func (e *Engine) newSeries(gmas []maptable.Submission) *series {
	s := new(series)
	if n := len(e.series); n > 0 {
		s, e.series = e.series[n-1], e.series[:n-1]
	}
	s.gmas = append(s.gmas, gmas...)
	return s
}

// recycleSeries keeps a series that has been retired. The caller holds the lock.
func (e *Engine) recycleSeries(s *series) {
	if len(e.series) == maxSpareSeries {
		return
	}
	clear(s.Items)
	*s = series{gmas: s.gmas[:0], Series: fabric.Series{Items: s.Items[:0], Data: s.Data[:0]}}
	e.series = append(e.series, s)
}

// alike returns how many GMAs at the beginning of a list may be one series.
func alike(list []maptable.Submission) int {
	first, n := &list[0], 1
	if first.Size == 0 {
		return 1
	}
	for n < len(list) && n < fabric.SeriesItems {
		w := &list[n]
		if w.Op != first.Op || w.Size != first.Size || w.Loaded != first.Loaded ||
			maptable.RankOf(w.Dst) != maptable.RankOf(first.Dst) || maptable.RankOf(w.Src) != maptable.RankOf(first.Src) {
			break
		}
		n++
	}
	return n
}

// startSeries starts g, which is a series. When it returns, g may have been retired and reused.
func (e *Engine) startSeries(g *inFlight) router.Path {
	s := g.series
	if path, ok := e.starter.startSeries(s, g); ok {
		return path
	}
	return e.startParts(g, s)
}

// parts are the GMAs of a series that start one by one: some cannot start, or the transport has no series.
type parts struct {
	open atomic.Int32 // GMAs that are not complete, and startParts
	errs []error
}

// part is the Completion of one of them.
type part struct {
	g     *inFlight
	index int
}

// startParts starts the GMAs of a series one by one.
func (e *Engine) startParts(g *inFlight, s *series) (path router.Path) {
	n := len(s.gmas)
	p := &parts{errs: make([]error, n)}
	p.open.Store(int32(n) + 1)
	s.parts, s.Items = p, append(s.Items[:0], make([]fabric.Item, n)...)
	for i := range n {
		a := access(&s.gmas[i])
		if used := e.starter.start(&a, &part{g, i}); used.Ordered() {
			path = used
		}
	}
	p.end(g)
	return path
}

// Complete implements fabric.Completion.
func (p *part) Complete(found uint64, err error) {
	s := p.g.series
	s.Items[p.index].Word, s.parts.errs[p.index] = found, err
	s.parts.end(p.g)
}

// end ends one of the parts of g, or startParts, and g with the last of them.
func (p *parts) end(g *inFlight) {
	if p.open.Add(-1) > 0 {
		return
	}
	for i, err := range p.errs {
		if err != nil {
			g.series.Fail(i, err)
		}
	}
	g.Complete(0, nil)
}

// finishSeries is finish for a series. An error is that of each GMA.
func (g *inFlight) finishSeries(err error) {
	s, e := g.series, g.e
	switch {
	case err != nil:
		for i := range s.gmas {
			s.Fail(i, err)
		}
	case s.gmas[0].Op != 0:
		e.starter.deliverSeries(s)
	}
	for at, f := range s.Failed {
		if !s.failedBefore(at) {
			w := &s.gmas[f.Index]
			a := access(w)
			s.failures = append(s.failures, failure{w.Handle, e.onFail(&a, f.Err)})
		}
	}
}

// failedBefore reports whether the item of Failed[at] is in Failed before that.
func (s *series) failedBefore(at int) bool {
	for _, f := range s.Failed[:at] {
		if f.Index == s.Failed[at].Index {
			return true
		}
	}
	return false
}

// hasFailed reports whether a GMA has failed.
func (s *series) hasFailed(i int) bool {
	for _, f := range s.Failed {
		if f.Index == i {
			return true
		}
	}
	return false
}
