package mutex

import (
	"fmt"
	"sync/atomic"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// Lock waits until a mutex of a process is free and takes it, in the order of the requests. thread
// identifies the caller, for the check whether it already holds the mutex; 0 means no check. Fails
// with world.ErrState if it does.
func (s *Set) Lock(index, proc int, thread uint64) error {
	m, err := s.mutex(index, proc)
	if err != nil {
		return err
	}
	if h := m.holder(); h != nil && thread != 0 && atomic.LoadUint64(&h.Thread) == thread {
		return fmt.Errorf("%w: the caller holds mutex %d of process %d", world.ErrState, index, proc)
	}
	n, err := s.of.pool.take()
	if err != nil {
		return err
	}
	n.begin(thread)
	before, err := m.modify(fabric.Atomic{Op: fabric.OpSwap, Operand: n.Name})
	if err != nil {
		return err
	}
	if before != 0 {
		if err := s.of.follow(n, before); err != nil {
			return err
		}
	}
	m.hold(n)
	return nil
}

// TryLock takes a mutex if it is free, and reports whether it was. It does not wait for another
// process to unlock it.
func (s *Set) TryLock(index, proc int, thread uint64) (bool, error) {
	m, err := s.mutex(index, proc)
	if err != nil {
		return false, err
	}
	n, err := s.of.pool.take()
	if err != nil {
		return false, err
	}
	n.begin(thread)
	before, err := m.modify(fabric.Atomic{Op: fabric.OpCas, Operand: n.Name})
	if err != nil || before != 0 {
		s.of.pool.give(n)
		return false, err
	}
	m.hold(n)
	return true, nil
}

// Unlock makes all stores of this process visible and passes a mutex on. Fails with world.ErrState
// if the caller does not hold it.
func (s *Set) Unlock(index, proc int, thread uint64) error {
	m, err := s.mutex(index, proc)
	if err != nil {
		return err
	}
	n := m.holder()
	if n == nil || thread != 0 && n.Thread != 0 && n.Thread != thread {
		return fmt.Errorf("%w: the caller does not hold mutex %d of process %d", world.ErrState, index, proc)
	}
	if err := s.of.cfg.Engine.AllFence(); err != nil {
		return err
	}
	m.hold(nil)
	if atomic.LoadUint32(&n.Queued) == NotYet {
		last, err := m.modify(fabric.Atomic{Op: fabric.OpCas, Compare: n.Name})
		if err != nil {
			return err
		}
		if last == n.Name {
			s.of.pool.give(n)
			return nil
		}
	}
	return s.of.passOn(n)
}

// modify executes an atomic on the name of the last node.
func (m *mutex) modify(a fabric.Atomic) (uint64, error) {
	a.Width = 8
	return m.set.of.cfg.Engine.Modify(m.proc, m.addr, a)
}

// hold notes which node of this process has the mutex; nil: none.
func (m *mutex) hold(n *node) {
	if m.here != nil {
		name := uint64(0)
		if n != nil {
			name = n.Name
		}
		atomic.StoreUint64(&m.here.Holder, name)
		return
	}
	m.set.mu.Lock()
	defer m.set.mu.Unlock()
	if n == nil {
		delete(m.set.held, m.far)
	} else {
		m.set.held[m.far] = n
	}
}

// holder returns the node of this process that has the mutex, or nil.
func (m *mutex) holder() *node {
	if m.here == nil {
		m.set.mu.Lock()
		defer m.set.mu.Unlock()
		return m.set.held[m.far]
	}
	w, name := m.set.of.cfg.World, atomic.LoadUint64(&m.here.Holder)
	proc, pos := locate(name)
	if name == 0 || proc != w.Self() {
		return nil
	}
	return (*node)(w.Here(proc, pos, nodeBytes))
}
