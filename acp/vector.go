package acp

import (
	"context"
	"iter"

	"github.com/goacp/goacp/internal/structure/sequence"
)

// Vector is a vector of values of T on one rank, which are appended and removed at the end in constant time.
// Every rank that has its Address may use it. Ranks that change the vector, or use it while another rank
// changes it, have to take turns. So do goroutines that share one Vector.
//
// Values are stored as they lie in memory, so that a C program finds an array. T has a
// fixed size and contains no pointers. Spec 4.3.
type Vector[T any] struct{ e elements[T] }

// NewVector makes a vector of n elements, all zero, on rank. Fails with ErrBadType,
// ErrBadRank, ErrBadSize if n is negative, and ErrHeapFull. Any rank. Blocks for one round
// trip. Spec 4.3.8.
func NewVector[T any](p *Process, n int, rank Rank) (*Vector[T], error) {
	e, err := newElements[T](p, false, n, n, rank)
	if err != nil {
		return nil, err
	}
	return &Vector[T]{e}, nil
}

// VectorAt returns the vector whose Address is ga. Its elements must be of type T; the address of a
// ByteVector of such values is valid, too. Fails with ErrBadType. Local. Does not block. Spec 4.3.8.
func VectorAt[T any](p *Process, ga GA) (*Vector[T], error) {
	e, err := elementsAt[T](p, false, ga)
	if err != nil {
		return nil, err
	}
	return &Vector[T]{e}, nil
}

// WithContext returns the same vector. When ctx ends, blocking methods of the result return early; see
// Process.WithContext. Local. Does not block.
func (v *Vector[T]) WithContext(ctx context.Context) *Vector[T] {
	return &Vector[T]{v.e.withContext(ctx)}
}

// Bytes returns the same vector as one of bytes. Local. Does not block.
func (v *Vector[T]) Bytes() ByteVector { return ByteVector{v.e.seq} }

// Address returns the address by which other ranks reach the vector. Local. Does not block.
func (v *Vector[T]) Address() GA { return v.e.seq.address() }

// Destroy frees the vector. Any rank. Blocks for one round trip. Spec 4.3.9.
func (v *Vector[T]) Destroy() error { return v.e.seq.destroy() }

// Len returns the number of elements. Any rank. Blocks for one round trip. Spec 4.3.19.
func (v *Vector[T]) Len() (int, error) { return v.e.len() }

// Cap returns how many elements fit without new storage. Any rank. Blocks for one round
// trip. Spec 4.3.6.
func (v *Vector[T]) Cap() (int, error) { return v.e.cap() }

// Empty reports whether there are no elements. Any rank. Blocks for one round trip. Spec
// 4.3.10.
func (v *Vector[T]) Empty() (bool, error) { return v.e.seq.empty() }

// Clear removes all elements. The storage stays. Any rank. Blocks for one round trip. Spec
// 4.3.7.
func (v *Vector[T]) Clear() error { return v.e.seq.clear() }

// Reserve makes room for n elements in all. Fails with ErrHeapFull. Any rank. Blocks for
// one round trip. Spec 4.3.18.
func (v *Vector[T]) Reserve(n int) error { return v.e.reserve(n) }

// Load returns element i. Fails with ErrOutOfRange. Any rank. Blocks for one round trip.
// Spec 4.3.4.
func (v *Vector[T]) Load(i int) (T, error) { return v.e.load(i) }

// Store replaces element i by x. Fails with ErrOutOfRange. Any rank. Blocks for one round
// trip.
func (v *Vector[T]) Store(i int, x T) error { return v.e.store(i, x) }

// PushBack appends xs. Fails with ErrHeapFull, and then nothing is appended. Any rank.
// Blocks for one round trip. Spec 4.3.17.
func (v *Vector[T]) PushBack(xs ...T) error { return v.e.push(xs, sequence.Back) }

// PopBack removes the last element and returns it. Fails with ErrEmpty if there is none.
// Any rank. Blocks for one round trip. Spec 4.3.16.
func (v *Vector[T]) PopBack() (T, error) { return v.e.pop(sequence.Back) }

// PopBackMany removes the last n elements, or all if there are fewer, and returns them in their order. Fails
// with ErrBadSize if n is negative. Any rank. Blocks for one round trip, and for a few more if the values
// take over 32 KiB.
func (v *Vector[T]) PopBackMany(n int) ([]T, error) { return v.e.popMany(n, sequence.Back) }

// Insert inserts xs before element i, or at the end if there are fewer. Fails with
// ErrOutOfRange if i is negative, and with ErrHeapFull. Any rank. Blocks for one round
// trip. Spec 4.3.14.
func (v *Vector[T]) Insert(i int, xs ...T) error { return v.e.insert(i, xs) }

// Erase removes n elements from element i on, or all up to the end if there are fewer. Fails with
// ErrOutOfRange if i is negative. Any rank. Blocks for one round trip. Spec 4.3.12.
func (v *Vector[T]) Erase(i, n int) error { return v.e.erase(i, n) }

// Assign replaces the elements by those of from. Fails with ErrHeapFull. Any rank. Blocks
// for up to three round trips, and a few more for more than 32 KiB. Spec 4.3.2.
func (v *Vector[T]) Assign(from *Vector[T]) error { return v.e.seq.assign(from.e.seq.all()) }

// AssignValues replaces the elements by xs. Fails with ErrHeapFull. Any rank. Blocks for
// one round trip.
func (v *Vector[T]) AssignValues(xs ...T) error { return v.e.assignValues(xs) }

// Swap exchanges the elements of two vectors. Each stays on its rank. Fails with
// ErrHeapFull, and then both are as before. Any rank. Blocks for a few round trips. Spec
// 4.3.20.
func (v *Vector[T]) Swap(with *Vector[T]) error { return v.e.seq.swap(with.e.seq) }

// Slice returns the elements. Any rank. Blocks for a round trip for every 32 KiB.
func (v *Vector[T]) Slice() ([]T, error) { return v.e.slice() }

// All returns an iterator over the indices and the elements, from the first on. It reads many elements at a
// time and may see some of the changes made meanwhile. If an element cannot be read, it ends early and Err
// returns the error. Any rank. The loop blocks for a round trip for every 32 KiB.
func (v *Vector[T]) All() iter.Seq2[int, T] { return v.e.all() }

// Backward is All from the last element on. Any rank. The loop blocks as that of All does.
func (v *Vector[T]) Backward() iter.Seq2[int, T] { return v.e.backward() }

// Err returns why the last iteration ended early, or nil. Local. Does not block.
func (v *Vector[T]) Err() error { return v.e.err }
