package acp

import (
	"context"
	"iter"

	"github.com/goacp/goacp/internal/structure/sequence"
)

// Deque is a queue of values of T with two ends, on one rank. Appending and removing values takes constant
// time at both ends. Otherwise it is like a Vector, except that its values may wrap around in memory. Spec
// 4.4.
type Deque[T any] struct{ e elements[T] }

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

// DequeAt returns the deque whose Address is ga. Its elements must be of type T; the address of a ByteDeque
// of such values is valid, too. Fails with ErrBadType. Local. Does not block. Spec 4.4.9.
func DequeAt[T any](p *Process, ga GA) (*Deque[T], error) {
	e, err := elementsAt[T](p, true, ga)
	if err != nil {
		return nil, err
	}
	return &Deque[T]{e}, nil
}

// WithContext returns the same deque. When ctx ends, blocking methods of the result return early; see
// Process.WithContext. Local. Does not block.
func (d *Deque[T]) WithContext(ctx context.Context) *Deque[T] { return &Deque[T]{d.e.withContext(ctx)} }

// Bytes returns the same deque as one of bytes. Local. Does not block.
func (d *Deque[T]) Bytes() ByteDeque { return ByteDeque{d.e.seq} }

// Address returns the address by which other ranks reach the deque. Local. Does not block.
func (d *Deque[T]) Address() GA { return d.e.seq.address() }

// Destroy frees the deque. Any rank. Blocks for one round trip. Spec 4.4.10.
func (d *Deque[T]) Destroy() error { return d.e.seq.destroy() }

// Len returns the number of elements. Any rank. Blocks for one round trip. Spec 4.4.23.
func (d *Deque[T]) Len() (int, error) { return d.e.len() }

// Cap returns how many elements fit without new storage. Any rank. Blocks for one round
// trip. Spec 4.4.7.
func (d *Deque[T]) Cap() (int, error) { return d.e.cap() }

// Empty reports whether there are no elements. Any rank. Blocks for one round trip. Spec
// 4.4.11.
func (d *Deque[T]) Empty() (bool, error) { return d.e.seq.empty() }

// Clear removes all elements. The storage stays. Any rank. Blocks for one round trip. Spec
// 4.4.8.
func (d *Deque[T]) Clear() error { return d.e.seq.clear() }

// Reserve makes room for n elements in all. Fails with ErrHeapFull. Any rank. Blocks for
// one round trip. Spec 4.4.22.
func (d *Deque[T]) Reserve(n int) error { return d.e.reserve(n) }

// Load returns element i. Fails with ErrOutOfRange. Any rank. Blocks for one round trip.
// Spec 4.4.4.
func (d *Deque[T]) Load(i int) (T, error) { return d.e.load(i) }

// Store replaces element i by x. Fails with ErrOutOfRange. Any rank. Blocks for one round
// trip.
func (d *Deque[T]) Store(i int, x T) error { return d.e.store(i, x) }

// PushBack appends xs. Fails with ErrHeapFull, and then nothing is appended. Any rank.
// Blocks for one round trip. Spec 4.4.20.
func (d *Deque[T]) PushBack(xs ...T) error { return d.e.push(xs, sequence.Back) }

// PushFront puts xs, in their order, before the first element. Fails with ErrHeapFull, and
// then nothing is added. Any rank. Blocks for one round trip. Spec 4.4.21.
func (d *Deque[T]) PushFront(xs ...T) error { return d.e.push(xs, sequence.Front) }

// PopBack removes the last element and returns it. Fails with ErrEmpty if there is none.
// Any rank. Blocks for one round trip. Spec 4.4.18.
func (d *Deque[T]) PopBack() (T, error) { return d.e.pop(sequence.Back) }

// PopFront removes the first element and returns it. Fails with ErrEmpty if there is none.
// Any rank. Blocks for one round trip. Spec 4.4.19.
func (d *Deque[T]) PopFront() (T, error) { return d.e.pop(sequence.Front) }

// PopBackMany removes the last n elements, or all if there are fewer, and returns them in their order. Fails
// with ErrBadSize if n is negative. Any rank. Blocks for one round trip, and for a few more if the values
// take over 32 KiB.
func (d *Deque[T]) PopBackMany(n int) ([]T, error) { return d.e.popMany(n, sequence.Back) }

// PopFrontMany is PopBackMany for the first n elements. Any rank. Blocks as PopBackMany does.
func (d *Deque[T]) PopFrontMany(n int) ([]T, error) { return d.e.popMany(n, sequence.Front) }

// Insert inserts xs before element i, or at the end if there are fewer. Fails with
// ErrOutOfRange if i is negative, and with ErrHeapFull. Any rank. Blocks for one round
// trip. Spec 4.4.16.
func (d *Deque[T]) Insert(i int, xs ...T) error { return d.e.insert(i, xs) }

// Erase removes n elements from element i on, or all up to the end if there are fewer. Fails with
// ErrOutOfRange if i is negative. Any rank. Blocks for one round trip. Spec 4.4.13.
func (d *Deque[T]) Erase(i, n int) error { return d.e.erase(i, n) }

// Assign replaces the elements by those of from. Fails with ErrHeapFull. Any rank. Blocks
// for up to four round trips, and a few more for more than 32 KiB. Spec 4.4.2.
func (d *Deque[T]) Assign(from *Deque[T]) error { return d.e.seq.assign(from.e.seq.all()) }

// AssignValues replaces the elements by xs. Fails with ErrHeapFull. Any rank. Blocks for
// one round trip.
func (d *Deque[T]) AssignValues(xs ...T) error { return d.e.assignValues(xs) }

// Swap exchanges the elements of two deques. Each stays on its rank. Fails with
// ErrHeapFull, and then both are as before. Any rank. Blocks for a few round trips. Spec
// 4.4.24.
func (d *Deque[T]) Swap(with *Deque[T]) error { return d.e.seq.swap(with.e.seq) }

// Slice returns the elements. Any rank. Blocks for a round trip for every 32 KiB.
func (d *Deque[T]) Slice() ([]T, error) { return d.e.slice() }

// All returns an iterator over the indices and the elements, from the first on. It reads many elements at a
// time and may see some of the changes made during the loop. If an element cannot be read, it ends early and
// Err returns the error. Any rank. The loop blocks for a round trip for every 32 KiB.
func (d *Deque[T]) All() iter.Seq2[int, T] { return d.e.all() }

// Backward is All from the last element on. Any rank. The loop blocks as that of All does.
func (d *Deque[T]) Backward() iter.Seq2[int, T] { return d.e.backward() }

// Err returns why the last iteration ended early, or nil. Local. Does not block.
func (d *Deque[T]) Err() error { return d.e.err }
