// Package session puts the parts of DMI in one process together: global memory, processes and threads, and the objects that stand on
// both. The operations of objects on the bytes of a page are operations of global memory, and their signals go to slots of threads.
package session

import (
	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/system/dmi/node"
	"github.com/goacp/goacp/internal/system/dmi/object"
	"github.com/goacp/goacp/internal/system/dmi/thread"
)

func init() {
	for op := range object.Operations {
		node.Register(number(op), func(b, in, out []byte) {
			if op.Run(b, in, out) != nil { // no process of this version asks for that
				clear(out)
			}
		})
	}
}

// number returns the number that global memory has for an operation of objects.
func number(op object.Builtin) node.Builtin { return node.FirstObject + node.Builtin(op) }

// Session is DMI in one process.
type Session struct {
	Node    *node.Node
	Threads *thread.System
	Objects *object.Objects
}

// New returns DMI in an *acp.Process, which has one Session. Does not block.
func New(process any) *Session {
	s := &Session{Node: node.Of(process), Threads: thread.Of(process)}
	s.Objects = object.New(memory{s})
	s.Threads.Slots.Watch(s.Node.CheckSpace)
	s.Node.OnEnd(s.Threads.Slots.EndSpace)
	return s
}

// process is what an *acp.Process has for processes that join and leave. E is acp.Epoch, and R is acp.Rank.
type process[E any, R ~int] interface {
	Adopt(stay bool) (E, error)
	AwaitChange(seen int64) (int64, error)
	AskLeave(rank R) error
	AskJoinNear(count int, rank R, heapSize uint64) error
	Abort(reason string)
}

// Run returns what package thread needs of the run of a process. Does not block.
func Run[E any, R ~int](p process[E, R]) *thread.Run {
	return &thread.Run{
		Adopt: func(stay bool) error {
			_, err := p.Adopt(stay)
			return err
		},
		AwaitChange: p.AwaitChange, Abort: p.Abort,
		AskLeave: func(id int) error { return p.AskLeave(R(id)) },
		AskJoin:  func(id int, pool uint64) error { return p.AskJoinNear(1, R(id), pool) },
	}
}

// memory is object.Memory.
type memory struct{ s *Session }

func (m memory) Member() int { return m.s.Node.ID() }

func (m memory) Modify(addr, size int64, op object.Builtin, in, out []byte) error {
	return m.s.Node.Modify(addr, size, number(op), in, out, node.Put)
}

func (m memory) Map(pageSize, pages int64) (int64, error) { return m.s.Node.Map(pageSize, pages) }

func (m memory) Unmap(addr int64) error { return m.s.Node.Unmap(addr) }

func (m memory) Read(addr int64, b []byte, mode int8) error {
	return m.s.Node.Read(addr, b, node.Mode(mode))
}

func (m memory) Write(addr int64, b []byte, mode int8) error {
	return m.s.Node.Write(addr, b, node.Mode(mode))
}

func (m memory) Say(why activity.Reason) activity.Wait { return m.s.Threads.Reasons.Say(why) }

func (m memory) Unsay(w activity.Wait) { m.s.Threads.Reasons.Unsay(w) }

func (m memory) Hold(addr int64, thread uint32) activity.Hold {
	return m.s.Threads.Reasons.Hold(addr, thread)
}

func (m memory) Release(h activity.Hold) { m.s.Threads.Reasons.Release(h) }

func (m memory) NewSlot() object.Slot { return m.s.Threads.Slots.NewSlot() }

func (m memory) Signal(member int, slot uint32, value []byte) error {
	return m.s.Threads.Slots.Signal(member, slot, value)
}

func (m memory) NewReader(ranges []object.Range) (object.Reader, error) {
	r := reader{m.s.Node.NewReads()}
	for _, x := range ranges {
		if err := r.Add(x.Addr, x.Size, x.At); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// reader is object.Reader.
type reader struct{ *node.Reads }

func (reader) Free() {}
