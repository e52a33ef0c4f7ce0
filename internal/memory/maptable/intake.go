package maptable

import (
	"sync/atomic"
	"time"

	"github.com/goacp/goacp/internal/ground/futex"
)

// Of an Intake.
//
//goacp:c GOACP_
const (
	IntakeSize  = 64  // GMAs that wait there at most
	IntakeBytes = 256 // that one of them moves at most

	// MaxInFlight bounds the GMAs that one process may have issued and not yet completed. None is left
	// in the Intake behind so many: package gma makes the thread wait.
	MaxInFlight = 1 << 14
)

// Waiting is a GMA that waits in an Intake.
//
//goacp:c goacp_waiting
type Waiting struct {
	Handle  uint64
	Dst     uint64
	Src     uint64
	Size    uint64
	Operand uint64 // of an atomic; or the bytes at Src
	Compare uint64
	Op      uint8 // of an atomic; 0 for a copy
	Loaded  uint8 // 1: Operand has the bytes at Src
	_       [6]byte
}

// Intake is where threads of the program leave small GMAs without an order while others for the same
// rank are in flight. For a program in C, to leave one there costs less than to call Go. The Engine of
// package gma takes many of them in at a time. Table.Leave leaves them, and lib/acp/intake.c does.
//
// Fields other than lock and To are used with the lock. A thread that leaves a GMA holds this lock
// alone. A thread that opens the Intake holds the lock of the Engine, and one that shuts it or takes
// GMAs in holds both. So an Intake that is shut does not change while a thread holds the lock of the
// Engine.
//
//goacp:c goacp_intake
type Intake struct {
	lock    uint32
	Count   uint32 // GMAs that wait
	To      uint64 // rank + 1 of the rank at the other end of GMAs that may wait here; 0: the Intake is shut
	Waiting [IntakeSize]Waiting
}

// lockTries is how often a thread tries to lock an Intake before it lets other threads run, one of which
// may hold the lock. A thread that leaves a GMA calls Issue instead.
//
//goacp:c GOACP_INTAKE_
const lockTries = 64

// A thread lets others run lockYields times before it sleeps for lockNap: a thread that has a lower
// priority runs only if this one sleeps.
const (
	lockYields = 64
	lockNap    = 100 * time.Microsecond
)

// Lock locks the Intake. Threads hold it for less than a microsecond, unless they lose their processor.
func (in *Intake) Lock() {
	for try := 1; !atomic.CompareAndSwapUint32(&in.lock, 0, 1); try++ {
		switch {
		case try > lockYields*lockTries:
			futex.Wait(&in.lock, 1, lockNap)
		case try%lockTries == 0:
			futex.Yield()
		}
	}
}

// TryLock is Lock that does not wait. It reports whether the Intake is locked now.
func (in *Intake) TryLock() bool {
	for range lockTries {
		if atomic.CompareAndSwapUint32(&in.lock, 0, 1) {
			return true
		}
	}
	return false
}

// Unlock unlocks the Intake.
func (in *Intake) Unlock() { atomic.StoreUint32(&in.lock, 0) }

// Leave leaves a GMA in the Intake, as lib/acp/intake.c does, and returns its handle. It does nothing and
// returns false if the Intake is not open for a rank, has no room or is locked, or if too many GMAs are in flight.
// It does not block.
func (t *Table) Leave(rank int, w *Waiting) (handle uint64, ok bool) {
	in := &t.Intake
	if atomic.LoadUint64(&in.To) != uint64(rank)+1 || !in.TryLock() {
		return 0, false
	}
	defer in.Unlock()
	if atomic.LoadUint64(&in.To) != uint64(rank)+1 || in.Count == IntakeSize ||
		atomic.LoadUint64(&t.Procs) == 0 || atomic.LoadUint64(&t.Pending) >= MaxInFlight {
		return 0, false
	}
	atomic.AddUint64(&t.Pending, 1)
	to := &in.Waiting[in.Count]
	*to = *w
	to.Handle = t.Next()
	in.Count++
	return to.Handle, true
}
