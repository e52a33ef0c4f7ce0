package main

import "testing"

func TestIterations(t *testing.T) {
	v := view{width: 300, height: 200, limit: 500}
	const one = 1 << fraction
	for _, c := range []struct {
		x, y int64
		want uint16
	}{
		{0, 0, 500}, {-one, 0, 500}, {-one / 8, 3 * one / 4, 500}, // inside
		{2 * one, 0, 2}, {one, 0, 3}, {-9 * one / 4, 5 * one / 4, 1}, // outside
	} {
		if got := v.iterations(c.x, c.y); got != c.want {
			t.Errorf("%v%+vi: %d iterations, expected %d", float64(c.x)/one, float64(c.y)/one, got, c.want)
		}
	}
	points := v.compute()
	inside, different := 0, 0
	for i, n := range points {
		row, column := i/v.width, i%v.width
		if mirrored := points[(v.height-1-row)*v.width+column]; n != mirrored {
			different++ // by rounding
		}
		if int(n) == v.limit {
			inside++
		}
	}
	if different > len(points)/100 {
		t.Errorf("%d of %d points differ from their mirror images", different, len(points))
	}
	// The area of the set is 1.506.
	if area := float64(inside) * 3 * 2 / float64(len(points)); area < 1.49 || area > 1.55 {
		t.Errorf("the area is %v", area)
	}
}
