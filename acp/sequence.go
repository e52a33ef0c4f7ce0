package acp

import (
	"fmt"

	"github.com/goacp/goacp/internal/sequence"
)

// byteSequence is what vectors and deques have in common: bytes in a row on one rank.
//
// Several ranks may use one of them. Those that change it, or use it while another one
// changes it, have to take turns.
type byteSequence struct {
	p *Process
	s sequence.Sequence
}

// RowIterator is a place in a vector or deque: the number of a byte, from 0 on. The
// number of bytes is the place at the end. Insertions, erasures and assignments make
// iterators invalid.
type RowIterator struct {
	GA    GA // of the vector or deque
	Index int
}

// Advance returns the iterator n bytes further, or back if n is negative. It does not
// look at the vector or deque. Local. Does not block. Spec 4.3.21, 4.4.25.
func (it RowIterator) Advance(n int) RowIterator {
	it.Index += n
	return it
}

// Distance returns how many bytes it takes to advance to last. Local. Does not block. Spec
// 4.3.23, 4.4.27.
func (it RowIterator) Distance(last RowIterator) int { return last.Index - it.Index }

// newSequence makes a vector or deque of size bytes, which are zero if clear says so.
func (p *Process) newSequence(isDeque bool, capacity, size uint64, clear bool, rank Rank) (byteSequence, error) {
	s, err := sequence.Make(p.mem, int(rank), isDeque, capacity, size, clear)
	if err != nil {
		return byteSequence{}, p.fail(&OpError{Op: "create " + s.Kind(), Rank: p.Rank(), Size: capacity, Err: err})
	}
	return byteSequence{p, s}, nil
}

// sequenceAt returns the vector or deque at ga.
func (p *Process) sequenceAt(ga GA, isDeque bool) byteSequence {
	return byteSequence{p, sequence.At(p.mem, uint64(ga), isDeque)}
}

// failed describes the failure of an operation.
func (r byteSequence) failed(what string, err error) error {
	if err == nil {
		return nil
	}
	return r.p.fail(&OpError{Op: what + " of " + r.s.Kind(), Rank: r.p.Rank(), Dst: r.GA(), Err: err})
}

// GA returns the address of the control block, by which other ranks use the vector or
// deque too. Local. Does not block.
func (r byteSequence) GA() GA { return GA(r.s.Address()) }

// Destroy frees the vector or deque. Any rank. Blocks for one round trip. Spec 4.3.9,
// 4.4.10.
func (r byteSequence) Destroy() error { return r.failed("destruction", r.s.Destroy()) }

// Size returns the number of bytes. Any rank. Blocks for one round trip. Spec 4.3.19,
// 4.4.23.
func (r byteSequence) Size() (uint64, error) {
	size, err := r.s.Size()
	return size, r.failed("size", err)
}

// Capacity returns how many bytes fit without new storage. Any rank. Blocks for one
// round trip. Spec 4.3.6, 4.4.7.
func (r byteSequence) Capacity() (uint64, error) {
	_, capacity, err := r.s.State()
	return capacity, r.failed("capacity", err)
}

// Empty reports whether there are no bytes. Any rank. Blocks for one round trip. Spec
// 4.3.10, 4.4.11.
func (r byteSequence) Empty() (bool, error) {
	n, err := r.Size()
	return n == 0, err
}

// Clear removes all bytes. The storage stays. Any rank. Blocks for one round trip. Spec
// 4.3.7, 4.4.8.
func (r byteSequence) Clear() error { return r.failed("clearing", r.s.Clear()) }

// Reserve makes the capacity at least n bytes. Fails with ErrHeapFull. Any rank. Blocks
// for one round trip. Spec 4.3.18, 4.4.22.
func (r byteSequence) Reserve(n uint64) error { return r.failed("reservation", r.s.Reserve(n)) }

// At returns the address of the byte at offset. Fails with ErrOutOfRange if there is
// none. Any rank. Blocks for one round trip. Spec 4.3.4, 4.4.4.
func (r byteSequence) At(offset int) (GA, error) {
	at, err := r.s.Find(offset, 1)
	if err == nil && at.N == 0 {
		err = fmt.Errorf("%w: byte %d", ErrOutOfRange, offset)
	}
	if err != nil {
		return NullGA, r.failed("look-up", err)
	}
	return GA(at.GA), nil
}

// Begin returns the iterator of the first byte. Local. Does not block. Spec 4.3.5, 4.4.6.
func (r byteSequence) Begin() RowIterator { return RowIterator{GA: r.GA()} }

// End returns the iterator behind the last byte. Any rank. Blocks for one round trip.
// Spec 4.3.11, 4.4.12.
func (r byteSequence) End() (RowIterator, error) {
	n, err := r.Size()
	return RowIterator{r.GA(), int(n)}, err
}

// PushBack appends a copy of e, which may lie on any rank. After a failure, such as
// ErrHeapFull, the bytes are as before. Any rank. Blocks for one round trip. Spec
// 4.3.17, 4.4.20.
func (r byteSequence) PushBack(e Element) error { return r.push(e, sequence.Back) }

func (r byteSequence) push(e Element, end uint64) error {
	return r.failed("push", r.s.Push(end, e.span()))
}

// PopBack removes n bytes at the end, or all if there are fewer. Any rank. Blocks for
// one round trip. Spec 4.3.16, 4.4.18.
func (r byteSequence) PopBack(n uint64) error { return r.failed("pop", r.s.Pop(sequence.Back, n)) }

// Insert inserts a copy of e, which may lie on any rank, before it, or at the end if it
// is beyond. It returns the iterator of the first inserted byte. Fails as PushBack does.
// Any rank. Blocks for one round trip. Spec 4.3.14, 4.4.16.
func (r byteSequence) Insert(it RowIterator, e Element) (RowIterator, error) {
	if !r.has(it) {
		return it, r.failed("insertion", ErrBadIterator)
	}
	i, err := r.s.Insert(it.Index, e.span())
	if err != nil {
		return it, r.failed("insertion", err)
	}
	return RowIterator{r.GA(), i}, nil
}

// has reports whether it is an iterator of r that may be a place in it.
func (r byteSequence) has(it RowIterator) bool { return it.GA == r.GA() && it.Index >= 0 }

// Erase removes n bytes from it on, as far as there are so many. It returns the iterator
// of the byte behind them. Any rank. Blocks for one round trip. Spec 4.3.12, 4.4.13.
func (r byteSequence) Erase(it RowIterator, n uint64) (RowIterator, error) {
	if !r.has(it) {
		return it, r.failed("erasure", ErrBadIterator)
	}
	return it, r.failed("erasure", r.s.Erase(uint64(it.Index), n))
}

// EraseRange removes the bytes from start to before end, and returns the iterator of the
// byte behind them; of an empty range, end. Any rank. Blocks for one round trip. Spec
// 4.3.13, 4.4.14.
func (r byteSequence) EraseRange(start, end RowIterator) (RowIterator, error) {
	if start.GA != end.GA {
		return end, r.failed("erasure", ErrBadIterator)
	}
	if end.Index <= start.Index {
		return end, nil
	}
	return r.Erase(start, uint64(end.Index-start.Index))
}

// all returns all bytes.
func (r byteSequence) all() sequence.Slice { return sequence.Slice{Of: r.s, N: sequence.Everything} }

// between returns what is between two iterators.
func (r byteSequence) between(start, end RowIterator) (sequence.Slice, error) {
	if start.GA != end.GA || start.Index < 0 {
		return sequence.Slice{}, ErrBadIterator
	}
	of := sequence.At(r.p.mem, uint64(start.GA), r.s.IsDeque())
	return sequence.Slice{Of: of, From: start.Index, N: uint64(max(end.Index-start.Index, 0))}, nil
}

// assign replaces the bytes by those of a slice.
func (r byteSequence) assign(from sequence.Slice) error {
	return r.failed("assignment", r.s.Assign(from))
}

func (r byteSequence) assignRange(start, end RowIterator) error {
	from, err := r.between(start, end)
	if err != nil {
		return r.failed("assignment", err)
	}
	return r.assign(from)
}

func (r byteSequence) insertRange(it, start, end RowIterator) (RowIterator, error) {
	from, err := r.between(start, end)
	if err == nil && !r.has(it) {
		err = ErrBadIterator
	}
	if err != nil {
		return it, r.failed("insertion", err)
	}
	i, err := r.s.InsertSlice(it.Index, from)
	if err == nil {
		it.Index = i
	}
	return it, r.failed("insertion", err)
}

func (r byteSequence) swap(with byteSequence) error { return r.failed("swap", r.s.Swap(with.s)) }
