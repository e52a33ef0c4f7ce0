package mutex

import (
	"fmt"
	"sync"

	"github.com/goacp/goacp/internal/activity"
	"github.com/goacp/goacp/internal/armci/world"
	"github.com/goacp/goacp/internal/extension"
)

// name names a mutex in all processes of the world.
type name struct {
	set   uint32 // 24 bits
	proc  uint32 // that holds the word
	index uint32
}

// value is how a notice carries the name, beside the set.
func (n name) value() uint64 { return uint64(n.proc)<<32 | uint64(n.index) }

func nameOf(set uint32, value uint64) name { return name{set, uint32(value >> 32), uint32(value)} }

// Waiters has the mutexes that threads of this process hold or wait for. Notices reach it, also
// of worlds that this process has not got to know yet.
type Waiters struct {
	process        *extension.Process
	queued, grants int // numbers of the notices

	mu     sync.Mutex
	states map[name]*state
	sets   uint32 // the greatest number of a set
}

// state is what this process knows of a mutex.
type state struct {
	tickets uint64 // threads of this process that have come
	turn    uint64 // the ticket whose thread may be in the queue of the processes
	held    bool
	thread  uint64 // that holds the mutex
	granted bool   // by the process before
	next    int    // member behind this process, or -1
}

// NewWaiters returns the Waiters of a process, which sends notices with these numbers.
func NewWaiters(p *extension.Process, queued, granted int) *Waiters {
	return &Waiters{process: p, queued: queued, grants: granted, states: make(map[name]*state)}
}

// of returns the state of a mutex. The caller holds the lock.
func (w *Waiters) of(n name) *state {
	s := w.states[n]
	if s == nil {
		s = &state{next: -1}
		w.states[n] = s
	}
	return s
}

// Queued takes the notice that a member waits for the mutex that this process holds.
func (w *Waiters) Queued(from int, set uint32, value uint64) {
	w.change(nameOf(set, value), func(s *state) { s.next = from })
}

// Granted takes the notice that this process has got a mutex.
func (w *Waiters) Granted(set uint32, value uint64) {
	w.change(nameOf(set, value), func(s *state) { s.granted = true })
}

// change changes a state and wakes the threads that wait.
func (w *Waiters) change(n name, f func(s *state)) {
	w.mu.Lock()
	f(w.of(n))
	w.mu.Unlock()
	w.wake()
}

// wake wakes the threads that wait.
func (w *Waiters) wake() {
	c := w.process.Cond
	c.Lock()
	defer c.Unlock()
	c.Broadcast()
}

// await waits until a condition holds for a state. met is called with the lock.
func (w *Waiters) await(n name, met func(s *state) bool) error {
	return w.process.Cond.Wait(activity.For(activity.Mutex), func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return met(w.of(n))
	})
}

// enter waits until it is the turn of a thread of this process, and returns the state of the mutex.
// Fails with world.ErrState if the thread, which is not 0, holds the mutex.
func (w *Waiters) enter(n name, thread uint64) (*state, error) {
	w.mu.Lock()
	s := w.of(n)
	if s.held && thread != 0 && s.thread == thread {
		w.mu.Unlock()
		return nil, fmt.Errorf("%w: the caller holds mutex %d of process %d", world.ErrState, n.index, n.proc)
	}
	ticket := s.tickets
	s.tickets++
	mine := s.turn == ticket
	w.mu.Unlock()
	if mine {
		return s, nil
	}
	return s, w.await(n, func(s *state) bool { return s.turn == ticket })
}

// tryEnter is enter without waiting. It returns nil if it is not the turn of the thread.
func (w *Waiters) tryEnter(n name) *state {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.of(n)
	if s.turn != s.tickets {
		return nil
	}
	s.tickets++
	return s
}

// hold notes that a thread holds the mutex.
func (w *Waiters) hold(s *state, thread uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s.held, s.thread, s.granted = true, thread, false
}

// leave gives the turn to the next thread of this process, and wakes it if there is one.
func (w *Waiters) leave(s *state) {
	w.mu.Lock()
	s.held, s.next = false, -1
	s.turn++
	alone := s.turn == s.tickets
	w.mu.Unlock()
	if !alone {
		w.wake()
	}
}

// check returns the state of a mutex, or an error unless a thread of this process holds it: the one
// given, if it is not 0.
func (w *Waiters) check(n name, thread uint64) (*state, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.of(n)
	if !s.held || thread != 0 && s.thread != 0 && s.thread != thread {
		return nil, fmt.Errorf("%w: the caller does not hold mutex %d of process %d", world.ErrState, n.index, n.proc)
	}
	return s, nil
}

// successor waits until the process behind this one has told it, and returns its member.
func (w *Waiters) successor(n name) (member int, err error) {
	err = w.await(n, func(s *state) bool {
		member = s.next
		return member >= 0
	})
	return member, err
}

// Forget forgets all mutexes. No thread uses one.
func (w *Waiters) Forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.states)
}

// forgetSet forgets the mutexes of a set.
func (w *Waiters) forgetSet(set uint32) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for n := range w.states {
		if n.set == set {
			delete(w.states, n)
		}
	}
}
