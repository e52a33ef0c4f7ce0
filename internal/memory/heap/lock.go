package heap

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/goacp/goacp/internal/ground/futex"
)

// lock is a mutex in shared memory.
//
//goacp:c goacp_lock
type lock struct{ word uint32 }

// States of a lock.
//
//goacp:c GOACP_
const (
	lockFree = iota
	lockTaken
	lockAwaited // taken, and a waiter may sleep
)

const (
	lockSpins = 100
	lockNap   = 50 * time.Millisecond
)

// acquire takes the lock. It gives up with the error of over when that returns one.
func (l *lock) acquire(over func() error) error {
	if atomic.CompareAndSwapUint32(&l.word, lockFree, lockTaken) {
		return nil
	}
	return l.acquireSlow(over)
}

func (l *lock) acquireSlow(over func() error) error {
	for i := range lockSpins {
		if atomic.LoadUint32(&l.word) == lockFree && atomic.CompareAndSwapUint32(&l.word, lockFree, lockTaken) {
			return nil
		}
		if i%32 == 31 {
			runtime.Gosched()
		}
	}
	for atomic.SwapUint32(&l.word, lockAwaited) != lockFree {
		futex.Wait(&l.word, lockAwaited, lockNap)
		if err := over(); err != nil {
			return err
		}
	}
	return nil
}

func (l *lock) release() {
	if atomic.SwapUint32(&l.word, lockFree) == lockAwaited {
		futex.Wake(&l.word)
	}
}
