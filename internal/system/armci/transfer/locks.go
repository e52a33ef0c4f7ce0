package transfer

import (
	"unsafe"

	"github.com/goacp/goacp/internal/ground/futex"
)

// The locks of a process lie in its heap.
//
//goacp:c GOACP_ARMCI_
const (
	LockCount  = 256 // locks of a process
	LockedPage = 4096
)

// PageLock guards the accumulates to every 256th page of a process. It fills a cache line.
//
//goacp:c goacp_armci_page_lock
type PageLock struct {
	mutex futex.Mutex
	_     [60]byte
}

// PageLocks are the locks of a process. The zero value is free.
type PageLocks [LockCount]PageLock

// LocksBytes is the number of bytes of the locks of a process.
const LocksBytes = uint64(unsafe.Sizeof(PageLocks{}))

// pageLock holds the locks of one page, or of two consecutive pages, of the process whose locks it was
// made with.
type pageLock struct {
	locks *PageLocks      // mapped here
	over  func() error    // why the run is over, or nil
	held  [2]*futex.Mutex // nil: none. The second is nil, too, if one lock is enough
	first uint64          // the pages whose locks are held
	last  uint64
}

// at takes the locks of the pages of n bytes at a position, at most the size of a page, and releases its
// other locks. Fails if the run is over: then the holder may never release the lock.
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
		m := &l.locks[lock].mutex
		if err := m.Lock(l.over); err != nil {
			return err
		}
		l.held[i] = m
	}
	l.first, l.last = first, last
	return nil
}

// release gives back the locks that are held, if any.
func (l *pageLock) release() {
	for _, m := range l.held {
		if m != nil {
			m.Unlock()
		}
	}
	l.held = [2]*futex.Mutex{}
}
