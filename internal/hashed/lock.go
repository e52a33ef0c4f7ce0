package hashed

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/goacp/goacp/internal/site"
)

const (
	lockSpins  = 64 // looks before the processor is offered to others
	lockYields = 32 // such offers before sleeping

	// Naps begin short, since the holder is at work, and grow, since it may be dead.
	shortestNap = 20 * time.Microsecond
	longestNap  = time.Millisecond
)

// acquire takes the lock of a slot. It fails when the run is over.
func (l *slot) acquire(s *site.Site) error {
	if atomic.CompareAndSwapUint64(&l.lock, 0, 1) {
		return nil
	}
	return l.wait(s)
}

// wait is acquire when the lock is taken.
func (l *slot) wait(s *site.Site) error {
	for range lockYields {
		for range lockSpins {
			if l.try() {
				return nil
			}
		}
		runtime.Gosched()
	}
	for nap := shortestNap; !l.try(); nap = min(2*nap, longestNap) {
		if err := s.Over(); err != nil {
			return err
		}
		time.Sleep(nap)
	}
	return nil
}

func (l *slot) try() bool {
	return atomic.LoadUint64(&l.lock) == 0 && atomic.CompareAndSwapUint64(&l.lock, 0, 1)
}

func (l *slot) release() { atomic.StoreUint64(&l.lock, 0) }
