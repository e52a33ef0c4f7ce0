package weights

import (
	"errors"
	"fmt"
	"math"
)

// ErrGrid: an invalid grid, or a grid without what a method needs. The message says what is wrong.
var ErrGrid = errors.New("bad grid")

// Grid is the points of a field: the centres of cells, and perhaps their corners.
type Grid struct {
	// Name names the grid in messages.
	Name string

	// Plane means that coordinates are x and y in any unit. Otherwise they are longitudes and latitudes in degrees.
	Plane bool

	// X and Y are the coordinates of the points. Point i of a field has the number i.
	X, Y []float64

	// Sizes are the sizes of a grid in rows, slowest first, such as {ny, nx}. They may be nil for other grids, which have no
	// quadrilaterals for Bilinear.
	Sizes []int

	// Corners is the number of corners of each cell, whose coordinates are CornerX and CornerY: those of point i begin at
	// i*Corners. They go round the cell in either direction. A cell with fewer corners repeats one of them. Corners is 0 if
	// they are not known.
	Corners          int
	CornerX, CornerY []float64

	// Mask has false for points without values. nil: all points have values.
	Mask []bool
}

// Len returns the number of points.
func (g *Grid) Len() int { return len(g.X) }

// valid reports whether a point has a value.
func (g *Grid) valid(i int) bool { return g.Mask == nil || g.Mask[i] }

// errorf returns an error about the grid.
func (g *Grid) errorf(format string, args ...any) error {
	name := g.Name
	if name == "" {
		name = "grid"
	}
	return fmt.Errorf("%s: %w: %s", name, ErrGrid, fmt.Sprintf(format, args...))
}

// check returns an error unless the numbers of coordinates agree, and all of them are numbers within their range.
func (g *Grid) check() error {
	n := len(g.X)
	switch {
	case n == 0:
		return g.errorf("it has no points")
	case len(g.Y) != n:
		return g.errorf("it has %d coordinates X and %d coordinates Y", n, len(g.Y))
	case g.Mask != nil && len(g.Mask) != n:
		return g.errorf("its mask has %d elements for %d points", len(g.Mask), n)
	case g.Corners == 0 && len(g.CornerX)+len(g.CornerY) > 0,
		g.Corners != 0 && (g.Corners < 3 || g.Corners > math.MaxInt/n || len(g.CornerX) != n*g.Corners || len(g.CornerY) != n*g.Corners):
		return g.errorf("it has %d and %d coordinates of corners for %d cells with %d corners; a cell has at least 3", len(g.CornerX), len(g.CornerY), n, g.Corners)
	}
	if len(g.Sizes) > 0 {
		all := 1
		for _, size := range g.Sizes {
			if size < 1 || size > n/all {
				return g.errorf("the sizes are %v for %d points", g.Sizes, n)
			}
			all *= size
		}
		if all != n {
			return g.errorf("the sizes are %v for %d points", g.Sizes, n)
		}
	}
	for i := range n {
		if err := g.checkPoint(i); err != nil {
			return err
		}
	}
	return nil
}

// checkPoint returns an error unless the coordinates of a point that has a value are numbers within their range.
func (g *Grid) checkPoint(i int) error {
	if !g.valid(i) {
		return nil // files have any numbers there
	}
	if why := g.noPlace(g.X[i], g.Y[i]); why != "" {
		return g.errorf("the coordinates of point %d are %s", i, why)
	}
	for k := range g.Corners {
		if why := g.noPlace(g.CornerX[i*g.Corners+k], g.CornerY[i*g.Corners+k]); why != "" {
			return g.errorf("the coordinates of corner %d of cell %d are %s", k, i, why)
		}
	}
	return nil
}

// placed reports whether the coordinates of a point and its corners are those of places, as they are if it has a value.
func (g *Grid) placed(i int) bool {
	if g.valid(i) {
		return true
	}
	all := g.noPlace(g.X[i], g.Y[i]) == ""
	for k := i * g.Corners; k < (i+1)*g.Corners; k++ {
		all = all && g.noPlace(g.CornerX[k], g.CornerY[k]) == ""
	}
	return all
}

// noPlace returns why coordinates are those of no place, or "".
func (g *Grid) noPlace(x, y float64) string {
	switch {
	case math.IsNaN(x-x) || math.IsNaN(y-y):
		return fmt.Sprintf("%v and %v; expected finite numbers", x, y)
	case !g.Plane && (math.Abs(y) > 90+1e-9 || math.Abs(x) > 1e4):
		return fmt.Sprintf("longitude %v and latitude %v; expected degrees", x, y)
	}
	return ""
}

// place returns the place of coordinates.
func (g *Grid) place(x, y float64) vector {
	if g.Plane {
		return vector{x, y, 1}
	}
	return onSphere(x, y)
}

// coordinates returns the coordinates of the place with the direction of a vector.
func (g *Grid) coordinates(v vector) (x, y float64) {
	if g.Plane {
		return v[0] / v[2], v[1] / v[2]
	}
	const degree = math.Pi / 180
	return math.Atan2(v[1], v[0]) / degree, math.Atan2(v[2], math.Hypot(v[0], v[1])) / degree
}

// centre returns the place of a point.
func (g *Grid) centre(i int) vector { return g.place(g.X[i], g.Y[i]) }

// cell returns the corners of a cell, counterclockwise and each once.
func (g *Grid) cell(i int) polygon {
	p := make(polygon, 0, g.Corners)
	for k := i * g.Corners; k < (i+1)*g.Corners; k++ {
		v := g.place(g.CornerX[k], g.CornerY[k])
		if len(p) == 0 || !same(v, p[len(p)-1]) {
			p = append(p, v)
		}
	}
	for len(p) > 1 && same(p[0], p[len(p)-1]) {
		p = p[:len(p)-1]
	}
	if len(p) > 2 && g.surface().area(p) < 0 {
		for i, j := 0, len(p)-1; i < j; i, j = i+1, j-1 {
			p[i], p[j] = p[j], p[i]
		}
	}
	return p
}

// surface returns the surface on which the grid is.
func (g *Grid) surface() surface {
	if g.Plane {
		return plane
	}
	return sphere
}
