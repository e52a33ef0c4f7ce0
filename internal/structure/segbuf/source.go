package segbuf

import (
	"sync"
	"sync/atomic"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/ga"
)

// Ack publishes the segment at the tail of a source: it copies the segment to the destination,
// which sees it when all its bytes are there. It does not wait for the copy. Fails with ErrFull
// if no segment is free, with global.ErrNotEndpoint at a destination, and otherwise as
// Disconnect.
func (e *End) Ack() error {
	if err := e.readyAs(true); err != nil {
		return err
	}
	head, tail := e.counters()
	if !e.free(head, tail) {
		return ErrFull
	}
	return e.send(tail)
}

// Sent returns the number of the first segment that is published and not yet copied, or of the
// tail if there is none. Fails as Ack does, without ErrFull.
func (e *End) Sent() (int, error) {
	if err := e.readyAs(true); err != nil {
		return 0, err
	}
	return int(e.sent.number.Load() % e.count), nil
}

// send copies the segment with a number to the destination and then updates the counter there.
func (e *End) send(number int64) error {
	s, at := e.s, uint64(number%e.count)*e.segment
	src := s.router.Here(e.buf[at : at+e.segment])
	dst, err := s.mem.Find(ga.Make(s.ranks.Rank(e.peer), e.other.buf+at), e.segment)
	if err != nil {
		return global.Cause(err)
	}
	e.done = number + 1
	a := s.router.Between(dst, src)
	s.mem.CountTransfer(e.peer, s.router.PostPath(a), e.segment)
	if a.Immediate() {
		fabric.Move(dst.Addr, src.Addr, e.segment)
		e.sent.add(number, e.count)
	} else {
		e.viaAgent = e.viaAgent || a.Far()
		e.underway.Add(1)
		s.router.Post(a, dst, src, e.segment, &segmentCopy{e, number})
		if failed := e.failed.Load(); failed != nil { // the copy has ended already
			return *failed
		}
	}
	return e.writeCounter(tailAt, number+1)
}

// segmentCopy is the Completion of the copy of a segment.
type segmentCopy struct {
	e      *End
	number int64
}

// Complete implements fabric.Completion.
func (c *segmentCopy) Complete(_ uint64, err error) {
	if err == nil {
		c.e.sent.add(c.number, c.e.count)
	}
	c.e.ended(err)
}

// sent is how many segments of a source have been copied.
type sent struct {
	number atomic.Int64 // all segments before this one have been copied

	mu       sync.Mutex
	finished []bool // by place in the ring: the segment has been copied, but not all before it
}

// add records that the segment with a number has been copied. Earlier segments may still be in flight. The
// ring has count segments.
func (s *sent) add(number, count int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := s.number.Load()
	switch {
	case s.finished == nil && number == next:
		next++
	case s.finished == nil:
		s.finished = make([]bool, count)
		s.finished[number%count] = true
	default:
		for s.finished[number%count] = true; s.finished[next%count]; next++ {
			s.finished[next%count] = false
		}
	}
	s.number.Store(next)
}
