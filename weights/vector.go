package weights

import "math"

// vector is a place: a unit vector on the sphere, and (x, y, 1) in the plane.
type vector [3]float64

// onSphere returns the place with a longitude and a latitude in degrees.
func onSphere(longitude, latitude float64) vector {
	sinX, cosX := sinCosDegrees(longitude)
	sinY, cosY := sinCosDegrees(latitude)
	return vector{cosY * cosX, cosY * sinX, sinY}
}

// sinCosDegrees is math.Sincos of degrees. It is exact at multiples of 90 degrees, so that corners at a pole, and on both
// sides of the date line, are one place.
func sinCosDegrees(degrees float64) (sin, cos float64) {
	d := math.Mod(degrees, 360)
	quarters := math.Round(d / 90)
	sin, cos = math.Sincos((d - 90*quarters) * (math.Pi / 180))
	switch int(quarters) & 3 {
	case 1:
		return cos, -sin
	case 2:
		return -sin, -cos
	case 3:
		return -cos, sin
	}
	return sin, cos
}

func (a vector) plus(b vector) vector { return vector{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }

func (a vector) minus(b vector) vector { return vector{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

func (a vector) times(f float64) vector { return vector{a[0] * f, a[1] * f, a[2] * f} }

func (a vector) dot(b vector) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

func (a vector) cross(b vector) vector {
	return vector{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

func (a vector) length() float64 { return math.Sqrt(a.dot(a)) }

// same reports whether two places are one but for rounding.
func same(a, b vector) bool {
	d := a.minus(b)
	return d.dot(d) <= 1e-30*max(1, a.dot(a))
}

// surface is the sphere or the plane.
type surface bool

const (
	sphere surface = false
	plane  surface = true
)

// project returns the place on the surface that has the direction of a vector.
func (s surface) project(a vector) vector {
	if s == plane {
		return a.times(1 / a[2])
	}
	return a.times(1 / a.length())
}

// distance returns the distance of two places: an angle on the sphere.
func (s surface) distance(a, b vector) float64 {
	chord := a.minus(b).length()
	if s == plane {
		return chord
	}
	return 2 * math.Asin(min(1, chord/2))
}

// area returns the area of a polygon, which is negative if its corners go round clockwise.
func (s surface) area(p polygon) float64 {
	sum := 0.0
	for i := 2; i < len(p); i++ {
		sum += s.triangle(p[0], p[i-1], p[i])
	}
	return sum
}

// triangle returns the area of a triangle, with the sign of its direction. Differences keep small triangles precise. On the
// sphere it is the formula of Eriksson, "On the measure of solid angles", Mathematics Magazine 63 (1990).
func (s surface) triangle(a, b, c vector) float64 {
	volume := a.dot(b.minus(a).cross(c.minus(a)))
	if s == plane {
		return volume / 2
	}
	return 2 * math.Atan2(volume, 1+a.dot(b)+b.dot(c)+c.dot(a))
}
