package armci

import (
	"context"

	"github.com/goacp/goacp/internal/system/armci/mutex"
)

// Mutexes is a set of mutexes. Each member holds some of them; index and process identify a mutex.
// Several goroutines may call its methods at once, except Destroy.
type Mutexes struct {
	w   *World
	set *mutex.Set
}

// NewMutexes makes a set of mutexes together with the other members. This process holds count of them,
// which may be 0. If it fails on one process, it fails on all: with ErrMemory, and with ErrCount.
// Collective. Blocks until every member has called it. Not for concurrent use. ARMCI API:
// ARMCI_Create_mutexes.
func NewMutexes(of Members, count int) (*Mutexes, error) {
	w, g := of.members()
	s, err := w.live()
	if err != nil {
		return nil, w.failed("new mutexes", err)
	}
	set, err := s.Mutexes.Create(g, count)
	if err != nil {
		return nil, w.failed("new mutexes", err)
	}
	return &Mutexes{w, set}, nil
}

// WithContext returns the same set. Its blocking methods, except Destroy, give up when ctx ends, as with
// World.WithContext. Local. Does not block. ARMCI API: none.
func (m *Mutexes) WithContext(ctx context.Context) *Mutexes {
	return &Mutexes{m.w.WithContext(ctx), m.set}
}

// Lock waits until a mutex is free and takes it, in the order of the requests. Goroutines of this
// process exclude each other, too. As with a sync.Mutex, a goroutine that locks a mutex that it holds
// waits forever. A call that gives up unlocks the mutex when it gets it. Fails with ErrProc and
// ErrIndex. Any process. Blocks until the mutex is free. ARMCI API: ARMCI_Lock.
func (m *Mutexes) Lock(index, proc int) error {
	_, err := m.w.live()
	if err == nil {
		unlock := func(struct{}) { _ = m.set.Unlock(index, proc, 0) } // it holds the mutex
		_, err = patiently(m.w, none, func() (struct{}, error) { return struct{}{}, m.set.Lock(index, proc, 0) }, unlock)
	}
	return m.w.failedAt("lock", proc, 0, err)
}

// TryLock takes a mutex if it is free, and reports whether it was. Fails as Lock does. Any process.
// Blocks for a round trip, or for none if the memory of the process is mapped. ARMCI API:
// ARMCIX_Trylock_hdl.
func (m *Mutexes) TryLock(index, proc int) (bool, error) {
	_, err := m.w.live()
	if err != nil {
		return false, m.w.failedAt("lock", proc, 0, err)
	}
	unlock := func(taken bool) {
		if taken {
			_ = m.set.Unlock(index, proc, 0) // it holds the mutex
		}
	}
	taken, err := patiently(m.w, none, func() (bool, error) { return m.set.TryLock(index, proc, 0) }, unlock)
	return taken, m.w.failedAt("lock", proc, 0, err)
}

// Unlock makes all puts and accumulates of this process visible, and passes the mutex on. Fails with
// ErrState if this process does not hold it, and as Lock does. Any process. Blocks as Fence does. ARMCI
// API: ARMCI_Unlock.
func (m *Mutexes) Unlock(index, proc int) error {
	_, err := m.w.live()
	if err == nil {
		err = m.w.patient(all, func() error { return m.set.Unlock(index, proc, 0) })
	}
	return m.w.failedAt("unlock", proc, 0, err)
}

// Destroy waits for all members and frees the set. Fails with ErrState if a mutex of this process is
// locked, and then frees nothing here. Collective. Blocks until every member has called it. Not for
// concurrent use. ARMCI API: ARMCI_Destroy_mutexes.
func (m *Mutexes) Destroy() error {
	_, err := m.w.live()
	if err == nil {
		err = m.set.Destroy()
	}
	return m.w.failed("destroy mutexes", err)
}
