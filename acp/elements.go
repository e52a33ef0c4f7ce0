package acp

import (
	"fmt"
	"iter"
	"unsafe"

	"github.com/goacp/goacp/internal/am"
	"github.com/goacp/goacp/internal/sequence"
)

// elements is what Vector and Deque have in common: bytes in a row that are values of T.
// Numbers and positions are those of elements.
type elements[T any] struct {
	seq   byteSequence
	codec codec[T]
	err   error // of the last iteration
}

// newElements makes a vector or deque of n elements, all zero, with room for others.
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

// bytes returns how many bytes n elements take; more than there can be if that overflows.
func (e *elements[T]) bytes(n int) uint64 {
	if uint64(n) > posMask/e.codec.size {
		return posMask
	}
	return uint64(n) * e.codec.size
}

// memory returns the bytes of xs, which are their memory.
func (e *elements[T]) memory(xs []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(xs))), uint64(len(xs))*e.codec.size)
}

// GA returns the address by which other ranks use it too. Local. Does not block.
func (e *elements[T]) GA() GA { return e.seq.GA() }

// Destroy frees it. Any rank. Blocks for one round trip. Spec 4.3.9, 4.4.10.
func (e *elements[T]) Destroy() error { return e.seq.Destroy() }

// Len returns the number of elements. Any rank. Blocks for one round trip. Spec 4.3.19,
// 4.4.23.
func (e *elements[T]) Len() (int, error) {
	n, err := e.seq.Size()
	return int(n / e.codec.size), err
}

// Clear removes all elements. The storage stays. Any rank. Blocks for one round trip. Spec
// 4.3.7, 4.4.8.
func (e *elements[T]) Clear() error { return e.seq.Clear() }

// Reserve makes room for n elements in all. Fails with ErrHeapFull. Any rank. Blocks for
// one round trip. Spec 4.3.18, 4.4.22.
func (e *elements[T]) Reserve(n int) error { return e.seq.Reserve(e.bytes(max(n, 0))) }

// At returns element i. Fails with ErrOutOfRange. Any rank. Blocks for one round trip.
// Spec 4.3.4, 4.4.4.
func (e *elements[T]) At(i int) (T, error) {
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

// Set replaces element i. Fails with ErrOutOfRange. Any rank. Blocks for one round trip.
func (e *elements[T]) Set(i int, x T) error {
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

func (e *elements[T]) outside(i int) error {
	if i < 0 {
		return fmt.Errorf("%w: element %d", ErrOutOfRange, i)
	}
	return nil
}

// PushBack appends xs. Fails with ErrHeapFull, and then nothing is appended. Any rank.
// Blocks for one round trip. Spec 4.3.17, 4.4.20.
func (e *elements[T]) PushBack(xs ...T) error { return e.push(xs, sequence.Back) }

func (e *elements[T]) push(xs []T, end uint64) error {
	return e.seq.failed("push", e.seq.s.PushBytes(end, e.memory(xs)))
}

// PopBack removes the last element and returns it. Fails with ErrEmpty if there is none.
// Any rank. Blocks for one round trip. Spec 4.3.16, 4.4.18.
func (e *elements[T]) PopBack() (T, error) { return e.pop(sequence.Back) }

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

// Insert inserts xs before element i, or at the end if there are fewer. Fails with
// ErrOutOfRange if i is negative, and with ErrHeapFull. Any rank. Blocks for one round
// trip. Spec 4.3.14, 4.4.16.
func (e *elements[T]) Insert(i int, xs ...T) error {
	err := e.outside(i)
	if err == nil {
		err = e.seq.s.InsertBytes(e.bytes(i), e.memory(xs))
	}
	return e.seq.failed("insertion", err)
}

// Delete removes n elements from element i on, as far as there are so many. Fails with
// ErrOutOfRange if i is negative. Any rank. Blocks for one round trip. Spec 4.3.12, 4.4.13.
func (e *elements[T]) Delete(i, n int) error {
	err := e.outside(i)
	if err == nil {
		err = e.seq.s.Erase(e.bytes(i), e.bytes(max(n, 0)))
	}
	return e.seq.failed("erasure", err)
}

// Replace replaces all elements by xs. Fails with ErrHeapFull. Any rank. Blocks for one
// round trip.
func (e *elements[T]) Replace(xs ...T) error {
	return e.seq.failed("assignment", e.seq.s.AssignBytes(e.memory(xs)))
}

// Slice returns the elements. Any rank. Blocks for a round trip for every 32 KiB.
func (e *elements[T]) Slice() ([]T, error) {
	n, err := e.Len()
	if err != nil || n == 0 {
		return nil, err
	}
	xs := make([]T, n)
	got, err := e.seq.s.Read(e.memory(xs), 0)
	return xs[:got/e.codec.size], e.seq.failed("look-up", err)
}

// All returns an iterator over the positions and the elements, from the first on. It reads
// many at a time; of changes meanwhile it may see some. It ends early if the run is over;
// Err tells. Any rank. The loop blocks for a round trip for every 32 KiB.
func (e *elements[T]) All() iter.Seq2[int, T] {
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

// Backward is All from the last element on.
func (e *elements[T]) Backward() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		var end int
		var xs []T
		for end, e.err = e.Len(); end > 0 && e.err == nil; end -= len(xs) {
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

// Err returns why the last iteration ended early, or nil. Local. Does not block.
func (e *elements[T]) Err() error { return e.err }

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
