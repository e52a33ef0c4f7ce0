package transfer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/system/armci/shape"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// piece is the caller's side of one request: a part of the stream of a side, or segments.
type piece struct {
	local unsafe.Pointer
	side  *shape.Side
	start int64
	n     int64 // bytes

	segments []Segment // used if side is nil
}

// each calls f with each run of bytes of the piece. Segments that are adjacent here are one run.
func (p *piece) each(f func(at unsafe.Pointer, n int64)) {
	if p.side == nil {
		for rest := p.segments; len(rest) > 0; {
			at, n := rest[0].Local, rest[0].N
			for rest = rest[1:]; len(rest) > 0 && rest[0].Local == unsafe.Add(at, n); rest = rest[1:] {
				n += rest[0].N
			}
			f(at, n)
		}
		return
	}
	c := p.side.From(p.start)
	for left := p.n; left > 0; {
		offset, n := c.Next(left)
		f(unsafe.Add(p.local, offset), n)
		left -= n
	}
}

// pack appends the bytes of the piece to b. Fails if they are not there.
func (p *piece) pack(b []byte) ([]byte, error) {
	err := fabric.Touch(func() {
		p.each(func(at unsafe.Pointer, n int64) { b = append(b, unsafe.Slice((*byte)(at), n)...) })
	})
	return b, err
}

// unpack writes data to the memory of the piece. Fails if that is not there.
func (p *piece) unpack(data []byte) error {
	return fabric.Touch(func() {
		p.each(func(at unsafe.Pointer, n int64) {
			copy(unsafe.Slice((*byte)(at), n), data)
			data = data[n:]
		})
	})
}

// codeBytes is the length of the outcome at the beginning of a reply: a multiple of 8, so that the
// data after it can be moved by words.
const codeBytes = 8

// accumulateHead is how many bytes of a request for an accumulate precede the target: the type in a
// word, and the scale.
const accumulateHead = 8 + len(Request{}.Scale)

// send sends the request for a piece: with its data, or for its data.
func (e *Engine) send(r *Request, target *shape.Target, p *piece, t *Tracker) error {
	if err := e.reserve(p.n); err != nil {
		return err
	}
	member := e.world.Member(r.Proc)
	size := accumulateHead + shape.SideBytes + shape.ListBytes + len(target.List)
	if r.Kind == Get {
		f := e.fetch(t)
		f.piece, f.answer = p, newBuffer(codeBytes+int(p.n))
		e.process.Start(member, e.cfg.Numbers.Get, target.Append(make([]byte, 0, size)), f.answer, f)
		return nil
	}
	body := newBuffer(size + int(p.n))[:0]
	number := e.cfg.Numbers.Put
	if r.Kind == Accumulate {
		number = e.cfg.Numbers.Accumulate
		body = binary.LittleEndian.AppendUint64(body, uint64(r.Type))
		body = append(body, r.Scale[:]...)
	}
	body, err := p.pack(target.Append(body))
	if err != nil {
		e.giveBack(p.n)
		return transportError(err)
	}
	e.store(r.Proc, number, body, p.n)
	return nil
}

// store sends a request that changes memory of a process. bytes are reserved for it.
func (e *Engine) store(proc, number int, body []byte, bytes int64) {
	e.table.Send(proc)
	s := &stored{engine: e, proc: proc, bytes: bytes, body: body}
	s.answer = s.code[:]
	e.process.Start(e.world.Member(proc), number, body, s.answer, s)
}

// stored is the completion of a store.
type stored struct {
	engine  *Engine
	proc    int
	bytes   int64    // that are no longer in flight
	answer  []byte   // nil: none but the completion
	tracker *Tracker // nil: the store is locally complete already

	body []byte          // of newBuffer: the request, or the bytes to put. Nil: memory of the caller
	code [codeBytes]byte // what answer is
}

// Complete implements fabric.Completion.
func (s *stored) Complete(n uint64, err error) {
	s.end(n, err)
	s.engine.broadcast()
}

// Batch implements fabric.Batched.
func (s *stored) Batch() fabric.Batch { return s.engine }

// end takes the outcome of the store.
func (s *stored) end(n uint64, err error) {
	e := s.engine
	if err == nil {
		keep(s.body)
		if s.answer != nil {
			err = outcome(s.answer[:n])
		}
	}
	e.inFlight.Add(-s.bytes)
	switch {
	case s.tracker != nil:
		s.tracker.end(transportError(err))
	case err != nil && e.process.Lifecycle.Alive() == nil:
		e.cfg.Failed(fmt.Errorf("store to process %d: %w", s.proc, transportError(err)))
	}
	e.table.Confirm(s.proc)
}

// fetched is the completion of a get.
type fetched struct {
	engine  *Engine
	tracker *Tracker
	piece   *piece // nil: the bytes are where they belong
	answer  []byte
}

// fetch returns the completion of a get that begins now.
func (e *Engine) fetch(t *Tracker) *fetched {
	t.begin()
	e.fetching.Add(1)
	return &fetched{engine: e, tracker: t}
}

// Complete implements fabric.Completion.
func (f *fetched) Complete(n uint64, err error) {
	f.end(n, err)
	f.engine.broadcast()
}

// Batch implements fabric.Batched.
func (f *fetched) Batch() fabric.Batch { return f.engine }

// end takes the outcome of the get.
func (f *fetched) end(n uint64, err error) {
	if f.piece != nil {
		if err == nil {
			err = f.unpack(f.answer[:n])
			keep(f.answer)
		}
		f.engine.inFlight.Add(-f.piece.n)
	}
	f.tracker.end(transportError(err))
	f.engine.fetching.Add(-1)
}

// unpack takes the answer to a request for data.
func (f *fetched) unpack(answer []byte) error {
	if err := outcome(answer); err != nil {
		return err
	}
	if int64(len(answer)) != codeBytes+f.piece.n {
		return errMalformed
	}
	return f.piece.unpack(answer[codeBytes:])
}

// outcome returns the error that an answer begins with.
func outcome(answer []byte) error {
	if len(answer) < codeBytes {
		return errMalformed
	}
	return world.OfCode(-int(answer[0])) // the other bytes are 0
}

// transportError gives an error of a transport a reason of ARMCI.
func transportError(err error) error {
	switch {
	case err == nil || world.Known(err):
		return err
	case errors.Is(err, fabric.ErrGone): // the memory of the caller is not there
		return fmt.Errorf("%w of the caller: %w", world.ErrAddress, err)
	}
	return fmt.Errorf("%w: %w", world.ErrFailed, err)
}

// CompleteAll implements fabric.Batch, for stores and gets of the engine.
func (e *Engine) CompleteAll(outcomes []fabric.Outcome) {
	for _, o := range outcomes {
		o.Done.(interface{ end(n uint64, err error) }).end(o.Old, o.Err)
	}
	e.broadcast()
}

var _, _ fabric.Batched = (*stored)(nil), (*fetched)(nil)
