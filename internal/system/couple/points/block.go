package points

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
)

// ErrShape: a block that is not in its grid, or a grid that cannot be.
var ErrShape = errors.New("bad shape")

// Block is a part of a grid, with one entry for each dimension in every field. In memory it has
// Halo more points on each side.
type Block struct {
	Grid    []int // points of the grid
	First   []int // subscripts of the first point, from 0
	Extent  []int // points of the block
	Halo    []int // nil: none
	Fortran bool  // the first subscript varies fastest, not the last, in numbers and in memory
}

// check returns ErrShape unless the block is in its grid.
func (b *Block) check() error {
	n := len(b.Grid)
	if n == 0 || len(b.First) != n || len(b.Extent) != n || b.Halo != nil && len(b.Halo) != n {
		return fmt.Errorf("%w: %d dimensions, a first point with %d, an extent with %d and a halo with %d", ErrShape, n, len(b.First), len(b.Extent), len(b.Halo))
	}
	grid, memory := uint64(1), uint64(1)
	for d := range n {
		if b.Grid[d] < 0 || b.First[d] < 0 || b.Extent[d] < 0 || b.First[d] > b.Grid[d]-b.Extent[d] {
			return fmt.Errorf("%w: dimension %d of the grid has %d points, and of the block %d from %d on", ErrShape, d, b.Grid[d], b.Extent[d], b.First[d])
		}
		halo := b.halo(d)
		if halo < 0 || halo > Max/4 {
			return fmt.Errorf("%w: a halo of %d points in dimension %d", ErrShape, halo, d)
		}
		over1, over2 := uint64(0), uint64(0)
		over1, grid = bits.Mul64(grid, uint64(b.Grid[d]))
		over2, memory = bits.Mul64(memory, uint64(b.Extent[d]+2*halo))
		if over1 != 0 || over2 != 0 || grid > Max || memory > Max {
			return fmt.Errorf("%w: a grid %v has too many points", ErrShape, b.Grid)
		}
	}
	return nil
}

func (b *Block) halo(d int) int {
	if b.Halo == nil {
		return 0
	}
	return b.Halo[d]
}

// Layout returns which points lie where, and how many points the memory has. With fill the points of
// the grid that are in the halo belong to it. Fails with ErrShape.
func (b *Block) Layout(fill bool) (l *Layout, memory int64, err error) {
	if err := b.check(); err != nil {
		return nil, 0, err
	}
	// From the slowest dimension to the fastest.
	order := make([]int, len(b.Grid))
	for d := range order {
		order[d] = d
	}
	if b.Fortran {
		slices.Reverse(order)
	}
	rows := rows{}
	memory = 1
	for _, d := range order {
		halo := b.halo(d)
		x := axis{grid: int64(b.Grid[d]), memory: int64(b.Extent[d] + 2*halo), lo: int64(b.First[d]), hi: int64(b.First[d] + b.Extent[d])}
		x.shift = int64(halo) - x.lo
		if fill {
			x.lo, x.hi = max(x.lo-int64(halo), 0), min(x.hi+int64(halo), x.grid)
		}
		memory *= x.memory
		rows.axes = append(rows.axes, x)
	}
	rows.add(0, 0, 0)
	return &Layout{rows.points.List(), rows.positions.List()}, memory, nil
}

// axis is one dimension of a block.
type axis struct {
	grid, memory int64 // points
	lo, hi       int64 // subscripts of the points of the block
	shift        int64 // from subscripts in the grid to those in memory
}

// rows collects the rows of a block.
type rows struct {
	axes              []axis // the slowest first
	points, positions Builder
}

// add adds the rows whose subscripts in the first d dimensions make up point and position.
func (r *rows) add(d int, point, position int64) {
	x := r.axes[d]
	if x.lo >= x.hi {
		return
	}
	point, position = point*x.grid, position*x.memory
	if d == len(r.axes)-1 {
		r.points.AddRun(Run{point + x.lo, 1, x.hi - x.lo})
		r.positions.AddRun(Run{position + x.lo + x.shift, 1, x.hi - x.lo})
		return
	}
	for i := x.lo; i < x.hi; i++ {
		r.add(d+1, point+i, position+i+x.shift)
	}
}
