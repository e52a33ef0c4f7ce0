package acp

import (
	"context"
	"fmt"
	"slices"

	"github.com/goacp/goacp/internal/network/am"
	"github.com/goacp/goacp/internal/structure/sequence"
)

// SequenceIterator is a position in a vector or deque: the number of a byte, from 0 on. The
// number of bytes is the position at the end. Insertions, erasures and assignments make
// iterators invalid.
type SequenceIterator struct {
	GA    GA // of the vector or deque
	Index int
}

// Advance returns the iterator n bytes further, or back if n is negative. It does not
// look at the vector or deque. Local. Does not block. Spec 4.3.21, 4.4.25.
func (it SequenceIterator) Advance(n int) SequenceIterator {
	it.Index += n
	return it
}

// Distance returns the number of bytes from it to last. Local. Does not block. Spec 4.3.23, 4.4.27.
func (it SequenceIterator) Distance(last SequenceIterator) int { return last.Index - it.Index }

// byteSequence is the part that ByteVector and ByteDeque share: a sequence of bytes on one rank.
type byteSequence struct {
	p *Process
	s sequence.Sequence
}

// newSequence makes a vector or deque of size bytes, which are zero if clear is true.
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

// withContext returns the same structure.
func (r byteSequence) withContext(ctx context.Context) byteSequence {
	return r.p.WithContext(ctx).sequenceAt(r.address(), r.s.IsDeque())
}

// failed describes the failure of an operation.
func (r byteSequence) failed(what string, err error) error {
	if err == nil {
		return nil
	}
	return r.p.fail(&OpError{Op: what + " of " + r.s.Kind(), Rank: r.p.Rank(), Dst: r.address(), Err: err})
}

// address returns the address of the control block.
func (r byteSequence) address() GA { return GA(r.s.Address()) }

func (r byteSequence) destroy() error { return r.failed("destruction", r.s.Destroy()) }

func (r byteSequence) len() (uint64, error) {
	size, err := r.s.Size()
	return size, r.failed("size", err)
}

func (r byteSequence) cap() (uint64, error) {
	_, capacity, err := r.s.State()
	return capacity, r.failed("capacity", err)
}

func (r byteSequence) empty() (bool, error) {
	n, err := r.len()
	return n == 0, err
}

func (r byteSequence) clear() error { return r.failed("clearing", r.s.Clear()) }

func (r byteSequence) reserve(n uint64) error { return r.failed("reservation", r.s.Reserve(n)) }

// locate returns the address of the byte at offset.
func (r byteSequence) locate(offset int) (GA, error) {
	at, err := r.s.Find(offset, 1)
	if err == nil && at.N == 0 {
		err = fmt.Errorf("%w: byte %d", ErrOutOfRange, offset)
	}
	if err != nil {
		return NullGA, r.failed("look-up", err)
	}
	return GA(at.GA), nil
}

func (r byteSequence) begin() SequenceIterator { return SequenceIterator{GA: r.address()} }

func (r byteSequence) end() (SequenceIterator, error) {
	n, err := r.len()
	return SequenceIterator{r.address(), int(n)}, err
}

// has reports whether it is an iterator of r that may be a position in it.
func (r byteSequence) has(it SequenceIterator) bool { return it.GA == r.address() && it.Index >= 0 }

// push adds a copy of e at an end.
func (r byteSequence) push(e Element, end uint64) error {
	return r.failed("push", r.s.Push(end, e.span()))
}

// pop removes n bytes at an end, or all if there are fewer.
func (r byteSequence) pop(n, end uint64) error { return r.failed("pop", r.s.Pop(end, n)) }

func (r byteSequence) insert(it SequenceIterator, e Element) (SequenceIterator, error) {
	if !r.has(it) {
		return it, r.failed("insertion", ErrBadIterator)
	}
	i, err := r.s.Insert(it.Index, e.span())
	if err != nil {
		return it, r.failed("insertion", err)
	}
	return SequenceIterator{r.address(), i}, nil
}

func (r byteSequence) erase(it SequenceIterator, n uint64) (SequenceIterator, error) {
	if !r.has(it) {
		return it, r.failed("erasure", ErrBadIterator)
	}
	return it, r.failed("erasure", r.s.Erase(uint64(it.Index), n))
}

func (r byteSequence) eraseRange(start, end SequenceIterator) (SequenceIterator, error) {
	if start.GA != end.GA {
		return end, r.failed("erasure", ErrBadIterator)
	}
	if end.Index <= start.Index {
		return end, nil
	}
	return r.erase(start, uint64(end.Index-start.Index))
}

// all returns all bytes.
func (r byteSequence) all() sequence.Slice { return sequence.Slice{Of: r.s, N: sequence.Everything} }

// between returns the bytes between two iterators.
func (r byteSequence) between(start, end SequenceIterator) (sequence.Slice, error) {
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

func (r byteSequence) assignRange(start, end SequenceIterator) error {
	from, err := r.between(start, end)
	if err != nil {
		return r.failed("assignment", err)
	}
	return r.assign(from)
}

func (r byteSequence) insertRange(it, start, end SequenceIterator) (SequenceIterator, error) {
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

// pushMany adds copies of many elements, in their order, at an end.
func (r byteSequence) pushMany(es []Element, end uint64) error {
	all, err := r.p.elementBytes(es)
	if err == nil {
		err = r.s.PushBytes(end, slices.Concat(all...))
	}
	return r.failed("push", err)
}

// popMany removes as many bytes at an end as the elements have, or all if there are fewer, and copies them to
// the elements, in their order. It returns how many bytes it has removed.
func (r byteSequence) popMany(to []Element, end uint64) (uint64, error) {
	if err := r.p.checkElements(to); err != nil {
		return 0, r.failed("pop", err)
	}
	var room uint64
	for _, e := range to {
		room = min(room+min(e.Size, posMask), posMask)
	}
	b, err := r.take(room, end)
	if err != nil {
		return 0, r.failed("pop", err)
	}
	parts, rest := make([][]byte, len(to)), b
	for i, e := range to {
		n := min(e.Size, uint64(len(rest)))
		parts[i], rest = rest[:n], rest[n:]
	}
	return uint64(len(b)), r.failed("pop", r.p.storeElements(to, parts))
}

// take removes n bytes at an end, or all if there are fewer, and returns them in their order.
func (r byteSequence) take(n, end uint64) ([]byte, error) {
	if n > am.MaxOut || n == 0 {
		size, err := r.s.Size()
		if err != nil {
			return nil, err
		}
		n = min(n, size)
	}
	b := make([]byte, n)
	got, err := r.s.Take(end, b)
	return b[:got], err
}
