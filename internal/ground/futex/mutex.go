package futex

import (
	"runtime"
	"sync/atomic"
	"time"
)

// Mutex is a mutex in memory that threads of several processes share, in Go and in C. The zero value is an
// unlocked Mutex. lib/acp/futex.h has the same functions in C.
//
// A holder that dies leaves the Mutex locked. So Lock gives up when the run is over.
//
//goacp:c goacp_mutex
type Mutex struct{ word uint32 }

// States of a Mutex.
//
//goacp:c GOACP_MUTEX_
const (
	unlocked  = iota
	locked    // no thread sleeps
	contended // locked, and a thread may sleep
)

// How a thread waits for a Mutex.
//
//goacp:c GOACP_MUTEX_
const (
	// spins is how often a thread looks at the word before it sleeps. Most holders need less than a microsecond.
	spins = 100

	// longestNap bounds one sleep, in nanoseconds. After that the thread looks whether the run is over.
	longestNap = 50 * time.Millisecond
)

// spinsPerYield is how often a thread looks before it lets other goroutines run, one of which may hold the Mutex.
const spinsPerYield = 32

// TryLock locks m if it is unlocked, and reports whether it has. It does not block.
func (m *Mutex) TryLock() bool { return atomic.CompareAndSwapUint32(&m.word, unlocked, locked) }

// Lock locks m. It blocks until m is unlocked or over returns an error, which it returns; m is then not locked by
// the caller. Lock calls over before each sleep. A nil over means that Lock does not give up.
func (m *Mutex) Lock(over func() error) error {
	if m.TryLock() {
		return nil
	}
	return m.lockSlow(over)
}

func (m *Mutex) lockSlow(over func() error) error {
	for i := range spins {
		if atomic.LoadUint32(&m.word) == unlocked && m.TryLock() {
			return nil
		}
		if i%spinsPerYield == spinsPerYield-1 {
			runtime.Gosched()
		}
	}
	// A thread that has slept cannot see whether others sleep. So it leaves the word contended when it locks m. It
	// tries that after each sleep before it may give up: Unlock wakes one thread, and another one may sleep.
	for atomic.SwapUint32(&m.word, contended) != unlocked {
		if over != nil {
			if err := over(); err != nil {
				return err
			}
		}
		Wait(&m.word, contended, longestNap)
	}
	return nil
}

// Unlock unlocks m, which the caller has locked, and wakes a thread that sleeps in Lock. It does not block.
func (m *Mutex) Unlock() {
	if atomic.SwapUint32(&m.word, unlocked) == contended {
		wakeOne(&m.word)
	}
}
