package weights

import (
	"math"
	"slices"
)

// quadrilateral is four points of a grid, which go round it.
type quadrilateral [4]int

// quadrilaterals returns the quadrilaterals of neighbours in a grid with two sizes. A grid that goes round the sphere also
// has those between its last and its first column.
func (g *Grid) quadrilaterals() ([]quadrilateral, error) {
	if len(g.Sizes) != 2 {
		return nil, g.errorf("it has %d sizes; bilinear weights need a grid with 2", len(g.Sizes))
	}
	ny, nx := g.Sizes[0], g.Sizes[1]
	columns := nx - 1
	if !g.Plane && nx > 2 && g.round(nx) {
		columns = nx
	}
	var all []quadrilateral
	for y := range ny - 1 {
		for x := range columns {
			next := (x + 1) % nx
			q := quadrilateral{y*nx + x, y*nx + next, (y+1)*nx + next, (y+1)*nx + x}
			if g.placed(q[0]) && g.placed(q[1]) && g.placed(q[2]) && g.placed(q[3]) {
				all = append(all, q)
			}
		}
	}
	if ny < 2 || nx < 2 {
		return nil, g.errorf("its sizes are %v; bilinear weights need at least 2 points in each", g.Sizes)
	}
	return all, nil
}

// round reports whether the gap between the last and the first point of a row, in its middle row, is at most twice
// that between others.
func (g *Grid) round(nx int) bool {
	row := g.Sizes[0] / 2 * nx
	gap := 0.0
	for x := range nx - 1 {
		if g.placed(row+x) && g.placed(row+x+1) {
			gap = max(gap, math.Abs(degreesBetween(g.X[row+x], g.X[row+x+1])))
		}
	}
	last := math.Abs(degreesBetween(g.X[row+nx-1], g.X[row]))
	return last > 1e-9 && last < 2*gap
}

// degreesBetween returns the way from one longitude to another one, from -180 to 180.
func degreesBetween(from, to float64) float64 { return math.Remainder(to-from, 360) }

// width returns how many degrees of longitude a quadrilateral has.
func (g *Grid) width(q quadrilateral) float64 {
	west, east := 0.0, 0.0
	for _, point := range q {
		d := degreesBetween(g.X[q[0]], g.X[point])
		west, east = min(west, d), max(east, d)
	}
	return east - west
}

// least and greatest return the latitudes of a quadrilateral.
func (g *Grid) least(q quadrilateral) float64 {
	return min(g.Y[q[0]], g.Y[q[1]], g.Y[q[2]], g.Y[q[3]])
}

func (g *Grid) greatest(q quadrilateral) float64 {
	return max(g.Y[q[0]], g.Y[q[1]], g.Y[q[2]], g.Y[q[3]])
}

// bilinear returns the makers of rows for Bilinear.
func (m *Matrix) bilinear() (func() rowMaker, error) {
	all, err := m.From.quadrilaterals()
	if err != nil {
		return nil, err
	}
	s := m.From.surface()
	items := make([]item, len(all))
	for i, q := range all {
		p := make(polygon, len(q))
		for k, point := range q {
			p[k] = m.From.centre(point)
		}
		b := s.around(p)
		if s == sphere {
			b = b.widened(m.From.width(q), m.From.least(q), m.From.greatest(q))
		}
		for k := range b.low { // points on an edge are inside
			b.low[k], b.high[k] = b.low[k]-1e-12*max(1, math.Abs(b.low[k])), b.high[k]+1e-12*max(1, math.Abs(b.high[k]))
		}
		items[i] = item{b, i}
	}
	found := newTree(items)
	var points *tree
	if m.Options.FillNearest {
		points = m.points()
	}
	return func() rowMaker {
		var nearby []near
		return func(row int, entries []Entry) ([]Entry, error) {
			best, done := quadrilateral{}, false
			var weights [4]float64
			found.visit(boxOf(m.To.centre(row)), func(i int) {
				if w, ok := m.within(row, all[i]); ok && !done {
					best, weights, done = all[i], w, true
				}
			})
			if done {
				if with, ok := m.corners(row, best, weights, entries); ok {
					return with, nil
				}
			}
			if points != nil {
				nearby = points.nearest(m.To.centre(row), 1, nearby)
				return m.byDistance(row, nearby, entries), nil
			}
			return entries, nil
		}
	}, nil
}

// corners appends the entries of a row for the corners of a quadrilateral that have values. The weights of the others are
// distributed to them. It returns false if no corner with a weight has a value.
func (m *Matrix) corners(row int, q quadrilateral, weights [4]float64, entries []Entry) ([]Entry, bool) {
	sum := 0.0
	for k, point := range q {
		if m.From.valid(point) {
			sum += weights[k]
		}
	}
	if !(sum > 1e-9) {
		return entries, false
	}
	first := len(entries)
	for k, point := range q {
		if m.From.valid(point) && weights[k] != 0 {
			entries = append(entries, Entry{row, point, weights[k] / sum})
		}
	}
	sortByColumn(entries[first:])
	return entries, true
}

// within returns the weights of the corners of a quadrilateral for a point, and whether the point is in it. The
// corners are taken in the plane of coordinates, which is that of longitudes and latitudes on the sphere: there the
// weights are products of (1-u, u) and (1-v, v), where u and v are the solution of two equations.
func (m *Matrix) within(row int, q quadrilateral) (weights [4]float64, ok bool) {
	var x, y [4]float64
	for k, point := range q {
		x[k], y[k] = m.From.X[point]-m.To.X[row], m.From.Y[point]-m.To.Y[row]
		if !m.From.Plane {
			x[k] = degreesBetween(m.To.X[row], m.From.X[point])
		}
	}
	if !m.From.Plane && slices.Max(x[:])-slices.Min(x[:]) > 180 {
		return weights, false // it is on the other side of the sphere, or has the pole in it
	}
	u, v, ok := inverse(x, y)
	const most = 1e-10 // how far outside a point on an edge may be, because of rounding
	if !ok || u < -most || u > 1+most || v < -most || v > 1+most {
		return weights, false
	}
	u, v = min(max(u, 0), 1), min(max(v, 0), 1)
	return [4]float64{(1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v}, true
}

// inverse returns u and v for which the bilinear map of the unit square to four corners gives the origin, by the method of Newton.
func inverse(x, y [4]float64) (u, v float64, ok bool) {
	u, v = 0.5, 0.5
	place := func() (float64, float64) {
		return (x[0]*(1-u)+x[1]*u)*(1-v) + (x[3]*(1-u)+x[2]*u)*v, (y[0]*(1-u)+y[1]*u)*(1-v) + (y[3]*(1-u)+y[2]*u)*v
	}
	for range 50 {
		xu, xv := (x[1]-x[0])*(1-v)+(x[2]-x[3])*v, (x[3]-x[0])*(1-u)+(x[2]-x[1])*u
		yu, yv := (y[1]-y[0])*(1-v)+(y[2]-y[3])*v, (y[3]-y[0])*(1-u)+(y[2]-y[1])*u
		px, py := place()
		determinant := xu*yv - xv*yu
		if determinant == 0 {
			return 0, 0, false
		}
		du, dv := (px*yv-py*xv)/determinant, (py*xu-px*yu)/determinant
		u, v = u-du, v-dv
		if math.Abs(du) < 1e-14 && math.Abs(dv) < 1e-14 {
			return u, v, true
		}
		if math.Abs(u) > 1e3 || math.Abs(v) > 1e3 {
			return 0, 0, false
		}
	}
	// The steps have not become small, because of rounding or because there is no solution. The distance from the origin tells which.
	px, py := place()
	most := 0.0
	for k := range 4 {
		most = max(most, math.Abs(x[k]), math.Abs(y[k]))
	}
	return u, v, math.Abs(px) <= 1e-9*most && math.Abs(py) <= 1e-9*most
}
