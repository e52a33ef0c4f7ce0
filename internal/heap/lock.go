package heap

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/goacp/goacp/internal/futex"
)

// lock is a mutex in shared memory: 0 free, 1 taken, 2 taken and somebody sleeps.
type lock struct{ word uint32 }

const (
	lockSpins = 100
	lockNap   = 50 * time.Millisecond
)

// acquire takes the lock. It gives up with the error of over when that returns one.
func (l *lock) acquire(over func() error) error {
	if atomic.CompareAndSwapUint32(&l.word, 0, 1) {
		return nil
	}
	return l.acquireSlow(over)
}

func (l *lock) acquireSlow(over func() error) error {
	for i := range lockSpins {
		if atomic.LoadUint32(&l.word) == 0 && atomic.CompareAndSwapUint32(&l.word, 0, 1) {
			return nil
		}
		if i%32 == 31 {
			runtime.Gosched()
		}
	}
	for atomic.SwapUint32(&l.word, 2) != 0 {
		futex.Wait(&l.word, 2, lockNap)
		if err := over(); err != nil {
			return err
		}
	}
	return nil
}

func (l *lock) release() {
	if atomic.SwapUint32(&l.word, 0) == 2 {
		futex.Wake(&l.word)
	}
}
