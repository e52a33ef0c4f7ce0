package global

import (
	"sync/atomic"

	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/network/am"
)

// Calls are calls of agents that are under way at the same time, and whose end one goroutine awaits.
// Only that goroutine uses it.
type Calls struct {
	m    *Memory
	open atomic.Int32 // calls under way
}

// NewCalls returns Calls of which none is under way.
func (m *Memory) NewCalls() *Calls { return &Calls{m: m} }

// Started is a call of Calls.
type Started struct {
	Call   am.Call
	calls  *Calls
	answer []byte
	n      uint64 // bytes of the answer
	err    error
}

// Start sends c to the agent of member. The bytes that go in have room in one message, and none are on
// the stack. Calls to one member arrive in the order of Start. It may block while very many calls are
// under way, but for no program of another rank.
func (s *Calls) Start(member int, c am.Call) *Started {
	one := &Started{Call: c, calls: s, answer: make([]byte, c.ReplySize())}
	s.open.Add(1)
	s.m.router.Agents().Call(member, uint16(c.Op), c.Append(make([]byte, 0, c.RequestSize())), one.answer, one)
	return one
}

// Complete implements fabric.Completion.
func (s *Started) Complete(n uint64, err error) {
	cond := s.calls.m.cond
	cond.Lock()
	defer cond.Unlock()
	s.n, s.err = n, err
	if s.calls.open.Add(-1) == 0 {
		cond.Broadcast()
	}
}

// Wait returns when no call is under way, or with the reason why the run is over.
func (s *Calls) Wait() error {
	return s.m.cond.Wait(activity.On(activity.Answer, -1), func() bool { return s.open.Load() == 0 })
}

// Result returns what a call that has ended yields. The bytes that come out are in its Out.
func (s *Started) Result() (am.Result, error) {
	if s.err != nil {
		return am.Result{}, Cause(s.err)
	}
	r, err := s.Call.Outcome(s.answer[:s.n])
	return r, Cause(err)
}
