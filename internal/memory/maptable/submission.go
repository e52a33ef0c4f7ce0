package maptable

import (
	"sync/atomic"
	"time"

	"github.com/goacp/goacp/internal/ground/futex"
)

// Of a submission queue.
//
//goacp:c GOACP_
const (
	SubmissionMax   = 240 // GMAs that wait there at most
	SubmissionBytes = 256 // that one of them moves at most

	// MaxInFlight bounds the GMAs that one process may have issued and not yet completed. None is submitted
	// behind so many: package gma makes the thread wait.
	MaxInFlight = 1 << 14
)

// Submission is a GMA that waits in a submission queue.
//
//goacp:c goacp_submission
type Submission struct {
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

// SubmissionQueue is where threads of the program submit small GMAs without an order while others for the same
// rank are in flight. For a program in C, to submit one there costs less than to call Go. The Engine of
// package gma takes many of them in at a time. Table.Submit and lib/acp/submission.c submit them.
//
// Fields other than lock and To are used with the lock. A thread that submits a GMA holds this lock
// alone. A thread that opens the submission queue holds the lock of the Engine, and one that shuts it or takes
// GMAs in holds both. So a submission queue that is shut does not change while a thread holds the lock of the
// Engine.
//
//goacp:c goacp_submission_queue
type SubmissionQueue struct {
	lock  uint32
	Count uint32 // GMAs that wait
	To    uint64 // rank + 1 of the rank at the other end of GMAs that may wait here; 0: the submission queue is shut
	List  [SubmissionMax]Submission
}

// lockTries is how often a thread tries to lock a submission queue before it lets other threads run, one of which
// may hold the lock. A thread that submits a GMA calls Issue instead.
//
//goacp:c GOACP_SUBMISSION_
const lockTries = 64

// A thread lets others run lockYields times before it sleeps for lockNap: a thread that has a lower
// priority runs only if this one sleeps.
const (
	lockYields = 64
	lockNap    = 100 * time.Microsecond
)

// Lock locks the submission queue. Threads hold it for less than a microsecond, unless they lose their processor.
func (q *SubmissionQueue) Lock() {
	for try := 1; !atomic.CompareAndSwapUint32(&q.lock, 0, 1); try++ {
		switch {
		case try > lockYields*lockTries:
			futex.Wait(&q.lock, 1, lockNap)
		case try%lockTries == 0:
			futex.Yield()
		}
	}
}

// TryLock is Lock that does not wait. It reports whether the submission queue is locked now.
func (q *SubmissionQueue) TryLock() bool {
	for range lockTries {
		if atomic.CompareAndSwapUint32(&q.lock, 0, 1) {
			return true
		}
	}
	return false
}

// Unlock unlocks the submission queue.
func (q *SubmissionQueue) Unlock() { atomic.StoreUint32(&q.lock, 0) }

// Submit puts a GMA into the submission queue, as lib/acp/submission.c does, and returns its handle. It does nothing and
// returns false if the submission queue is not open for a rank, has no room or is locked, or if too many GMAs are in flight.
// It does not block.
func (t *Table) Submit(rank int, w *Submission) (handle uint64, ok bool) {
	q := &t.Submissions
	if atomic.LoadUint64(&q.To) != uint64(rank)+1 || !q.TryLock() {
		return 0, false
	}
	defer q.Unlock()
	if atomic.LoadUint64(&q.To) != uint64(rank)+1 || q.Count == SubmissionMax ||
		atomic.LoadUint64(&t.Procs) == 0 || atomic.LoadUint64(&t.Pending) >= MaxInFlight {
		return 0, false
	}
	atomic.AddUint64(&t.Pending, 1)
	to := &q.List[q.Count]
	*to = *w
	to.Handle = t.Next()
	q.Count++
	return to.Handle, true
}
