package segbuf

import (
	"errors"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/memory/heapview"
)

// End is one end of a segmented buffer. One goroutine at a time calls its methods.
//
// All methods fail with global.ErrDestroyed after Close and after a Reset of the library, and if
// the run is over. They do not block, apart from Connect and Close.
type End struct {
	s      *Buffers
	source bool
	peer   int    // member at the other end
	number uint64 // among the ends of its kind with that peer
	life   uint64 // Resets before it was made

	buf      []byte
	segment  uint64       // bytes of a segment
	count    int64        // segments
	at       uint64       // address of buf at a destination
	withdraw func() error // undoes its publication; nil if it is the library's memory
	block    uint64       // address of control
	control  *control

	done     int64 // segments that this end has published or given back
	viaAgent bool  // the agent of the other end writes its memory

	state    atomic.Int32
	other    note                  // the note of the other end; set before state is connected
	left     atomic.Bool           // the other end has disconnected
	gone     atomic.Bool           // its process has left the run or is lost
	underway atomic.Int32          // copies and messages of this end
	failed   atomic.Pointer[error] // the error that has made this end unusable
	sent     sent                  // segments that have been copied, at a source
}

// key returns the key of the pair that the end belongs to.
func (e *End) key() pairKey { return pairKey{e.peer, e.source} }

// NewSource makes a source whose destination is rank to. buf is cut into segments of segment
// bytes. It is not on the stack of a goroutine, and belongs to the end until Close. Fails with
// global.ErrBadRank, with global.ErrBadSize if buf is empty or no multiple of segment, and with
// global.ErrFull.
func (s *Buffers) NewSource(to int, buf []byte, segment int) (*End, error) {
	return s.newEnd(to, buf, segment, true)
}

// NewDestination makes a destination whose source is rank from. Otherwise as NewSource.
func (s *Buffers) NewDestination(from int, buf []byte, segment int) (*End, error) {
	return s.newEnd(from, buf, segment, false)
}

func (s *Buffers) newEnd(rank int, buf []byte, segment int, source bool) (*End, error) {
	if err := s.mem.CheckRank(rank); err != nil {
		return nil, err
	}
	if segment <= 0 || len(buf) == 0 || len(buf)%segment != 0 {
		return nil, global.ErrBadSize
	}
	e := &End{
		s: s, source: source, peer: s.ranks.Member(rank),
		buf: buf, segment: uint64(segment), count: int64(len(buf) / segment),
	}
	if err := e.setUp(); err != nil {
		return nil, err
	}
	s.enter(e)
	e.notify(noteJoin)
	return e, nil
}

// setUp makes the control block and the memory whose addresses the other end gets.
func (e *End) setUp() (err error) {
	m := e.s.mem
	if e.block, err = m.Alloc(e.s.ranks.Self(), controlSize); err != nil {
		return err
	}
	if e.control, err = heapview.At[control](m.Own(), e.block); err == nil {
		*e.control = control{}
		if !e.source {
			err = e.expose()
		}
	}
	if err != nil {
		_ = e.giveBack() // it was made just now
	}
	return err
}

// expose finds the global address of buf, and publishes buf if it has none.
func (e *End) expose() (err error) {
	s := e.s
	addr := uintptr(unsafe.Pointer(unsafe.SliceData(e.buf)))
	if pos, ok := s.router.Space().Position(addr, uint64(len(e.buf))); ok {
		e.at = ga.Make(s.ranks.Own(), pos)
		return nil
	}
	e.at, e.withdraw, err = s.publish(e.buf)
	return err
}

// giveBack undoes setUp.
func (e *End) giveBack() error {
	err := e.s.mem.Free(e.block)
	if e.withdraw != nil {
		err = errors.Join(err, e.withdraw())
	}
	return err
}
