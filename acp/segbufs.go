package acp

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"sync"
	"unsafe"

	"github.com/goacp/goacp/internal/am"
	"github.com/goacp/goacp/internal/fabric"
)

// segbufs are the ends of segmented buffers that a process has.
//
// The two ends tell each other by calls to the agents where their memory is, and that they
// are not used any more; the programs take no part in that. Segments and counters are
// written straight to the memory of the other end. What one end sends to the agent of the
// other stays in order, so that nothing arrives behind the message that an end has left.
type segbufs struct {
	p *Process

	mu    sync.Mutex
	wake  sync.Cond // a message came, a transfer ended, or lost was set
	pairs map[segPairKey]*segPair
	open  int   // transfers under way
	lost  error // waiting is in vain
}

// segPairKey names the segmented buffers in one direction between this process and
// another.
type segPairKey struct {
	peer   int
	source bool // this process is the source
}

// segPair matches the ends that this process makes with those that the other one makes.
type segPair struct {
	made  uint64             // ends made here
	ends  map[uint64]*SegBuf // by number: those not freed
	early map[uint64]segNote // by number: what was told about ends that are not there yet
}

func newSegbufs(p *Process) *segbufs {
	s := &segbufs{p: p, pairs: make(map[segPairKey]*segPair)}
	s.wake.L = &s.mu
	return s
}

// pair returns the pair with a key. The caller holds the lock.
func (s *segbufs) pair(key segPairKey) *segPair {
	if s.pairs[key] == nil {
		s.pairs[key] = &segPair{ends: make(map[uint64]*SegBuf), early: make(map[uint64]segNote)}
	}
	return s.pairs[key]
}

// add gives e its number and tells the other side of it.
func (s *segbufs) add(e *SegBuf) {
	s.mu.Lock()
	pair := s.pair(segPairKey{e.peer, e.source})
	e.number = pair.made
	pair.made++
	pair.ends[e.number] = e
	if n, ok := pair.early[e.number]; ok {
		delete(pair.early, e.number)
		e.connect(n)
	}
	s.mu.Unlock()
	s.send(e, segJoin)
}

func (s *segbufs) remove(e *SegBuf) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.pair(segPairKey{e.peer, e.source}).ends, e.number)
}

// connect takes what the other end has told. The caller holds the lock.
func (e *SegBuf) connect(n segNote) {
	if n.segment != e.segment || n.count != uint64(e.count) {
		e.err = fmt.Errorf("%w: %d segments of %d bytes, at rank %d %d of %d",
			ErrDisagree, e.count, e.segment, e.p.rankOf(e.peer), n.count, n.segment)
		return
	}
	e.other = n
	e.state.CompareAndSwap(segWaiting, segConnected)
}

// send tells the other end about e.
func (s *segbufs) send(e *SegBuf, kind uint64) {
	n := segNote{
		kind: kind, life: e.life, from: uint64(s.p.self), number: e.number,
		control: e.block.pos(), buf: e.at.pos(), segment: e.segment, count: uint64(e.count),
	}
	if !e.source {
		n.toSource = 1
	}
	s.begin(e)
	s.p.net.Agents().Call(e.peer, uint8(am.OpSegbuf), n.encode(), nil, segMessage{e})
}

// operations returns what the agent of this process does for segmented buffers.
func (s *segbufs) operations() []am.Operation {
	return []am.Operation{{Op: am.OpSegbuf, Name: "message about a segmented buffer", Serve: s.serve}}
}

// serve takes a message of another end.
func (s *segbufs) serve(r fabric.Request) (int, error) {
	n, ok := decodeSegNote(r.Body)
	if !ok || n.from >= uint64(s.p.procs) {
		return 0, fmt.Errorf("%w: %d bytes are no message about a segmented buffer", ErrProtocol, len(r.Body))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n.life != s.p.resets.Load() {
		return 0, nil // from before a reset
	}
	pair := s.pair(segPairKey{int(n.from), n.toSource != 0})
	e := pair.ends[n.number]
	switch {
	case e != nil && n.kind == segLeave:
		e.left = true
	case e != nil:
		e.connect(n)
	case n.number < pair.made: // freed before that
	case n.number-pair.made >= maxEarly:
		return 0, fmt.Errorf("%w: segmented buffer %d of rank %d, of which %d are known", ErrProtocol, n.number, s.p.rankOf(int(n.from)), pair.made)
	case n.kind == segJoin:
		pair.early[n.number] = n
	}
	s.wake.Broadcast()
	return 0, nil
}

// begin counts a transfer of e that end will end.
func (s *segbufs) begin(e *SegBuf) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open++
	e.transfers++
}

// end notes the outcome of a transfer. The caller holds the lock.
func (s *segbufs) end(e *SegBuf, err error) {
	if err != nil && e.err == nil {
		e.err = cause(err)
	}
	s.open--
	e.transfers--
	if err != nil || e.transfers == 0 {
		s.wake.Broadcast()
	}
}

// failure returns why an end is of no further use, or nil.
func (s *segbufs) failure(e *SegBuf) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return e.err
}

// await waits until cond holds, which is called with the lock held.
func (s *segbufs) await(ctx context.Context, cond func() bool) error {
	defer context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.wake.Broadcast()
	})()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.p.budget.Park()
	defer s.p.budget.Unpark()
	for !cond() {
		switch {
		case s.lost != nil:
			return s.lost
		case ctx.Err() != nil:
			return ctx.Err()
		}
		s.wake.Wait()
	}
	return nil
}

// settle waits until no transfer is under way, or the run is over.
func (s *segbufs) settle() {
	// The run being over is told by whoever waits next.
	_ = s.await(context.Background(), func() bool { return s.open == 0 })
}

// forget begins a new life, in which there are no ends.
func (s *segbufs) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.pairs)
}

// fail ends all waiting.
func (s *segbufs) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost == nil {
		s.lost = err
	}
	s.wake.Broadcast()
}

// segNote is what one end tells the other.
type segNote struct {
	kind     uint64 // segJoin or segLeave
	life     uint64 // resets before the end was made
	from     uint64 // member
	toSource uint64 // 1 if it is for a source
	number   uint64 // of the end in its pair
	control  uint64 // position of its control block
	buf      uint64 // position of its memory, if it is a destination
	segment  uint64 // bytes
	count    uint64 // segments
}

const (
	segJoin  = 1 // the end is there
	segLeave = 2 // it is not used any more
)

const segNoteWords = 9

func (n *segNote) encode() []byte {
	var b []byte
	for _, w := range [segNoteWords]uint64{n.kind, n.life, n.from, n.toSource, n.number, n.control, n.buf, n.segment, n.count} {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

func decodeSegNote(b []byte) (segNote, bool) {
	if len(b) != 8*segNoteWords {
		return segNote{}, false
	}
	w := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	n := segNote{w(0), w(1), w(2), w(3), w(4), w(5), w(6), w(7), w(8)}
	return n, (n.kind == segJoin || n.kind == segLeave) && n.toSource <= 1 && n.possible()
}

// possible reports whether there can be such memory: its positions do not wrap, and the
// control block is one of words.
func (n *segNote) possible() bool {
	over, bytes := bits.Mul64(n.segment, n.count)
	return over == 0 && n.count <= math.MaxInt64 &&
		n.buf <= posMask && bytes <= posMask-n.buf &&
		n.control%8 == 0 && n.control <= posMask-uint64(unsafe.Sizeof(segControl{}))
}

// maxEarly is for how many ends that are not there yet the other side may have told.
const maxEarly = 1 << 20
