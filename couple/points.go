package couple

import "github.com/goacp/goacp/internal/couple/points"

// Points says which points a rank holds, and where they lie in its memory: a Ranges, a Block or a
// List.
type Points interface {
	// layouts returns which points the rank sends and which ones it receives, and how many points
	// its memory has.
	layouts() (sends, receives *points.Layout, memory int64, err error)
}

// Range is N points from First on.
type Range struct{ First, N int }

// Ranges is points whose numbers follow each other, range by range. They lie in memory in this
// order.
type Ranges []Range

func (r Ranges) layouts() (sends, receives *points.Layout, memory int64, err error) {
	l, memory, err := points.Ranges(func(yield func(int64, int64) bool) {
		for _, x := range r {
			if !yield(int64(x.First), int64(x.N)) {
				return
			}
		}
	})
	return l, l, memory, err
}

// List is points in any order, each once. They lie in memory in this order.
type List []int

func (l List) layouts() (sends, receives *points.Layout, memory int64, err error) {
	same, memory, err := points.Listed(func(yield func(int64) bool) {
		for _, x := range l {
			if !yield(int64(x)) {
				return
			}
		}
	})
	return same, same, memory, err
}

// Block is a part of a grid of any number of dimensions. Every field has one entry for each
// dimension. The number of a point is its place in the grid, in the order of C: the last subscript varies
// fastest. In the order of Fortran the first one does. Memory has the same order. So a grid of nx × ny in
// Fortran is one of ny × nx in C.
type Block struct {
	Grid    []int // points of the whole grid
	First   []int // subscripts of the first point of the block, from 0
	Extent  []int // points of the block
	Halo    []int // points that the memory has besides on each side; nil: none
	Fortran bool

	// FillHalo: a field that receives gets the points of the halo, too, as far as they are in the
	// grid. A field that sends never sends them.
	FillHalo bool
}

func (b Block) layouts() (sends, receives *points.Layout, memory int64, err error) {
	core := points.Block{Grid: b.Grid, First: b.First, Extent: b.Extent, Halo: b.Halo, Fortran: b.Fortran}
	return core.Both(b.FillHalo)
}
