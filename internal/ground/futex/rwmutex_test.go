package futex

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

// TestRWMutex: writers exclude all other threads, and readers exclude writers.
func TestRWMutex(t *testing.T) {
	const writers, readersOf, turns = 4, 4, 3000
	var m RWMutex
	var written, read atomic.Int32
	var x, y int // equal whenever no writer holds m
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for i := range turns {
				if i%2 == 0 || !m.TryLock() {
					_ = m.Lock(nil)
				}
				if written.Add(1) != 1 || read.Load() != 0 {
					t.Error("a writer is not alone")
				}
				x++
				y++
				written.Add(-1)
				m.Unlock()
			}
		})
	}
	for range readersOf {
		all.Go(func() {
			for i := range turns {
				if i%2 == 0 || !m.TryRLock() {
					_ = m.RLock(nil)
				}
				read.Add(1)
				if written.Load() != 0 || x != y {
					t.Errorf("a reader sees %d and %d", x, y)
				}
				read.Add(-1)
				m.RUnlock()
			}
		})
	}
	all.Wait()
	if x != writers*turns || m.state != 0 || m.sleepers != 0 {
		t.Errorf("%d of %d changes, state %#x, %d threads asleep", x, writers*turns, m.state, m.sleepers)
	}
}

// TestRWMutexTry: a lock that is held for reading takes readers alone, and one that is held for writing nothing.
func TestRWMutexTry(t *testing.T) {
	var m RWMutex
	for range 2 {
		if !m.TryRLock() {
			t.Error("a reader keeps another one out")
		}
	}
	if m.TryLock() {
		t.Error("a writer passes readers")
	}
	m.RUnlock()
	m.RUnlock()
	if !m.TryLock() {
		t.Error("no writer after the readers")
	}
	if m.TryLock() || m.TryRLock() {
		t.Error("a writer is not alone")
	}
	m.Unlock()
	if !m.TryRLock() {
		t.Error("no reader after the writer")
	}
}

// TestRWMutexWriterFirst: a thread that waits to write keeps new readers out.
func TestRWMutexWriterFirst(t *testing.T) {
	var m RWMutex
	if err := m.RLock(nil); err != nil {
		t.Fatal(err)
	}
	locked := make(chan struct{})
	go func() {
		_ = m.Lock(nil)
		close(locked)
	}()
	for atomic.LoadUint32(&m.state)&writerWaits == 0 {
		Yield()
	}
	if m.TryRLock() {
		t.Error("a reader passes a writer that waits")
	}
	m.RUnlock()
	<-locked
	m.Unlock()
}

// TestRWMutexOver: threads that wait give up when the run is over, and leave the lock usable for others.
func TestRWMutexOver(t *testing.T) {
	errOver := errors.New("over")
	over := func() error { return errOver }
	var m RWMutex
	_ = m.Lock(nil)
	if err := m.RLock(over); !errors.Is(err, errOver) {
		t.Errorf("a reader: %v", err)
	}
	if err := m.Lock(over); !errors.Is(err, errOver) {
		t.Errorf("a writer: %v", err)
	}
	m.Unlock()
	_ = m.RLock(nil)
	if err := m.Lock(over); !errors.Is(err, errOver) {
		t.Errorf("a writer behind a reader: %v", err)
	}
	if !m.TryRLock() {
		t.Error("a writer that gave up keeps readers out")
	}
}
