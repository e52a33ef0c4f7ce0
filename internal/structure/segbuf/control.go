package segbuf

import (
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/memory/ga"
)

// control has the counters that the other end writes to the heap of the rank of this end. They count segments
// from the beginning on. Other processes may write any values there.
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

// counters returns how many segments have been given back and published, in the view of this end. Whatever
// the other end has written, they differ by at most the number of segments.
func (e *End) counters() (head, tail int64) {
	if e.viaAgent {
		// A program that polls may leave no processor to the agent.
		e.s.router.Agents().Poll()
	}
	if e.source {
		return min(max(atomic.LoadInt64(&e.control.head), e.done-e.count, 0), e.done), e.done
	}
	return e.done, min(max(atomic.LoadInt64(&e.control.tail), e.done), e.done+e.count)
}

// writeCounter writes a counter in the control block of the other end. If the agent of the other end has written to
// it before, the agent writes this counter, too, so that writes stay in order. All other accesses have ended
// before.
func (e *End) writeCounter(counter uint64, value int64) error {
	s, pos := e.s, e.other.control+counter
	to, err := s.mem.Find(ga.Make(s.ranks.Rank(e.peer), pos), 8)
	if err != nil {
		return global.Cause(err)
	}
	if to.Addr != nil && !e.viaAgent {
		atomic.StoreInt64((*int64)(to.Addr), value)
		return nil
	}
	e.writeByAgent(pos, value)
	return nil
}

// writeByAgent is writeCounter by the agent of the other end. It is apart from writeCounter, so that a counter is on
// the heap only here.
func (e *End) writeByAgent(pos uint64, value int64) {
	e.viaAgent = true
	e.underway.Add(1)
	e.s.router.Agents().Put(e.peer, pos, unsafe.Pointer(&value), 8, message{e})
}
