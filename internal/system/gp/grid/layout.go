package grid

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// MaxDims is the maximum number of dimensions, and MaxExtent the maximum size of a dimension.
const (
	MaxDims   = 7
	MaxExtent = math.MaxInt32
)

// maxPlaces is more than the heaps of all possible ranks can hold. Sums over blocks of so many
// places do not overflow.
const maxPlaces = 1 << 60

// Errors of layouts.
var (
	// ErrShape: dimensions or blocks that no array has.
	ErrShape = errors.New("bad shape")
	// ErrTooLarge: more places than the heaps of all ranks can have records for.
	ErrTooLarge = errors.New("too many places")
)

// Layout is the distribution of places over ranks. It does not change.
type Layout struct {
	dims   []int
	starts [][]int32 // of each dimension, the first index of each block
}

// Shape is the shape that a program requests. Chunk and Starts may be nil.
type Shape struct {
	Dims []int // places of each dimension

	// Chunk is the least extent of a block in each dimension. A value of 0 or less leaves the
	// dimension to the library.
	Chunk []int

	// Starts is the first index of each block, for each dimension. It takes the place of Chunk.
	Starts [][]int
}

// New returns the layout of a shape over a number of ranks. Fails with ErrShape and
// ErrTooLarge.
func New(s Shape, ranks int) (*Layout, error) {
	if err := checkDims(s.Dims); err != nil {
		return nil, err
	}
	if s.Starts != nil {
		return irregular(s, ranks)
	}
	if s.Chunk != nil && len(s.Chunk) != len(s.Dims) {
		return nil, fmt.Errorf("%w: %d chunk sizes for %d dimensions", ErrShape, len(s.Chunk), len(s.Dims))
	}
	l := &Layout{dims: slices.Clone(s.Dims)}
	for d, blocks := range divide(s.Dims, s.Chunk, ranks) {
		l.starts = append(l.starts, evenly(s.Dims[d], blocks))
	}
	return l, nil
}

func checkDims(dims []int) error {
	if len(dims) < 1 || len(dims) > MaxDims {
		return fmt.Errorf("%w: %d dimensions, expected 1 to %d", ErrShape, len(dims), MaxDims)
	}
	for d, n := range dims {
		if n < 1 || n > MaxExtent {
			return fmt.Errorf("%w: dimension %d has %d places, expected 1 to %d", ErrShape, d, n, MaxExtent)
		}
	}
	places := 1
	for _, n := range dims {
		if n > maxPlaces/places {
			return fmt.Errorf("%w in dimensions %v", ErrTooLarge, dims)
		}
		places *= n
	}
	return nil
}

// evenly divides n places into blocks whose extents differ by at most one place.
func evenly(n, blocks int) []int32 {
	starts := make([]int32, blocks)
	for b := range starts {
		starts[b] = int32(b*(n/blocks) + min(b, n%blocks))
	}
	return starts
}

// irregular returns the layout with the begins of blocks of the shape.
func irregular(s Shape, ranks int) (*Layout, error) {
	if len(s.Starts) != len(s.Dims) {
		return nil, fmt.Errorf("%w: starts of blocks for %d of %d dimensions", ErrShape, len(s.Starts), len(s.Dims))
	}
	l := &Layout{dims: slices.Clone(s.Dims)}
	blocks := 1
	for d, starts := range s.Starts {
		if err := checkStarts(d, s.Dims[d], starts); err != nil {
			return nil, err
		}
		if len(starts) > ranks/blocks {
			return nil, fmt.Errorf("%w: the blocks of dimensions 0 to %d are more than the %d ranks", ErrShape, d, ranks)
		}
		blocks *= len(starts)
		own := make([]int32, len(starts))
		for b, start := range starts {
			own[b] = int32(start)
		}
		l.starts = append(l.starts, own)
	}
	return l, nil
}

// checkStarts checks where the blocks of dimension d begin, which has n places.
func checkStarts(d, n int, starts []int) error {
	if len(starts) < 1 || len(starts) > n {
		return fmt.Errorf("%w: %d blocks in dimension %d of %d places", ErrShape, len(starts), d, n)
	}
	before := 0
	for b, start := range starts {
		if b == 0 && start != 0 || start < before || start > n {
			return fmt.Errorf("%w: block %d of dimension %d begins at %d, expected 0 for the first, at least %d and at most %d", ErrShape, b, d, start, before, n)
		}
		before = start
	}
	return nil
}

// Dims returns the places of each dimension. The caller does not change them.
func (l *Layout) Dims() []int { return l.dims }

// Blocks returns the number of blocks along each dimension.
func (l *Layout) Blocks() []int {
	blocks := make([]int, len(l.starts))
	for d, starts := range l.starts {
		blocks[d] = len(starts)
	}
	return blocks
}

// Starts returns the first index of each block along dimension d. The caller does not change
// them.
func (l *Layout) Starts(d int) []int32 { return l.starts[d] }

// span returns the first and the last index of block b along dimension d.
func (l *Layout) span(d, b int) (lo, hi int) {
	if b+1 < len(l.starts[d]) {
		return int(l.starts[d][b]), int(l.starts[d][b+1]) - 1
	}
	return int(l.starts[d][b]), l.dims[d] - 1
}

// blockOf returns the block along dimension d that has an index. Empty blocks have none.
func (l *Layout) blockOf(d, index int) int {
	starts := l.starts[d]
	b, end := 0, len(starts) // the first begins at 0
	for end-b > 1 {
		if middle := (b + end) / 2; int(starts[middle]) <= index {
			b = middle
		} else {
			end = middle
		}
	}
	return b
}

// Block returns the places of a rank, or false if it has none.
func (l *Layout) Block(rank int) (Section, bool) {
	s := Section{make([]int, len(l.dims)), make([]int, len(l.dims))}
	for d := len(l.dims) - 1; d >= 0; d-- {
		blocks := len(l.starts[d])
		s.Lo[d], s.Hi[d] = l.span(d, rank%blocks)
		rank /= blocks
	}
	return s, rank == 0 && !s.Empty()
}

// Places returns the number of places of a rank.
func (l *Layout) Places(rank int) int {
	if s, ok := l.Block(rank); ok {
		return s.Places()
	}
	return 0
}

// Find returns the rank that holds a place of the array, and the index of the place in its
// block.
func (l *Layout) Find(place []int) (rank, index int) {
	for d, i := range place {
		b := l.blockOf(d, i)
		lo, hi := l.span(d, b)
		rank = rank*len(l.starts[d]) + b
		index = index*(hi-lo+1) + i - lo
	}
	return rank, index
}

// Contains reports whether a subscript is a place of the array.
func (l *Layout) Contains(place []int) bool {
	if len(place) != len(l.dims) {
		return false
	}
	for d, i := range place {
		if i < 0 || i >= l.dims[d] {
			return false
		}
	}
	return true
}
