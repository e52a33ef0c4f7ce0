package acp

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"
)

// SegBuf is one end of a segmented buffer: a ring of equally long segments in memory of
// the program at the source, and one of the same shape at the destination. The source fills its
// segments in turn and publishes each with Ack, which copies it to the destination. The
// destination uses them in turn and gives each back with Ready. Nobody waits for the other
// side but in Connect and Free.
//
// The methods of an end are called by one goroutine at a time.
type SegBuf struct {
	p      *Process
	source bool
	peer   int    // member at the other end
	number uint64 // among the ends of its kind with that peer
	life   uint64 // of the library, in which it was made

	buf     []byte
	segment uint64 // bytes of a segment
	count   int64  // segments
	key     Key    // of buf at a destination, unless it is the library's memory
	at      GA     // address of buf at a destination
	block   GA     // of control
	control *segControl

	done     int64 // segments that this end has published or given back
	state    atomic.Int32
	viaAgent bool // the agent of the other end writes its memory

	// Guarded by the lock of p.segbufs.
	other     segNote // what the other end has told
	left      bool    // the other end has disconnected
	transfers int     // copies and messages under way
	sent      int64   // segments that have been copied, at a source
	finished  []bool  // by segment: its copy has ended, and one before it has not
	err       error   // why this end is of no further use
}

// The life of an end.
const (
	segWaiting int32 = iota
	segConnected
	segDisconnected
	segFreed
)

// segControl is what the other end writes of an end's state, in the heap of its rank. The
// numbers count segments from the beginning on. Other processes may write anything there.
type segControl struct {
	head int64 // given back, at a source
	_    int64
	tail int64 // published, at a destination
	_    int64
}

// Positions in segControl of what the other end writes.
const (
	segHead = unsafe.Offsetof(segControl{}.head)
	segTail = unsafe.Offsetof(segControl{}.tail)
)

// NewSegBufSource makes the source of a segmented buffer whose destination is rank to. buf
// is cut into segments of segment bytes. It must not be on the stack of a goroutine and
// belongs to the library until Free, except for the segments that the program may fill.
//
// The n-th source towards a rank belongs to the n-th destination that the rank makes for
// this one. Both have the same shape; if not, Connect fails with ErrDisagree.
//
// Fails with ErrBadRank, with ErrBadSize if buf is empty or no multiple of segment, with
// ErrHeapFull, and with ErrPeerDead when the run is over. Any rank. Does not block.
func (p *Process) NewSegBufSource(to Rank, buf []byte, segment int) (*SegBuf, error) {
	return p.newSegBuf(to, buf, segment, true)
}

// NewSegBufDestination makes the destination of a segmented buffer whose source is rank
// from. Otherwise as NewSegBufSource. Memory that all ranks of the host have mapped, that of
// Malloc, is faster than other. Any rank. Does not block.
func (p *Process) NewSegBufDestination(from Rank, buf []byte, segment int) (*SegBuf, error) {
	return p.newSegBuf(from, buf, segment, false)
}

func (p *Process) newSegBuf(peer Rank, buf []byte, segment int, source bool) (*SegBuf, error) {
	err := p.alive()
	switch {
	case err != nil:
	case peer < 0 || int(peer) >= p.procs:
		err = ErrBadRank
	case segment <= 0 || len(buf) == 0 || len(buf)%segment != 0:
		err = ErrBadSize
	}
	var e *SegBuf
	if err == nil {
		e = &SegBuf{
			p: p, source: source, peer: p.member(peer), life: p.resets.Load(),
			buf: buf, segment: uint64(segment), count: int64(len(buf) / segment),
		}
		err = e.setUp()
	}
	if err != nil {
		return nil, p.lifeError(fmt.Sprintf("segmented buffer with rank %d", peer), err)
	}
	p.segbufs.add(e)
	return e, nil
}

// setUp makes what the other end is told about.
func (e *SegBuf) setUp() (err error) {
	p := e.p
	if e.block, err = p.allocate(p.self, uint64(unsafe.Sizeof(segControl{}))); err != nil {
		return err
	}
	addr, err := p.space.Resolve(e.block.pos(), uint64(unsafe.Sizeof(segControl{})))
	if err == nil {
		e.control = (*segControl)(addr)
		*e.control = segControl{}
		if !e.source {
			err = e.publish()
		}
	}
	if err != nil {
		_ = e.giveBack() // it was made just now
	}
	return err
}

// giveBack undoes setUp.
func (e *SegBuf) giveBack() error {
	err := e.p.release(e.block)
	if e.key != NullKey {
		err = errors.Join(err, e.p.Unregister(e.key))
	}
	return err
}

// publish finds the address of buf, or makes it have one.
func (e *SegBuf) publish() (err error) {
	p, addr := e.p, unsafe.Pointer(unsafe.SliceData(e.buf))
	pos := uint64(uintptr(addr) - uintptr(p.space.Base()))
	if p.space.Layout().Contains(pos, uint64(len(e.buf))) {
		e.at = makeGA(p.Rank(), pos)
		return nil
	}
	if e.key, err = p.Register(e.buf, 0); err == nil {
		e.at, err = p.QueryGA(e.key, addr)
	}
	return err
}

// Connect waits until the other end is there, too. Fails with ErrDisagree if it has another
// shape, with ErrDisconnected after Disconnect, with ErrDestroyed, with the error of ctx, and
// with ErrPeerDead when the run is over. Any rank. Blocks.
func (e *SegBuf) Connect(ctx context.Context) error {
	err := e.usable()
	if err == nil {
		err = e.p.segbufs.await(ctx, func() bool { return e.state.Load() != segWaiting || e.err != nil })
	}
	if err == nil {
		err = e.connected()
	}
	return e.p.lifeError("connect of a segmented buffer", err)
}

// Connected reports whether Connect would not wait. Errors as for Connect. Any rank. Does
// not block.
func (e *SegBuf) Connected() (bool, error) {
	err := e.usable()
	if err == nil && e.state.Load() == segWaiting && e.p.segbufs.failure(e) == nil {
		return false, nil
	}
	if err == nil {
		err = e.connected()
	}
	return err == nil, e.p.lifeError("connect of a segmented buffer", err)
}

// Ack publishes the segment at the tail: copies it to the destination, which sees it when
// all its bytes are there. The program leaves it alone until Sent or Head is beyond it. Does
// not wait for the copy.
//
// Fails with ErrFull if no segment is free, with ErrNotEndpoint at a destination, with
// ErrNotConnected, and otherwise as Connect. Any rank. Does not block.
func (e *SegBuf) Ack() error {
	err := e.connectedEnd(true)
	if err == nil {
		if _, tail := e.counters(); !e.free(tail) {
			err = ErrFull
		} else {
			err = e.send(tail)
		}
	}
	return e.p.lifeError("ack of a segmented buffer", err)
}

// Ready gives the segment at the head back to the source, which may then fill it anew.
//
// Fails with ErrEmpty if no segment is published, with ErrNotEndpoint at a source, and
// otherwise as Ack. Any rank. Does not block.
func (e *SegBuf) Ready() error {
	err := e.connectedEnd(false)
	if err == nil {
		if head, tail := e.counters(); head >= tail {
			err = ErrEmpty
		} else {
			e.done = head + 1
			err = e.tell(segHead, head+1)
		}
	}
	return e.p.lifeError("ready of a segmented buffer", err)
}

// IsReady reports whether a segment is free to be filled, as far as this end knows. Errors
// as for Ack. Any rank. Does not block.
func (e *SegBuf) IsReady() (bool, error) {
	_, tail, err := e.query()
	return err == nil && e.free(tail), err
}

// IsAcked reports whether a segment is published and not given back, as far as this end
// knows. Errors as for Ack. Any rank. Does not block.
func (e *SegBuf) IsAcked() (bool, error) {
	head, tail, err := e.query()
	return err == nil && tail > head, err
}

// Head returns the number of the oldest segment that is published, 0 … len(buf)/segment-1.
// Errors as for Ack. Any rank. Does not block.
func (e *SegBuf) Head() (int, error) {
	head, _, err := e.query()
	return int(head % e.count), err
}

// Tail returns the number of the segment that is published next. Errors as for Ack. Any
// rank. Does not block.
func (e *SegBuf) Tail() (int, error) {
	_, tail, err := e.query()
	return int(tail % e.count), err
}

// Sent returns the number of the first segment that is published and not yet copied, or of
// the tail if there is none. Errors as for Ack. Any rank. Does not block.
func (e *SegBuf) Sent() (int, error) {
	if err := e.connectedEnd(true); err != nil {
		return 0, e.p.lifeError("query of a segmented buffer", err)
	}
	s := e.p.segbufs
	s.mu.Lock()
	defer s.mu.Unlock()
	return int(e.sent % e.count), nil
}

// Disconnect says that this end is not used any more. What it has published arrives all the
// same. Only Free is allowed afterwards. Errors as for Ack. Any rank. Does not block.
func (e *SegBuf) Disconnect() error {
	err := e.usable()
	if err == nil {
		err = e.connected()
	}
	if err == nil {
		e.state.Store(segDisconnected)
		e.p.segbufs.send(e, segLeave)
	}
	return e.p.lifeError("disconnect of a segmented buffer", err)
}

// Free waits until the other end has disconnected, too, and then gives back what the
// library holds. buf is the program's again.
//
// Fails with ErrNotConnected before the other end is there, with ErrConnected before Disconnect,
// with ErrDestroyed after Free, with the error of
// ctx, and with ErrPeerDead when the run is over. Any rank. Blocks.
func (e *SegBuf) Free(ctx context.Context) error {
	err := e.usable()
	if err == nil {
		switch e.state.Load() {
		case segWaiting:
			err = ErrNotConnected
		case segConnected:
			err = ErrConnected
		}
	}
	if err == nil {
		err = e.p.segbufs.await(ctx, func() bool { return e.left && e.transfers == 0 })
	}
	if err == nil {
		e.state.Store(segFreed)
		e.p.segbufs.remove(e)
		err = e.giveBack()
	}
	return e.p.lifeError("free of a segmented buffer", err)
}

// usable returns why nothing can be done with this end, or nil.
func (e *SegBuf) usable() error {
	err := e.p.alive()
	if err == nil && (e.state.Load() == segFreed || e.life != e.p.resets.Load()) {
		err = ErrDestroyed
	}
	return err
}

// connected returns why nothing can be sent or received, or nil.
func (e *SegBuf) connected() error {
	if err := e.p.segbufs.failure(e); err != nil {
		return err
	}
	switch e.state.Load() {
	case segWaiting:
		return ErrNotConnected
	case segDisconnected:
		return ErrDisconnected
	}
	return nil
}

// connectedEnd is usable and connected, for what only one end does.
func (e *SegBuf) connectedEnd(source bool) error {
	err := e.usable()
	if err == nil && e.source != source {
		err = ErrNotEndpoint
	}
	if err == nil {
		err = e.connected()
	}
	return err
}

func (e *SegBuf) query() (head, tail int64, err error) {
	if err = e.usable(); err == nil {
		err = e.connected()
	}
	if err != nil {
		return 0, 0, e.p.lifeError("query of a segmented buffer", err)
	}
	head, tail = e.counters()
	return head, tail, nil
}

// counters returns how many segments have been given back and published, as far as this
// end knows. Whatever the other end writes, they differ by no more than there are segments.
func (e *SegBuf) counters() (head, tail int64) {
	if e.viaAgent {
		e.p.net.Agents().Poll() // a program that looks without end may leave no time for it
	}
	if e.source {
		return min(max(e.load(&e.control.head), e.done-e.count, 0), e.done), e.done
	}
	return e.done, min(max(e.load(&e.control.tail), e.done), e.done+e.count)
}

// free reports whether the segment behind the tail may be filled: it has been given back,
// and, at a source, its copy has ended. The latter follows from the former but may become
// known later.
func (e *SegBuf) free(tail int64) bool {
	if head, _ := e.counters(); tail-head >= e.count {
		return false
	}
	if !e.source {
		return true
	}
	s := e.p.segbufs
	s.mu.Lock() // after which the program may write what the copy has read
	defer s.mu.Unlock()
	return tail-e.sent < e.count
}

func (e *SegBuf) load(word *int64) int64 { return atomic.LoadInt64(word) }

// send copies the segment with a number to the destination and then tells of it.
func (e *SegBuf) send(tail int64) error {
	p, at := e.p, uint64(tail%e.count)*e.segment
	src := p.net.Here(e.buf[at : at+e.segment])
	dst, err := p.find(makeGA(p.rankOf(e.peer), e.other.buf+at), e.segment)
	if err != nil {
		return cause(err)
	}
	e.done = tail + 1
	a := p.net.Between(dst, src)
	e.viaAgent = e.viaAgent || a.Far()
	p.segbufs.begin(e)
	p.net.Post(a, dst, src, e.segment, &segCopy{e, tail})
	return e.tell(segTail, tail+1)
}

// tell writes a counter in the control block of the other end. If its agent has written
// something before, the agent writes that, too, in order; all else has ended before.
func (e *SegBuf) tell(word uintptr, value int64) error {
	p := e.p
	to, err := p.find(makeGA(p.rankOf(e.peer), e.other.control+uint64(word)), 8)
	switch {
	case err != nil:
		return cause(err)
	case to.Addr != nil && !e.viaAgent:
		atomic.StoreInt64((*int64)(to.Addr), value)
		return nil
	}
	e.viaAgent = true
	p.segbufs.begin(e)
	p.net.Agents().Put(e.peer, e.other.control+uint64(word), unsafe.Pointer(&value), 8, segMessage{e})
	return nil
}

// segCopy is the end of the copy of a segment. It implements fabric.Completion.
type segCopy struct {
	e      *SegBuf
	number int64
}

// Complete implements fabric.Completion.
func (c *segCopy) Complete(_ uint64, err error) {
	s := c.e.p.segbufs
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		c.e.copied(c.number)
	}
	s.end(c.e, err)
}

// copied notes that a segment has arrived. Others before it may not have.
func (e *SegBuf) copied(number int64) {
	sent := e.sent
	if e.finished == nil && number != sent {
		e.finished = make([]bool, e.count)
	}
	if e.finished != nil {
		e.finished[number%e.count] = true
		for e.finished[sent%e.count] {
			e.finished[sent%e.count] = false
			sent++
		}
	} else {
		sent++
	}
	e.sent = sent
}

// segMessage is the end of any other message. It implements fabric.Completion.
type segMessage struct{ e *SegBuf }

// Complete implements fabric.Completion.
func (m segMessage) Complete(_ uint64, err error) {
	s := m.e.p.segbufs
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(m.e, err)
}
