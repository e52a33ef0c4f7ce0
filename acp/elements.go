package acp

import (
	"context"
	"fmt"
	"iter"
	"unsafe"

	"github.com/goacp/goacp/internal/network/am"
)

// elements is the part that Vector and Deque share: a sequence of bytes that holds values of T. Counts and
// indices are in elements.
type elements[T any] struct {
	seq   byteSequence
	codec codec[T]
	err   error // of the last iteration
}

// newElements makes a vector or deque of n elements, all zero, with room for room elements in all.
func newElements[T any](p *Process, isDeque bool, n, room int, rank Rank) (elements[T], error) {
	e, err := elementsAt[T](p, isDeque, NullGA)
	if err == nil && (n < 0 || room < n) {
		err = e.seq.failed("creation", fmt.Errorf("%w: %d elements", ErrBadSize, n))
	}
	if err == nil {
		e.seq, err = p.newSequence(isDeque, e.bytes(room), e.bytes(n), true, rank)
	}
	return e, err
}

func elementsAt[T any](p *Process, isDeque bool, ga GA) (elements[T], error) {
	c, err := fixedCodecOf[T]()
	return elements[T]{seq: p.sequenceAt(ga, isDeque), codec: c}, typeError[T](p, err)
}

// withContext returns the same structure.
func (e *elements[T]) withContext(ctx context.Context) elements[T] {
	return elements[T]{seq: e.seq.withContext(ctx), codec: e.codec}
}

// bytes returns how many bytes n elements take; more than there can be if that overflows.
func (e *elements[T]) bytes(n int) uint64 {
	if uint64(n) > posMask/e.codec.size {
		return posMask
	}
	return uint64(n) * e.codec.size
}

// memory returns the bytes of xs without copying them.
func (e *elements[T]) memory(xs []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(xs))), uint64(len(xs))*e.codec.size)
}

func (e *elements[T]) len() (int, error) {
	n, err := e.seq.len()
	return int(n / e.codec.size), err
}

func (e *elements[T]) cap() (int, error) {
	n, err := e.seq.cap()
	return int(n / e.codec.size), err
}

func (e *elements[T]) reserve(n int) error { return e.seq.reserve(e.bytes(max(n, 0))) }

func (e *elements[T]) load(i int) (T, error) {
	var x T
	err := e.outside(i)
	if err == nil {
		var n uint64
		if n, err = e.seq.s.Read(e.codec.bytes(&x), e.bytes(i)); err == nil && n < e.codec.size {
			err = fmt.Errorf("%w: element %d", ErrOutOfRange, i)
		}
	}
	if err != nil {
		return *new(T), e.seq.failed("look-up", err)
	}
	return x, nil
}

func (e *elements[T]) store(i int, x T) error {
	err := e.outside(i)
	if err == nil {
		var there bool
		there, err = e.seq.s.Write(e.bytes(i), e.codec.bytes(&x))
		if err == nil && !there {
			err = fmt.Errorf("%w: element %d", ErrOutOfRange, i)
		}
	}
	return e.seq.failed("replacement", err)
}

// outside returns an error if i cannot be the index of an element in any sequence.
func (e *elements[T]) outside(i int) error {
	if i < 0 {
		return fmt.Errorf("%w: element %d", ErrOutOfRange, i)
	}
	return nil
}

// push adds xs, in their order, at an end.
func (e *elements[T]) push(xs []T, end uint64) error {
	return e.seq.failed("push", e.seq.s.PushBytes(end, e.memory(xs)))
}

// pop removes the element at an end and returns it.
func (e *elements[T]) pop(end uint64) (T, error) {
	var x T
	n, err := e.seq.s.Take(end, e.codec.bytes(&x))
	if err == nil && n < e.codec.size {
		err = ErrEmpty
	}
	if err != nil {
		return *new(T), e.seq.failed("pop", err)
	}
	return x, nil
}

// popMany removes n elements at an end, or all if there are fewer, and returns them in their order.
func (e *elements[T]) popMany(n int, end uint64) ([]T, error) {
	if n < 0 {
		return nil, e.seq.failed("pop", fmt.Errorf("%w: %d elements", ErrBadSize, n))
	}
	if n == 0 || e.bytes(n) > am.MaxOut {
		have, err := e.len()
		if err != nil {
			return nil, err
		}
		n = min(n, have)
	}
	xs := make([]T, n)
	got, err := e.seq.s.Take(end, e.memory(xs))
	return xs[:got/e.codec.size], e.seq.failed("pop", err)
}

func (e *elements[T]) insert(i int, xs []T) error {
	err := e.outside(i)
	if err == nil {
		err = e.seq.s.InsertBytes(e.bytes(i), e.memory(xs))
	}
	return e.seq.failed("insertion", err)
}

func (e *elements[T]) erase(i, n int) error {
	err := e.outside(i)
	if err == nil {
		err = e.seq.s.Erase(e.bytes(i), e.bytes(max(n, 0)))
	}
	return e.seq.failed("erasure", err)
}

func (e *elements[T]) assignValues(xs []T) error {
	return e.seq.failed("assignment", e.seq.s.AssignBytes(e.memory(xs)))
}

func (e *elements[T]) slice() ([]T, error) {
	n, err := e.len()
	if err != nil || n == 0 {
		return nil, err
	}
	xs := make([]T, n)
	got, err := e.seq.s.Read(e.memory(xs), 0)
	return xs[:got/e.codec.size], e.seq.failed("look-up", err)
}

// all iterates over indices and elements, many of which it reads at a time.
func (e *elements[T]) all() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		var xs []T
		for i := 0; ; i += len(xs) {
			if xs = e.some(i, xs); len(xs) == 0 {
				return
			}
			for k, x := range xs {
				if !yield(i+k, x) {
					return
				}
			}
		}
	}
}

// backward is all from the last element on.
func (e *elements[T]) backward() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		var end int
		var xs []T
		for end, e.err = e.len(); end > 0 && e.err == nil; end -= len(xs) {
			i := max(0, end-e.atOnce())
			if xs = e.some(i, xs); len(xs) == 0 {
				return
			}
			xs = xs[:min(len(xs), end-i)]
			for k := len(xs) - 1; k >= 0; k-- {
				if !yield(i+k, xs[k]) {
					return
				}
			}
		}
	}
}

// atOnce is how many elements an iterator reads at a time.
func (e *elements[T]) atOnce() int { return int(max(1, am.MaxOut/e.codec.size)) }

// some reads some elements from i on into xs, which it makes if it is nil.
func (e *elements[T]) some(i int, xs []T) []T {
	if xs == nil {
		xs = make([]T, e.atOnce())
	}
	n, err := e.seq.s.Read(e.memory(xs[:cap(xs)]), e.bytes(i))
	e.err = e.seq.failed("iteration", err)
	return xs[:n/e.codec.size]
}
