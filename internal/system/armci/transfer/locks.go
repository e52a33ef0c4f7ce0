package transfer

import (
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/futex"
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

// pageLock holds the locks of one page, or of two that follow each other, of the process whose locks it
// was made with.
type pageLock struct {
	locks unsafe.Pointer // mapped here
	over  func() error   // why the run is over, or nil
	held  [2]*uint32     // nil: none. The second is nil, too, if one lock is enough
	first uint64         // the pages whose locks are held
	last  uint64
}

// at takes the locks of the pages that have n bytes at a position, no more than a page, and gives back
// others. Fails if the run is over: then the holder may never give the lock back.
func (l *pageLock) at(pos, n uint64) error {
	first, last := pos/LockedPage, (pos+n-1)/LockedPage
	if l.held[0] != nil && first == l.first && last == l.last {
		return nil
	}
	l.release()
	// In order of their numbers, so that no two threads wait for each other. A thread of C waits for a
	// lock only while it holds none.
	low, high := min(first%LockCount, last%LockCount), max(first%LockCount, last%LockCount)
	for i, lock := range []uint64{low, high}[:1+min(high-low, 1)] {
		word := (*uint32)(unsafe.Add(l.locks, lock*LockBytes))
		if err := l.acquire(word); err != nil {
			return err
		}
		l.held[i] = word
	}
	l.first, l.last = first, last
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

// release gives back the locks that are held, if any.
func (l *pageLock) release() {
	for _, word := range l.held {
		if word != nil && atomic.SwapUint32(word, LockFree) == LockAwaited {
			futex.Wake(word)
		}
	}
	l.held = [2]*uint32{}
}
