package transfer

import (
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/futex"
)

// The locks of a process lie in its heap, each in a cache line. C has the same constants.
//
//goacp:c GOACP_ARMCI_
const (
	LockCount  = 256 // locks of a process
	LockBytes  = 64  // distance of two locks
	LockedPage = 4096

	// The states of a lock.
	LockFree    = 0
	LockTaken   = 1 // and no thread sleeps
	LockAwaited = 2 // and a thread may sleep
)

// LocksBytes is the number of bytes of the locks of a process.
const LocksBytes = LockCount * LockBytes

// lockPark bounds the time between two checks whether the run is over.
const lockPark = 100 * time.Millisecond

// lockSpins is how often a lock is tried before its thread sleeps. A holder needs a microsecond
// for a page.
const lockSpins = 100

// pageLock holds the lock of one page at a time, of the process whose locks it was made with.
type pageLock struct {
	locks unsafe.Pointer // mapped here
	over  func() error   // why the run is over, or nil
	held  *uint32        // nil: none
	page  uint64         // whose lock is held
}

// at takes the lock of the page that has a position, and gives back the one before. Fails if the
// run is over: then the holder may never give the lock back.
func (l *pageLock) at(pos uint64) error {
	page := pos / LockedPage
	if l.held != nil && page == l.page {
		return nil
	}
	l.release()
	word := (*uint32)(unsafe.Add(l.locks, page%LockCount*LockBytes))
	if err := l.acquire(word); err != nil {
		return err
	}
	l.held, l.page = word, page
	return nil
}

func (l *pageLock) acquire(word *uint32) error {
	for range lockSpins {
		if atomic.CompareAndSwapUint32(word, LockFree, LockTaken) {
			return nil
		}
	}
	for atomic.SwapUint32(word, LockAwaited) != LockFree {
		futex.Wait(word, LockAwaited, lockPark)
		if err := l.over(); err != nil {
			return err
		}
	}
	return nil
}

// release gives back the lock that is held, if any.
func (l *pageLock) release() {
	if l.held != nil && atomic.SwapUint32(l.held, LockFree) == LockAwaited {
		futex.Wake(l.held)
	}
	l.held = nil
}
