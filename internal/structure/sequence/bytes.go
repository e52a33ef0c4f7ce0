package sequence

import (
	"bytes"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/network/am"
)

// Operations with bytes of this process, which may be on the stack.

// Write replaces the bytes from byte i on. It returns false, and changes nothing, if there are fewer than
// len(b) bytes.
func (s Sequence) Write(i uint64, b []byte) (bool, error) {
	r, err := s.pass(OpWrite, i, 0, b, nil)
	return r.Val0 != 0, err
}

// PushBytes is Push of b.
func (s Sequence) PushBytes(end uint64, b []byte) error {
	_, err := s.pass(OpPush, end, 0, b, nil)
	return err
}

// InsertBytes inserts b before byte i, or at the end if that is beyond.
func (s Sequence) InsertBytes(i uint64, b []byte) error {
	_, err := s.pass(OpInsert, i, 0, b, nil)
	return err
}

// AssignBytes replaces all bytes by b.
func (s Sequence) AssignBytes(b []byte) error {
	_, err := s.pass(OpAssign, 0, 0, b, nil)
	return err
}

// Read copies the bytes from byte i on to b and returns how many there are. Blocks for a
// round trip for every am.MaxOut bytes.
func (s Sequence) Read(b []byte, i uint64) (uint64, error) {
	for n := uint64(0); ; {
		part := b[n:min(uint64(len(b)), n+am.MaxOut)]
		r, err := s.pass(OpRead, i+n, 0, nil, part)
		n += uint64(r.N)
		if err != nil || n == uint64(len(b)) || r.N < len(part) {
			return n, err
		}
	}
}

// Take removes as many bytes as b has at an end, copies them to b, and returns how many
// there were.
func (s Sequence) Take(end uint64, b []byte) (uint64, error) {
	if len(b) <= am.MaxOut {
		r, err := s.pass(OpPop, end, uint64(len(b)), nil, b)
		return uint64(r.N), err
	}
	if s.mem.Detaches() {
		private := make([]byte, len(b))
		n, err := global.Detached(s.mem, []uint64{s.at}, func(m *global.Memory) (uint64, error) {
			return s.in(m).Take(end, private)
		}, nil)
		copy(b, private[:n])
		return n, err
	}
	from := uint64(0)
	if end == Back {
		size, err := s.Size()
		if err != nil {
			return 0, err
		}
		from = size - min(size, uint64(len(b)))
	}
	n, err := s.Read(b, from)
	if err == nil {
		err = s.Pop(end, n)
	}
	return n, err
}

// pass carries out an operation with bytes that go in and out.
func (s Sequence) pass(op am.Op, x, y uint64, in, out []byte) (am.Result, error) {
	if s.mem.Detaches() {
		c := am.Call{Op: op, Args: [4]uint64{x, y}, Data: in, Out: out}
		return s.mem.DetachedCall(&c, []uint64{s.at}, func(m *global.Memory, c *am.Call) (am.Result, error) {
			return s.in(m).pass(c.Op, c.Args[0], c.Args[1], c.Data, c.Out)
		})
	}
	if err := s.mem.Check(s.at); err != nil {
		return am.Result{}, err
	}
	member := s.mem.Member(s.at)
	if view := s.mem.HeapView(member); view != nil {
		near := am.Call{Op: s.op(op), GA: s.at, Args: [4]uint64{x, y}, Data: in, Out: out}
		if r, err := Perform(view, &near); s.mem.Final(member, err) {
			s.mem.Count(member, traffic.SHM, &near, r, err)
			return r, global.Cause(err)
		}
	}
	far := am.Call{Op: s.op(op), GA: s.at, Args: [4]uint64{x, y}, Data: bytes.Clone(in), Out: make([]byte, len(out))}
	r, err := s.mem.Far(member, far)
	s.mem.Count(member, traffic.TCP, &far, r, err)
	copy(out, far.Out[:r.N])
	return r, err
}
