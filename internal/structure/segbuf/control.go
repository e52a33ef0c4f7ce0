package segbuf

import (
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/memory/ga"
)

// control is what the other end writes of the state of an end, in the heap of its rank. The
// numbers count segments from the beginning on. Other processes may write anything there.
type control struct {
	head int64 // given back, at a source
	_    int64
	tail int64 // published, at a destination
	_    int64
}

// Positions in a control block.
const (
	headAt      = uint64(unsafe.Offsetof(control{}.head))
	tailAt      = uint64(unsafe.Offsetof(control{}.tail))
	controlSize = uint64(unsafe.Sizeof(control{}))
)

// counters returns how many segments have been given back and published, as far as this end
// knows. Whatever the other end writes, they differ by no more than there are segments.
func (e *End) counters() (head, tail int64) {
	if e.viaAgent {
		// A program that asks again and again may leave no processor to the agent.
		e.s.router.Agents().Poll()
	}
	if e.source {
		return min(max(atomic.LoadInt64(&e.control.head), e.done-e.count, 0), e.done), e.done
	}
	return e.done, min(max(atomic.LoadInt64(&e.control.tail), e.done), e.done+e.count)
}

// tell writes a counter in the control block of the other end. If its agent has written
// something before, the agent writes that, too, in order; all else has ended before.
func (e *End) tell(counter uint64, value int64) error {
	s, pos := e.s, e.other.control+counter
	to, err := s.mem.Find(ga.Make(s.ranks.Rank(e.peer), pos), 8)
	if err != nil {
		return global.Cause(err)
	}
	if to.Addr != nil && !e.viaAgent {
		atomic.StoreInt64((*int64)(to.Addr), value)
		return nil
	}
	e.tellAgent(pos, value)
	return nil
}

// tellAgent is tell by the agent of the other end. It is apart from tell, so that a counter is on
// the heap only here.
func (e *End) tellAgent(pos uint64, value int64) {
	e.viaAgent = true
	e.underway.Add(1)
	e.s.router.Agents().Put(e.peer, pos, unsafe.Pointer(&value), 8, message{e})
}
