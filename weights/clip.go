package weights

// polygon is corners that edges join, counterclockwise.
type polygon []vector

// edge returns the normal of the plane through an edge from a to b and the origin. What is to the left of the edge
// has a positive product with it. The sum and the difference make it precise for short edges.
func edge(a, b vector) vector { return a.plus(b).cross(b.minus(a)) }

// convex reports whether the edges turn to the right at no corner.
func (p polygon) convex() bool {
	n := len(p)
	for i := range p {
		normal := edge(p[i], p[(i+1)%n])
		// The corners beside an edge may be on it but for rounding. A short edge may turn away from the one before it, too.
		for _, corner := range [2]vector{p[(i+2)%n], p[(i+n-1)%n]} {
			if normal.dot(corner.minus(p[i])) < -1e-12*normal.length() {
				return false
			}
		}
	}
	return true
}

// clipper clips polygons. It keeps the memory of the last one.
type clipper struct {
	surface surface
	memory  [2]polygon
}

// clip returns the part of a polygon that is within a convex one. It is valid until the next call. It clips at
// one edge after the other (Sutherland and Hodgman, "Reentrant polygon clipping", Communications of the ACM 17 (1974)).
func (c *clipper) clip(subject, convex polygon) polygon {
	in := append(c.memory[0][:0], subject...)
	out := c.memory[1][:0]
	for i, a := range convex {
		b := convex[(i+1)%len(convex)]
		normal := edge(a, b)
		out = out[:0]
		for j, q := range in {
			p := in[(j+len(in)-1)%len(in)]
			// The edge has the product 0, so the difference is precise near it.
			before, after := normal.dot(p.minus(a)), normal.dot(q.minus(a))
			if before < 0 && after > 0 || before > 0 && after < 0 {
				out = append(out, c.between(p, q, before, after))
			}
			if after >= 0 {
				out = append(out, q)
			}
		}
		in, out = out, in
		if len(in) < 3 {
			in = in[:0]
			break
		}
	}
	c.memory = [2]polygon{in, out}
	return in
}

// between returns the place between p and q where the distances from an edge, which have different signs, become 0.
func (c *clipper) between(p, q vector, before, after float64) vector {
	if before < 0 {
		before = -before
	} else {
		after = -after
	}
	return c.surface.project(p.times(after / (before + after)).plus(q.times(before / (before + after))))
}

// part is a convex polygon. A polygon is the sum of its parts, of which some may have the sign -1.
type part struct {
	polygon
	sign float64
}

// parts returns the parts of a polygon: itself, or triangles if it is not convex.
func (p polygon) parts(s surface) []part {
	if p.convex() {
		return []part{{p, 1}}
	}
	var all []part
	for i := 2; i < len(p); i++ {
		t := part{polygon{p[0], p[i-1], p[i]}, 1}
		if s.triangle(t.polygon[0], t.polygon[1], t.polygon[2]) < 0 {
			t.polygon[1], t.polygon[2], t.sign = t.polygon[2], t.polygon[1], -1
		}
		all = append(all, t)
	}
	return all
}

// overlap returns the area that two cells have in common.
func (c *clipper) overlap(a, b []part) float64 {
	sum := 0.0
	for _, p := range a {
		for _, q := range b {
			if common := c.clip(p.polygon, q.polygon); len(common) > 2 {
				sum += p.sign * q.sign * c.surface.area(common)
			}
		}
	}
	return sum
}
