package extension

import (
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/network/am"
	"github.com/goacp/goacp/internal/process/lifecycle"
)

// Extension describes a system that stands on processes. T is what the system keeps for one
// process. All functions but Open may be nil.
type Extension[T any] struct {
	Name string // of 1 to 255 bytes, different from those of other extensions
	// First is the beginning of the extension's range of numbers in the table of package am. 0: it
	// has no operations and no notices.
	First am.Op
	// Optional says that ranks of a run may be without the extension. They take no part:
	// Process.Present tells which they are.
	Optional bool

	// Open makes the system of one process. acp.Open calls it, before any process serves
	// requests: Open sends no messages, and may use the memory of its own process alone. If
	// it fails, so does acp.Open.
	Open func(p *Process) (T, error)

	// Operations and Notices are what other processes may send. The index of each is its number
	// within the range of the extension, by which a Process sends it.
	Operations []Operation[T]
	Notices    []Notice[T]

	// The hooks are those of lifecycle.Structure.
	Fail                           func(t T, err error)
	Joined, Left, Lost             func(t T, member int)
	Leave                          func(t T) error
	Settle, Release, Forget, Close func(t T)
}

// Operation is what the owner does when the message with its number arrives. Run or Serve is
// set, which are those of am.Operation.
type Operation[T any] struct {
	Name  string // as messages call it
	Run   func(t T, a *heapview.View, c am.Call) (am.Result, error)
	Serve func(t T, r fabric.Request) (int, error)
}

// Notice is what a process does with a message that has no answer. Take is that of am.Notice.
type Notice[T any] struct {
	Name string
	Take func(t T, from int, arg uint32, value uint64)
}

// structure returns the part that the system of a process has in its life.
func (e *Extension[T]) structure(p *Process, t T) lifecycle.Structure {
	s := lifecycle.Structure{
		Joined: bindMember(e.Joined, t), Left: bindMember(e.Left, t), Lost: bindMember(e.Lost, t),
		Settle: bind(e.Settle, t), Release: bind(e.Release, t), Forget: bind(e.Forget, t), Close: bind(e.Close, t),
	}
	if e.Fail != nil {
		s.Fail = func(err error) { e.Fail(t, err) }
	}
	if e.Leave != nil {
		s.Leave = func() error { return e.Leave(t) }
	}
	for i, o := range e.Operations {
		op := am.Operation{Op: p.Op(i), Name: o.Name}
		if o.Run != nil {
			op.Run = func(a *heapview.View, c am.Call) (am.Result, error) { return o.Run(t, a, c) }
		}
		if o.Serve != nil {
			op.Serve = func(r fabric.Request) (int, error) { return o.Serve(t, r) }
		}
		s.Operations = append(s.Operations, op)
	}
	for i, n := range e.Notices {
		notice := am.Notice{Number: p.notice(i), Name: n.Name}
		if n.Take != nil {
			notice.Take = func(from int, arg uint32, value uint64) { n.Take(t, from, arg, value) }
		}
		s.Notices = append(s.Notices, notice)
	}
	return s
}

// bind returns f for t, or nil if there is no f.
func bind[T any](f func(T), t T) func() {
	if f == nil {
		return nil
	}
	return func() { f(t) }
}

// bindMember is bind for functions with a member.
func bindMember[T any](f func(T, int), t T) func(int) {
	if f == nil {
		return nil
	}
	return func(member int) { f(t, member) }
}
