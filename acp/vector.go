package acp

// Vector is a vector of values of T on one rank, which are appended and removed at the end
// in constant time. Every rank that knows its address may use it; those that change it, or
// use it while another one changes it, have to take turns. So have goroutines that share
// one Vector.
//
// Values are stored as they lie in memory, so that a C program finds an array. T has a
// fixed size and contains no pointers. Spec 4.3.
type Vector[T any] struct{ elements[T] }

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

// VectorAt returns the vector that is at ga, as GA says on any rank. It must be one of T,
// or a ByteVector of such values. Fails with ErrBadType. Local. Does not block. Spec 4.3.8.
func VectorAt[T any](p *Process, ga GA) (*Vector[T], error) {
	e, err := elementsAt[T](p, false, ga)
	if err != nil {
		return nil, err
	}
	return &Vector[T]{e}, nil
}

// Bytes returns the same vector as one of bytes. Local. Does not block.
func (v *Vector[T]) Bytes() ByteVector { return ByteVector{v.seq} }

// Assign replaces the elements by those of from. Fails with ErrHeapFull. Any rank. Blocks
// for at most two round trips, and a few more for more than 32 KiB. Spec 4.3.2.
func (v *Vector[T]) Assign(from *Vector[T]) error { return v.Bytes().Assign(from.Bytes()) }

// Swap exchanges the elements of two vectors. Each stays on its rank. Fails with
// ErrHeapFull, and then both are as before. Any rank. Blocks for a few round trips. Spec
// 4.3.20.
func (v *Vector[T]) Swap(with *Vector[T]) error { return v.Bytes().Swap(with.Bytes()) }
