package futex

import (
	"runtime"
	"sync/atomic"
)

// RWMutex is a lock in memory that threads of several processes share. Many readers hold it together, or one writer alone. The zero
// value is an unlocked RWMutex. A thread that waits to write keeps new readers out.
//
// lib/acp/futex.h has the functions that do not block in C.
//
// A holder that dies leaves the RWMutex locked. So Lock and RLock give up when the run is over.
//
//goacp:c goacp_rwmutex
type RWMutex struct {
	state    uint32 // writing, writerWaits, and the number of readers
	changes  uint32 // counts releases while threads sleep; they sleep on it
	sleepers uint32
}

// Bits of RWMutex.state. The others count readers.
//
//goacp:c GOACP_RWMUTEX_
const (
	writing     = 1 << 31
	writerWaits = 1 << 30
	readers     = writerWaits - 1
)

// TryRLock locks m for reading if no thread writes or waits to write, and reports whether it has. It does not block.
func (m *RWMutex) TryRLock() bool {
	for s := atomic.LoadUint32(&m.state); s&(writing|writerWaits) == 0; s = atomic.LoadUint32(&m.state) {
		if atomic.CompareAndSwapUint32(&m.state, s, s+1) {
			return true
		}
	}
	return false
}

// RLock locks m for reading. It blocks until no thread writes, or over returns an error, which it returns; then m is not locked by the
// caller. RLock calls over before each sleep. A nil over means that RLock does not give up.
func (m *RWMutex) RLock(over func() error) error {
	if m.TryRLock() {
		return nil
	}
	return m.await(m.TryRLock, func() bool { return atomic.LoadUint32(&m.state)&(writing|writerWaits) != 0 }, over)
}

// RUnlock undoes RLock. It does not block.
func (m *RWMutex) RUnlock() {
	if s := atomic.AddUint32(&m.state, ^uint32(0)); s&readers == 0 {
		m.wakeSleepers()
	}
}

// TryLock locks m for writing if no thread holds it, and reports whether it has. It does not block.
func (m *RWMutex) TryLock() bool {
	for s := atomic.LoadUint32(&m.state); s&(writing|readers) == 0; s = atomic.LoadUint32(&m.state) {
		if atomic.CompareAndSwapUint32(&m.state, s, writing) {
			return true
		}
	}
	return false
}

// Lock locks m for writing. It blocks until no other thread holds m, or over returns an error, as RLock does.
func (m *RWMutex) Lock(over func() error) error {
	if m.TryLock() {
		return nil
	}
	err := m.await(m.TryLock, func() bool {
		// The bit is lost when another writer locks m. So it is set again before each sleep.
		return atomic.OrUint32(&m.state, writerWaits)&(writing|readers) != 0
	}, over)
	if err != nil {
		atomic.AndUint32(&m.state, ^uint32(writerWaits)) // another writer that waits sets it again
		m.wakeSleepers()
	}
	return err
}

// Unlock undoes Lock. It does not block.
func (m *RWMutex) Unlock() {
	atomic.StoreUint32(&m.state, 0)
	m.wakeSleepers()
}

// wakeSleepers wakes all threads that sleep. The caller has changed the state before.
func (m *RWMutex) wakeSleepers() {
	if atomic.LoadUint32(&m.sleepers) != 0 {
		atomic.AddUint32(&m.changes, 1)
		Wake(&m.changes)
	}
}

// await returns when try has succeeded. It sleeps while busy holds.
func (m *RWMutex) await(try, busy func() bool, over func() error) error {
	for i := range spins {
		if try() {
			return nil
		}
		if i%spinsPerYield == spinsPerYield-1 {
			runtime.Gosched()
		}
	}
	for {
		// A thread that releases m sees this sleeper, or has changed the state before busy looks at it.
		atomic.AddUint32(&m.sleepers, 1)
		seen := atomic.LoadUint32(&m.changes)
		if busy() {
			Wait(&m.changes, seen, longestNap)
		}
		atomic.AddUint32(&m.sleepers, ^uint32(0))
		if try() {
			return nil
		}
		if over != nil {
			if err := over(); err != nil {
				return err
			}
		}
	}
}
