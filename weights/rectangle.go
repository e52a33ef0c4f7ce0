package weights

import "math"

// rectangle is a cell between two longitudes and two latitudes, in degrees. Its edges are parts of meridians and of circles of
// latitude, which are no great circles.
type rectangle struct{ west, width, south, north float64 }

// rectangles returns the cells of a grid on the sphere if all of them are rectangles, and otherwise nil. A cell that has no area, or no
// place, is one, too.
func (g *Grid) rectangles() []rectangle {
	if g.Plane || g.Corners != 4 {
		return nil
	}
	all := make([]rectangle, g.Len())
	for i := range all {
		if !g.placed(i) {
			continue
		}
		var ok bool
		if all[i], ok = rectangleOf([4]float64(g.CornerX[4*i:]), [4]float64(g.CornerY[4*i:])); !ok {
			return nil
		}
	}
	return all
}

// rectangleOf returns the rectangle with four corners, which go round it.
func rectangleOf(x, y [4]float64) (r rectangle, ok bool) {
	if y[0] != y[1] { // the first edge is part of a meridian; begin with the second one
		x, y = [4]float64{x[1], x[2], x[3], x[0]}, [4]float64{y[1], y[2], y[3], y[0]}
	}
	width, back := degreesBetween(x[0], x[1]), degreesBetween(x[2], x[3])
	if y[0] != y[1] || y[2] != y[3] || degreesBetween(x[1], x[2]) != 0 || degreesBetween(x[3], x[0]) != 0 || width != -back || math.Abs(width) >= 180 {
		return r, false
	}
	r = rectangle{x[0], width, min(y[0], y[2]), max(y[0], y[2])}
	if width < 0 {
		r.west, r.width = x[1], -width
	}
	return r, true
}

// setRectangles makes cells rectangles.
func (c *cells) setRectangles(all []rectangle) {
	c.rectangles = all
	for i, r := range all {
		if c.parts[i] == nil {
			continue // it has no area, or is in no row
		}
		c.areas[i], c.boxes[i] = r.overlap(r), c.boxes[i].widened(r.width, r.south, r.north)
	}
}

// overlap returns the area on the sphere that two rectangles have in common.
func (r rectangle) overlap(o rectangle) float64 {
	south, north := max(r.south, o.south), min(r.north, o.north)
	start := degreesBetween(r.west, o.west)
	width := min(r.width, start+o.width) - max(0, start)
	if width <= 0 || north <= south {
		return 0
	}
	const degree = math.Pi / 180
	// The difference of the sines of both latitudes, which is precise for narrow rectangles, too.
	return width * degree * 2 * math.Cos((north+south)/2*degree) * math.Sin((north-south)/2*degree)
}
