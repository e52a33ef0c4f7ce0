package gma

import (
	"sync/atomic"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/maptable"
	"github.com/goacp/goacp/internal/network/router"
)

// While a rank is about to answer small GMAs, threads of a program in C leave further ones for it in the
// maptable.Intake, without the lock of the Engine and without a call to Go. The Engine takes in what waits
// there when a GMA in flight completes, before it issues another one, and when a thread waits or
// inquires. So a GMA waits there no longer than package tcp would hold it back to send several together,
// and order and completion are as if the thread had called Issue.
//
// Issue leaves GMAs there, too, but only while few are in flight. Otherwise the answer to the first one wakes
// a goroutine, which interrupts a thread that issues some more and then waits. The thread starts those that
// are left when it polls the links inline. To start many more in this way takes longer than to issue them.

// enoughNear is how many small GMAs for a rank have to be in flight so that others for it may wait.
const enoughNear = 2

// leaveBehind is the number of GMAs in flight behind which Issue leaves no further one.
const leaveBehind = maptable.IntakeSize

// leave leaves a in the Intake, if that is open for it and few GMAs are in flight, and returns its handle.
func (e *Engine) leave(a *Access) (handle uint64, ok bool) {
	t := e.table
	to := atomic.LoadUint64(&t.Intake.To)
	if to == 0 || atomic.LoadUint64(&t.Pending) > leaveBehind || a.Order != None || a.Size > maptable.IntakeBytes {
		return 0, false
	}
	self, dst, src := int(atomic.LoadUint64(&t.Rank)), maptable.RankOf(a.Dst), maptable.RankOf(a.Src)
	if (dst == self) == (src == self) || uint64(e.farRank(a))+1 != to {
		return 0, false
	}
	w := maptable.Waiting{
		Dst: a.Dst, Src: a.Src, Size: a.Size,
		Op: uint8(a.Atomic.Op), Operand: a.Atomic.Operand, Compare: a.Atomic.Compare,
	}
	if src != self {
		return t.Leave(src, &w)
	}
	if a.Size <= wordSize {
		// The program may change the bytes soon, as it may if they are sent at once.
		if w.Operand, ok = e.starter.load(a.Src, a.Size); !ok {
			return 0, false
		}
		w.Loaded = 1
	}
	return t.Leave(dst, &w)
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
	waiting [maptable.IntakeSize]maptable.Waiting
	gmas    [maptable.IntakeSize]*inFlight
	handles [maptable.IntakeSize]uint64
	paths   [maptable.IntakeSize]router.Path
}

// farRank returns the rank of a at the other end. If it has two such ends, it returns one of them.
func (e *Engine) farRank(a *Access) int {
	if rank := maptable.RankOf(a.Src); rank != int(atomic.LoadUint64(&e.table.Rank)) {
		return rank
	}
	return maptable.RankOf(a.Dst)
}

// access returns the Access that waits as w.
func access(w *maptable.Waiting) Access {
	a := Access{IsCopy: w.Op == 0, Loaded: w.Loaded != 0, Dst: w.Dst, Src: w.Src, Size: w.Size, Order: None}
	a.Atomic = fabric.Atomic{Op: fabric.Op(w.Op), Operand: w.Operand, Compare: w.Compare}
	if !a.IsCopy {
		a.Atomic.Width = uint8(w.Size)
	}
	return a
}

// lockIntake locks the Intake if it is in use, and reports whether it is. The caller holds the lock.
func (e *Engine) lockIntake() bool {
	in := &e.table.Intake
	if atomic.LoadUint64(&in.To) == 0 && in.Count == 0 {
		return false // and stays so while the caller holds the lock
	}
	in.Lock()
	return true
}

// closeIntake shuts the Intake, and takes in and starts what waits there. The Intake stays empty until
// releaseIntake is called. The caller holds the lock, which closeIntake unlocks meanwhile.
func (e *Engine) closeIntake() {
	e.closers++
	if !e.lockIntake() {
		return
	}
	atomic.StoreUint64(&e.table.Intake.To, 0)
	e.takeAndStart()
}

// releaseIntake undoes closeIntake. GMAs that start open the Intake again. The caller holds the lock.
func (e *Engine) releaseIntake() { e.closers-- }

// emptyIntake takes in and starts what waits in the Intake.
func (e *Engine) emptyIntake() {
	e.cond.Lock()
	defer e.cond.Unlock()
	if e.lockIntake() {
		e.takeAndStart()
	}
}

// takeAndStart takes in and starts what waits in the Intake, once. The caller holds both locks.
// takeAndStart unlocks that of the Intake, and the other one meanwhile.
func (e *Engine) takeAndStart() {
	if e.table.Intake.Count == 0 {
		e.table.Intake.Unlock()
		return
	}
	t := e.takeIn()
	e.cond.Unlock()
	e.startTaken(t)
	e.cond.Lock()
}

// takeIn moves what waits in the Intake to the queue, and unlocks the Intake. The caller holds both locks,
// and calls startTaken without them.
func (e *Engine) takeIn() *taken {
	in, t := &e.table.Intake, e.spare
	if e.spare = nil; t == nil {
		t = new(taken)
	}
	t.count = copy(t.waiting[:], in.Waiting[:in.Count])
	in.Count = 0
	over := e.cond.Over() != nil
	if over {
		atomic.StoreUint64(&in.To, 0)
	}
	in.Unlock() // threads may leave GMAs again, which get later handles
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

// takeOnArrival is called when GMAs have completed. It takes in what waits in the Intake, and shuts the
// Intake if no further answer is near. It returns nil if nothing waits, or if another goroutine is about
// to call it again. The caller holds the lock.
func (e *Engine) takeOnArrival() *taken {
	e.missed = e.taking
	if !e.lockIntake() {
		return nil
	}
	if e.gathering.count == 0 {
		e.gathering.track = router.Track{}
		atomic.StoreUint64(&e.table.Intake.To, 0)
	}
	if e.taking || e.table.Intake.Count == 0 {
		e.table.Intake.Unlock()
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

// expect counts a GMA that has started and is not complete. It opens the Intake if a rank is about to
// answer enough of them. The caller holds the lock.
func (e *Engine) expect(g *inFlight) {
	if g.Size > maptable.IntakeBytes || !g.path.Ordered() {
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
	atomic.StoreUint64(&e.table.Intake.To, uint64(e.farRank(&g.Access))+1)
}
