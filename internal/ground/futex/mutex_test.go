package futex

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

// TestMutex: goroutines lock in turn, and the last one leaves the Mutex unlocked.
func TestMutex(t *testing.T) {
	const goroutines, times = 8, 20000
	var m Mutex
	count := 0
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			for range times {
				if err := m.Lock(nil); err != nil {
					t.Error(err)
				}
				count++
				m.Unlock()
			}
		})
	}
	all.Wait()
	if count != goroutines*times || m.word != unlocked {
		t.Errorf("counted %d, expected %d; the word is %d", count, goroutines*times, m.word)
	}
}

// TestTryLock: TryLock locks an unlocked Mutex alone.
func TestTryLock(t *testing.T) {
	var m Mutex
	if !m.TryLock() || m.TryLock() {
		t.Error("the first TryLock fails or the second one does not")
	}
	m.Unlock()
	if !m.TryLock() {
		t.Error("TryLock fails after Unlock")
	}
}

// TestUnlockWakes: Unlock wakes each of several threads that sleep, one after the other.
func TestUnlockWakes(t *testing.T) {
	const waiters = 4
	var m Mutex
	if !m.TryLock() {
		t.Fatal("locked")
	}
	var asleep atomic.Int32 // how many have come as far as to sleep
	var all sync.WaitGroup
	for range waiters {
		all.Go(func() {
			first := true
			if err := m.Lock(func() error {
				if first {
					asleep.Add(1)
				}
				first = false
				return nil
			}); err != nil {
				t.Error(err)
			}
			m.Unlock()
		})
	}
	for asleep.Load() < waiters {
		Yield()
	}
	m.Unlock()
	all.Wait()
}

// TestLockGivesUp: Lock returns the error of over when the holder does not unlock, and then locks when it does.
func TestLockGivesUp(t *testing.T) {
	var m Mutex
	if !m.TryLock() {
		t.Fatal("locked")
	}
	end := errors.New("the run is over")
	looks := 0
	over := func() error {
		if looks++; looks < 3 {
			return nil
		}
		return end
	}
	if err := m.Lock(over); err != end {
		t.Errorf("Lock returns %v, expected %v", err, end)
	}
	m.Unlock()
	if err := m.Lock(over); err != nil {
		t.Errorf("Lock of an unlocked Mutex: %v", err)
	}
}

func BenchmarkMutex(b *testing.B) {
	var m Mutex
	for b.Loop() {
		_ = m.Lock(nil)
		m.Unlock()
	}
}
