package points

import (
	"fmt"
	"slices"
	"strings"
)

// Grid is the shape of a grid, whose points have their numbers by their places in it.
type Grid struct {
	Sizes   []int // points in each dimension
	Fortran bool  // the first subscript varies fastest, not the last
}

// Shape returns the grid of which the block is a part.
func (b *Block) Shape() *Grid { return &Grid{b.Grid, b.Fortran} }

// Same reports whether points of both grids with the same number are the same place: whether the grids have the same
// sizes, from the slowest dimension on. Dimensions of one point are ignored.
func (g *Grid) Same(other *Grid) bool { return slices.Equal(g.extents(), other.extents()) }

// extents returns the sizes that are not 1, from the slowest dimension on.
func (g *Grid) extents() []int {
	sizes := slices.DeleteFunc(slices.Clone(g.Sizes), func(n int) bool { return n == 1 })
	if g.Fortran {
		slices.Reverse(sizes)
	}
	return sizes
}

// String returns the sizes as the program has given them.
func (g *Grid) String() string {
	var sizes []string
	for _, n := range g.Sizes {
		sizes = append(sizes, fmt.Sprint(n))
	}
	text := strings.Join(sizes, " x ") + " points"
	if g.Fortran {
		text += " in the order of Fortran"
	}
	return text
}
