package acp

import "github.com/goacp/goacp/internal/sequence"

// Deque is a queue of values of T with two ends, on one rank: they are appended and removed
// at both ends in constant time. Otherwise it is like a Vector, but that its values may
// wrap around in memory. Spec 4.4.
type Deque[T any] struct{ elements[T] }

// NewDeque makes an empty deque with room for n elements on rank. Fails with ErrBadType,
// ErrBadRank, ErrBadSize if n is negative, and ErrHeapFull. Any rank. Blocks for one round
// trip. Spec 4.4.9.
func NewDeque[T any](p *Process, n int, rank Rank) (*Deque[T], error) {
	e, err := newElements[T](p, true, 0, n, rank)
	if err != nil {
		return nil, err
	}
	return &Deque[T]{e}, nil
}

// DequeAt returns the deque that is at ga, as GA says on any rank. It must be one of T, or a
// ByteDeque of such values. Fails with ErrBadType. Local. Does not block. Spec 4.4.9.
func DequeAt[T any](p *Process, ga GA) (*Deque[T], error) {
	e, err := elementsAt[T](p, true, ga)
	if err != nil {
		return nil, err
	}
	return &Deque[T]{e}, nil
}

// Bytes returns the same deque as one of bytes. Local. Does not block.
func (d *Deque[T]) Bytes() ByteDeque { return ByteDeque{d.seq} }

// PushFront puts xs, in their order, before the first element. Fails with ErrHeapFull, and
// then nothing is added. Any rank. Blocks for one round trip. Spec 4.4.21.
func (d *Deque[T]) PushFront(xs ...T) error { return d.push(xs, sequence.Front) }

// PopFront removes the first element and returns it. Fails with ErrEmpty if there is none.
// Any rank. Blocks for one round trip. Spec 4.4.19.
func (d *Deque[T]) PopFront() (T, error) { return d.pop(sequence.Front) }

// Assign replaces the elements by those of from. Fails with ErrHeapFull. Any rank. Blocks
// for at most two round trips, and a few more for more than 32 KiB. Spec 4.4.2.
func (d *Deque[T]) Assign(from *Deque[T]) error { return d.Bytes().Assign(from.Bytes()) }

// Swap exchanges the elements of two deques. Each stays on its rank. Fails with ErrHeapFull,
// and then both are as before. Any rank. Blocks for a few round trips. Spec 4.4.24.
func (d *Deque[T]) Swap(with *Deque[T]) error { return d.Bytes().Swap(with.Bytes()) }
