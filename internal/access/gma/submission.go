package gma

import (
	"sync/atomic"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/maptable"
	"github.com/goacp/goacp/internal/network/router"
)

// While a rank is about to answer small GMAs, threads of a program in C submit further ones for it to the
// maptable.SubmissionQueue, without the lock of the Engine and without a call to Go. The Engine takes in what waits
// there when a GMA in flight completes, before it issues another one, and when a thread waits or
// inquires. So a GMA waits there no longer than package tcp would hold it back to send several together,
// and order and completion are as if the thread had called Issue.
//
// Issue submits GMAs there, too.

// submit puts a into the submission queue, if that is open for it, and returns its handle.
func (e *Engine) submit(a *Access) (handle uint64, ok bool) {
	t := e.table
	to := atomic.LoadUint64(&t.Submissions.To)
	if to == 0 || a.Order != None || a.Size > maptable.SubmissionBytes {
		return 0, false
	}
	self, dst, src := int(atomic.LoadUint64(&t.Rank)), maptable.RankOf(a.Dst), maptable.RankOf(a.Src)
	if (dst == self) == (src == self) || uint64(e.farRank(a))+1 != to {
		return 0, false
	}
	w := maptable.Submission{
		Dst: a.Dst, Src: a.Src, Size: a.Size,
		Op: uint8(a.Atomic.Op), Operand: a.Atomic.Operand, Compare: a.Atomic.Compare,
	}
	if src != self {
		return e.submitTo(src, &w)
	}
	if a.Size <= wordSize {
		// The program may change the bytes soon, as it may if they are sent at once.
		if w.Operand, ok = e.starter.load(a.Src, a.Size); !ok {
			return 0, false
		}
		w.Loaded = 1
	}
	return e.submitTo(dst, &w)
}

// submitTo submits a GMA whose other end is on a rank. If the submission queue is full, it takes in what waits there before.
func (e *Engine) submitTo(rank int, w *maptable.Submission) (handle uint64, ok bool) {
	if handle, ok = e.table.Submit(rank, w); ok {
		return handle, true
	}
	if atomic.LoadUint64(&e.table.Pending) >= maxInFlight {
		return 0, false
	}
	e.emptySubmissions()
	return e.table.Submit(rank, w)
}

// wordSize is the size of a word.
const wordSize = 8

// gathering counts the small GMAs in flight that one member is about to answer.
type gathering struct {
	count int
	track router.Track
}

// taken has GMAs that were taken in together and not started yet.
type taken struct{ flights []flight }

// flight is one of them, or a series.
type flight struct {
	g      *inFlight
	handle uint64
	path   router.Path
}

// farRank returns the rank of a at the other end. If it has two such ends, it returns one of them.
func (e *Engine) farRank(a *Access) int {
	if rank := maptable.RankOf(a.Src); rank != int(atomic.LoadUint64(&e.table.Rank)) {
		return rank
	}
	return maptable.RankOf(a.Dst)
}

// access returns the Access that waits as w.
func access(w *maptable.Submission) Access {
	a := Access{IsCopy: w.Op == 0, Loaded: w.Loaded != 0, Dst: w.Dst, Src: w.Src, Size: w.Size, Order: None}
	a.Atomic = fabric.Atomic{Op: fabric.Op(w.Op), Operand: w.Operand, Compare: w.Compare}
	if !a.IsCopy {
		a.Atomic.Width = uint8(w.Size)
	}
	return a
}

// lockSubmissions locks the submission queue if it is in use, and reports whether it is. The caller holds the lock.
func (e *Engine) lockSubmissions() bool {
	q := &e.table.Submissions
	if atomic.LoadUint64(&q.To) == 0 && q.Count == 0 {
		return false // and stays so while the caller holds the lock
	}
	q.Lock()
	return true
}

// closeSubmissions shuts the submission queue, and takes in and starts what waits there. The submission queue stays empty until
// releaseSubmissions is called. The caller holds the lock, which closeSubmissions unlocks meanwhile.
func (e *Engine) closeSubmissions() {
	e.closers++
	if !e.lockSubmissions() {
		return
	}
	atomic.StoreUint64(&e.table.Submissions.To, 0)
	e.takeAndStart()
}

// releaseSubmissions undoes closeSubmissions. GMAs that start open the submission queue again. The caller holds the lock.
func (e *Engine) releaseSubmissions() { e.closers-- }

// emptySubmissions takes in and starts what waits in the submission queue.
func (e *Engine) emptySubmissions() {
	e.cond.Lock()
	defer e.cond.Unlock()
	if e.lockSubmissions() {
		e.takeAndStart()
	}
}

// takeAndStart takes in and starts what waits in the submission queue, once. The caller holds both locks.
// takeAndStart unlocks that of the submission queue, and the other one meanwhile.
func (e *Engine) takeAndStart() {
	if e.table.Submissions.Count == 0 {
		e.table.Submissions.Unlock()
		return
	}
	t := e.takeIn()
	e.cond.Unlock()
	e.startTaken(t)
	e.cond.Lock()
}

// takeIn moves what waits in the submission queue to that of the Engine, and unlocks the submission queue. The caller holds both locks,
// and calls startTaken without them.
func (e *Engine) takeIn() *taken {
	q, t := &e.table.Submissions, e.spare
	if e.spare = nil; t == nil {
		t = new(taken)
	}
	over := e.cond.Over() != nil
	if over {
		atomic.StoreUint64(&q.To, 0)
	}
	for list := q.List[:q.Count]; len(list) > 0; {
		n := alike(list)
		g := e.take()
		g.Access, g.handle, g.newest = access(&list[0]), list[0].Handle, list[n-1].Handle
		if n > 1 {
			g.series = e.newSeries(list[:n])
		}
		if e.push(g); !over { // otherwise nothing starts any more, and nothing completes
			t.flights = append(t.flights, flight{g: g, handle: g.handle})
		}
		list = list[n:]
	}
	q.Count = 0
	q.Unlock() // threads may submit GMAs again, which get later handles
	return t
}

// startTaken starts GMAs that were taken in.
func (e *Engine) startTaken(t *taken) {
	for i := range t.flights {
		f := &t.flights[i]
		if f.g.series != nil {
			f.path = e.startSeries(f.g)
		} else {
			f.path = e.starter.start(&f.g.Access, f.g)
		}
	}
	e.cond.Lock()
	defer e.cond.Unlock()
	for _, f := range t.flights {
		e.started(f.g, f.handle, f.path)
	}
	clear(t.flights)
	t.flights = t.flights[:0]
	e.spare = t
}

// takeOnArrival is called when GMAs have completed. It takes in what waits in the submission queue, and shuts the
// submission queue if no further answer is near. It returns nil if nothing waits, or if another goroutine is about
// to call it again. The caller holds the lock.
func (e *Engine) takeOnArrival() *taken {
	e.missed = e.taking
	if !e.lockSubmissions() {
		return nil
	}
	if e.gathering.count == 0 {
		e.gathering.track = router.Track{}
		atomic.StoreUint64(&e.table.Submissions.To, 0)
	}
	if e.taking || e.table.Submissions.Count == 0 {
		e.table.Submissions.Unlock()
		return nil
	}
	e.taking = true
	return e.takeIn()
}

// startTakenOnArrival starts what takeOnArrival has returned. If GMAs have completed meanwhile, it does
// the same for those. It does not go on only because the program issues further ones: this goroutine
// serves a peer.
func (e *Engine) startTakenOnArrival(t *taken) {
	for t != nil {
		e.startTaken(t)
		e.cond.Lock()
		e.taking = false
		if t = nil; e.missed {
			t = e.takeOnArrival()
		}
		e.cond.Unlock()
	}
}

// expect counts a GMA that has started and is not complete. It opens the submission queue for others for the rank that
// is about to answer it. The caller holds the lock.
func (e *Engine) expect(g *inFlight) {
	if g.Size > maptable.SubmissionBytes || !g.path.Ordered() {
		return
	}
	if track := g.path.Track(); track != e.gathering.track {
		if e.gathering.count > 0 || !e.starter.gathers(g.path) {
			return
		}
		e.gathering.track = track
	}
	g.near = true
	if e.gathering.count++; e.closers > 0 || e.cond.Over() != nil {
		return
	}
	atomic.StoreUint64(&e.table.Submissions.To, uint64(e.farRank(&g.Access))+1)
}
