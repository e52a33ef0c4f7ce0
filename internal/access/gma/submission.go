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
// Issue submits GMAs there, too, but only while few are in flight. Otherwise the answer to the first one wakes
// a goroutine, which interrupts a thread that issues some more and then waits. The thread starts those that
// wait when it polls the links inline. To start many more in this way takes longer than to issue them.

// enoughNear is how many small GMAs for a rank have to be in flight so that others for it may wait.
const enoughNear = 2

// submitBehind is the number of GMAs in flight behind which Issue submits no further one.
const submitBehind = maptable.SubmissionMax

// submit puts a into the submission queue, if that is open for it and few GMAs are in flight, and returns its handle.
func (e *Engine) submit(a *Access) (handle uint64, ok bool) {
	t := e.table
	to := atomic.LoadUint64(&t.Submissions.To)
	if to == 0 || atomic.LoadUint64(&t.Pending) > submitBehind || a.Order != None || a.Size > maptable.SubmissionBytes {
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
		return t.Submit(src, &w)
	}
	if a.Size <= wordSize {
		// The program may change the bytes soon, as it may if they are sent at once.
		if w.Operand, ok = e.starter.load(a.Src, a.Size); !ok {
			return 0, false
		}
		w.Loaded = 1
	}
	return t.Submit(dst, &w)
}

// wordSize is the size of a word.
const wordSize = 8

// gathering counts the small GMAs in flight that one member is about to answer.
type gathering struct {
	count int
	track router.Track
}

// taken has GMAs that were taken in together and not started yet.
type taken struct {
	count   int
	waiting [maptable.SubmissionMax]maptable.Submission
	gmas    [maptable.SubmissionMax]*inFlight
	handles [maptable.SubmissionMax]uint64
	paths   [maptable.SubmissionMax]router.Path
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
	t.count = copy(t.waiting[:], q.List[:q.Count])
	q.Count = 0
	over := e.cond.Over() != nil
	if over {
		atomic.StoreUint64(&q.To, 0)
	}
	q.Unlock() // threads may submit GMAs again, which get later handles
	for i, w := range t.waiting[:t.count] {
		g := e.take()
		g.Access, g.handle = access(&w), w.Handle
		e.queue.push(g)
		e.last = g
		t.gmas[i], t.handles[i] = g, g.handle
	}
	if over { // nothing starts any more, and nothing completes
		clear(t.gmas[:t.count])
		t.count = 0
	}
	e.pipeline.starting += t.count
	return t
}

// startTaken starts GMAs that were taken in.
func (e *Engine) startTaken(t *taken) {
	for i, g := range t.gmas[:t.count] {
		t.paths[i] = e.starter.start(&g.Access, g)
	}
	e.cond.Lock()
	defer e.cond.Unlock()
	for i, g := range t.gmas[:t.count] {
		e.started(g, t.handles[i], t.paths[i])
	}
	clear(t.gmas[:t.count])
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

// expect counts a GMA that has started and is not complete. It opens the submission queue if a rank is about to
// answer enough of them. The caller holds the lock.
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
	if e.gathering.count++; e.gathering.count < enoughNear || e.closers > 0 || e.cond.Over() != nil {
		return
	}
	atomic.StoreUint64(&e.table.Submissions.To, uint64(e.farRank(&g.Access))+1)
}
