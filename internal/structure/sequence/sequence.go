package sequence

import (
	"encoding/binary"
	"fmt"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/network/am"
)

// Sequence is a handle of a vector or deque on any rank. Its methods carry out operations on the memory of
// that rank, by loads and stores or by its agent. Unless stated otherwise they block for one round trip. They
// fail with global.ErrBadAddress if there is no such structure.
type Sequence struct {
	mem   *global.Memory
	at    uint64 // address of the control block
	deque bool
}

// The ends of a sequence.
//
//goacp:c GOACP_
const (
	Back  uint64 = iota // the only one of a vector
	Front               // of a deque
)

// Everything is more bytes than a sequence can have.
const Everything = ^uint64(0)

// Slice is a part of a sequence.
type Slice struct {
	Of   Sequence
	From int    // first byte, not negative
	N    uint64 // bytes; those beyond the end are left out
}

// At returns the sequence whose control block is at an address.
func At(mem *global.Memory, at uint64, isDeque bool) Sequence { return Sequence{mem, at, isDeque} }

// Make makes a sequence of size bytes on a rank, with a capacity of capacity bytes. If clear is true, the
// bytes are zero, otherwise undefined. Fails with global.ErrBadRank and global.ErrFull.
func Make(mem *global.Memory, rank int, isDeque bool, capacity, size uint64, clear bool) (Sequence, error) {
	if mem.Detaches() {
		s, err := global.Detached(mem, nil,
			func(m *global.Memory) (Sequence, error) { return Make(m, rank, isDeque, capacity, size, clear) },
			func(m *global.Memory, s Sequence) { _ = s.Destroy() }) // fails if the run is over
		return s.in(mem), err
	}
	s := Sequence{mem: mem, deque: isDeque}
	err := mem.CheckRank(rank)
	if err == nil {
		c := am.Call{Op: s.op(OpCreate), Args: [4]uint64{capacity, size}}
		if clear {
			c.Args[2] = 1
		}
		var r am.Result
		r, err = s.doOn(mem.Ranks().Member(rank), &c)
		s.at = r.Val0
	}
	if err != nil {
		return s, fmt.Errorf("on rank %d: %w", rank, err)
	}
	return s, nil
}

// Address returns the address of the control block.
func (s Sequence) Address() uint64 { return s.at }

// IsDeque reports whether it is a deque.
func (s Sequence) IsDeque() bool { return s.deque }

// Kind returns the name of the structure in messages.
func (s Sequence) Kind() string { return kindOf(s.deque) }

func kindOf(isDeque bool) string {
	if isDeque {
		return "deque"
	}
	return "vector"
}

func (s Sequence) op(op am.Op) am.Op {
	if s.deque {
		op += am.OpDeque - am.OpVector
	}
	return op
}

// args are the arguments of an operation.
type args = [4]uint64

// call returns the call of an operation on s.
func (s Sequence) call(op am.Op, a args) am.Call {
	return am.Call{Op: s.op(op), GA: s.at, Args: a}
}

// in returns the same sequence in a memory that may have another context.
func (s Sequence) in(m *global.Memory) Sequence { return Sequence{m, s.at, s.deque} }

// do carries out c, whose bytes are not on the stack.
func (s Sequence) do(c *am.Call) (am.Result, error) {
	if s.mem.Detaches() {
		return s.mem.DetachedCall(c, []uint64{s.at}, func(m *global.Memory, c *am.Call) (am.Result, error) { return s.in(m).do(c) })
	}
	if err := s.mem.Check(s.at); err != nil {
		return am.Result{}, err
	}
	return s.doOn(s.mem.Member(s.at), c)
}

func (s Sequence) doOn(member int, c *am.Call) (am.Result, error) {
	if view := s.mem.HeapView(member); view != nil {
		if r, err := Perform(view, c); s.mem.Final(member, err) {
			s.mem.Count(member, traffic.SHM, c, r, err)
			return r, global.Cause(err)
		}
	}
	r, err := s.mem.Far(member, *c)
	s.mem.Count(member, traffic.TCP, c, r, err)
	return r, err
}

// doFrom carries out c with Data and More from any rank.
func (s Sequence) doFrom(c *am.Call, data, more ga.Span) (r am.Result, err error) {
	if s.mem.Detaches() {
		return s.mem.DetachedCall(c, []uint64{s.at}, func(m *global.Memory, c *am.Call) (am.Result, error) {
			return s.in(m).doFrom(c, data, more)
		})
	}
	if err := s.mem.Check(s.at); err != nil {
		return r, err
	}
	member := s.mem.Member(s.at)
	var in global.Input
	if err := in.Bring(s.mem, member, data, more); err != nil {
		return r, err
	}
	c.Data, c.More, c.Block = in.Data, in.More, in.Block
	r, err = s.doOn(member, c)
	return r, in.Release(err)
}

// Destroy frees the storage and the control block.
func (s Sequence) Destroy() error {
	c := s.call(OpDestroy, args{})
	_, err := s.do(&c)
	return err
}

// State returns how many bytes there are, and how many fit without new storage.
func (s Sequence) State() (size, capacity uint64, err error) {
	c := s.call(OpState, args{})
	r, err := s.do(&c)
	return r.Val0, r.Val1, err
}

// Size returns how many bytes there are.
func (s Sequence) Size() (uint64, error) {
	size, _, err := s.State()
	return size, err
}

// Clear removes all bytes. The storage stays.
func (s Sequence) Clear() error {
	c := s.call(OpClear, args{})
	_, err := s.do(&c)
	return err
}

// Reserve makes the capacity at least n bytes. Fails with global.ErrFull.
func (s Sequence) Reserve(n uint64) error {
	c := s.call(OpReserve, args{n})
	_, err := s.do(&c)
	return err
}

// Find returns the address of the n bytes from i on, up to the end of the sequence or of the stretch.
func (s Sequence) Find(i int, n uint64) (ga.Span, error) {
	if i < 0 {
		return ga.Span{}, nil
	}
	c := s.call(OpFind, args{uint64(i), n})
	r, err := s.do(&c)
	return ga.Span{GA: r.Val0, N: r.Val1}, err
}

// Stretches returns the addresses of the n bytes from i on, up to the end of the sequence. The second part is
// empty unless the storage of a deque ends in between.
func (s Sequence) Stretches(i int, n uint64) (first, second ga.Span, err error) {
	if i < 0 || !s.deque {
		first, err = s.Find(i, n)
		return first, second, err
	}
	c := s.call(OpFind, args{uint64(i), n})
	c.Out = make([]byte, 16)
	r, err := s.do(&c)
	if r.N == len(c.Out) {
		second = ga.Span{GA: binary.NativeEndian.Uint64(c.Out), N: binary.NativeEndian.Uint64(c.Out[8:])}
	}
	return ga.Span{GA: r.Val0, N: r.Val1}, second, err
}

// Push appends a copy of data, which may lie on any rank, at an end. Fails with
// global.ErrFull.
func (s Sequence) Push(end uint64, data ga.Span) error {
	c := s.call(OpPush, args{end})
	_, err := s.doFrom(&c, data, ga.Span{})
	return err
}

// Pop removes n bytes at an end, or all if there are fewer.
func (s Sequence) Pop(end, n uint64) error {
	c := s.call(OpPop, args{end, n})
	_, err := s.do(&c)
	return err
}

// Insert inserts a copy of data, which may lie on any rank, before byte i, or at the end if
// i is beyond. It returns the position of the first new byte. Fails with global.ErrFull.
func (s Sequence) Insert(i int, data ga.Span) (int, error) {
	c := s.call(OpInsert, args{uint64(i)})
	r, err := s.doFrom(&c, data, ga.Span{})
	return int(r.Val0), err
}

// Erase removes n bytes from byte i on, or all from there on if there are fewer.
func (s Sequence) Erase(i, n uint64) error {
	c := s.call(OpErase, args{i, n})
	_, err := s.do(&c)
	return err
}

// Assign replaces the bytes by those of a slice. Blocks for up to four round trips. Fails with
// global.ErrFull.
func (s Sequence) Assign(from Slice) error {
	_, err := s.doSlice(OpAssign, 0, from)
	return err
}

// InsertSlice is Insert of the bytes of a slice. Blocks for up to four round trips.
func (s Sequence) InsertSlice(i int, from Slice) (int, error) {
	if from.N == 0 {
		_, err := s.Size() // fails if there is no sequence
		return i, err
	}
	r, err := s.doSlice(OpInsert, uint64(i), from)
	return int(r.Val0), err
}

// doSlice carries out an operation with the bytes of a slice as input. If the slice is on the same rank, the
// operation reads the bytes itself.
func (s Sequence) doSlice(op am.Op, arg uint64, from Slice) (am.Result, error) {
	if s.mem.Detaches() {
		return global.Detached(s.mem, []uint64{s.at, from.Of.at}, func(m *global.Memory) (am.Result, error) {
			return s.in(m).doSlice(op, arg, from)
		}, nil)
	}
	if err := s.mem.Check(from.Of.at); err != nil {
		return am.Result{}, err
	}
	other := from.Of.in(s.mem)
	if ga.Rank(other.at) == ga.Rank(s.at) {
		c := s.call(op, args{arg, other.at, uint64(from.From), from.N})
		return s.do(&c)
	}
	first, second, err := other.Stretches(from.From, from.N)
	if err != nil {
		return am.Result{}, err
	}
	c := s.call(op, args{arg})
	return s.doFrom(&c, first, second)
}
