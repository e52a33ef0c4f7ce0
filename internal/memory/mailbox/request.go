package mailbox

import "github.com/goacp/goacp/internal/fabric"

// Kind is what a Request asks for.
type Kind uint8

// The kinds of requests.
//
//goacp:c GOACP_MAIL_
const (
	Put    Kind = iota + 1 // store the bytes at Pos
	Get                    // load the bytes at Pos
	Atomic                 // perform the atomic on the integer at Pos
)

// Request asks the owner of a Box for one operation on memory that it publishes.
type Request struct {
	Kind   Kind
	Pos    uint64
	Size   uint64        // bytes of a put or get, at most MaxBytes
	Atomic fabric.Atomic // of an atomic
}

// write puts r into a claimed slot. The bytes of a put are there already.
func (s *slot) write(r *Request) {
	s.kind, s.pos, s.size = r.Kind, r.Pos, uint8(r.Size)
	if r.Kind == Atomic {
		s.op, s.width = uint8(r.Atomic.Op), r.Atomic.Width
		s.data[0], s.data[1] = r.Atomic.Operand, r.Atomic.Compare
	}
}

// read returns a copy of the request in a slot that has been taken, and whether it is one that an
// initiator may post. Other processes may have written anything.
func (s *slot) read() (r Request, ok bool) {
	r = Request{Kind: s.kind, Pos: s.pos, Size: uint64(s.size)}
	switch r.Kind {
	case Put, Get:
		return r, r.Size <= MaxBytes
	case Atomic:
		r.Atomic = fabric.Atomic{Op: fabric.Op(s.op), Width: s.width, Operand: s.data[0], Compare: s.data[1]}
		return r, r.Atomic.Valid(r.Pos)
	}
	return r, false
}
