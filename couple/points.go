package couple

import (
	"slices"

	"github.com/goacp/goacp/internal/system/couple/points"
)

// Points are the points that a rank holds, and their places in its memory: Ranges, a Block or a List.
type Points interface {
	// layouts returns the points that the rank sends, the points that it receives, and the number of points in
	// its memory.
	layouts() (sends, receives *points.Layout, memory int64, err error)

	// grid returns the grid in which the points have their numbers, or nil if the numbers alone count.
	grid() *points.Grid
}

// Range is N points from First on.
type Range struct{ First, N int }

// Ranges are ranges of consecutive points. The points lie in memory in this order.
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

func (r Ranges) grid() *points.Grid { return nil }

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

func (l List) grid() *points.Grid { return nil }

// Block is a part of a grid of any number of dimensions. Every field has one entry for each
// dimension. Points are numbered in the order of C: the last subscript varies fastest. In the order of Fortran the
// first subscript does. Memory has the same order. So a grid of nx × ny in Fortran is a grid of ny × nx in C.
type Block struct {
	Grid    []int // points of the whole grid
	First   []int // subscripts of the first point of the block, from 0
	Extent  []int // points of the block
	Halo    []int // further points that the memory has on each side; nil: none
	Fortran bool

	// FillHalo: a field that receives gets the points of the halo, too, as far as they are in the
	// grid. A field that sends never sends them.
	FillHalo bool

	// SameNumbers: links match points by number only. Otherwise a link between blocks of grids of different
	// shapes fails with ErrGrids, unless it has weights or Options.SameNumbers. Dimensions of one point are
	// ignored.
	SameNumbers bool
}

func (b Block) layouts() (sends, receives *points.Layout, memory int64, err error) {
	core := b.core()
	return core.Both(b.FillHalo)
}

func (b Block) grid() *points.Grid {
	if b.SameNumbers {
		return nil
	}
	core := b.core()
	return core.Shape()
}

func (b Block) core() points.Block {
	return points.Block{Grid: slices.Clone(b.Grid), First: b.First, Extent: b.Extent, Halo: b.Halo, Fortran: b.Fortran}
}
