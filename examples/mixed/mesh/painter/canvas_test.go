package main

import "testing"

// TestCanvas: each pixel has the colour of what lies there. Two triangles are below and above the diagonal from the lower
// left corner.
func TestCanvas(t *testing.T) {
	c := newCanvas([]float64{0, 0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1}, 2, 1)
	p := c.draw([]float64{coldest, hottest}, []float64{hottest, coldest})
	for _, test := range []struct {
		x, y int
		want uint8
	}{
		{side - 10, side - 5, 0},        // the lower triangle
		{5, 10, shades - 1},             // the upper one
		{side + gap/2, 100, shades},     // between both pictures
		{side + gap, 0, shades - 1},     // the left cell
		{2*side + gap - 1, side - 1, 0}, // the right one
		{side + gap + side/2 - 1, 50, shades - 1},
		{side + gap + side/2, 50, 0},
	} {
		if got := p.ColorIndexAt(test.x, test.y); got != test.want {
			t.Errorf("pixel %d, %d has colour %d, want %d", test.x, test.y, got, test.want)
		}
	}
}

// TestShade: the coldest and the hottest colours stand for all that is beyond.
func TestShade(t *testing.T) {
	for temperature, want := range map[float64]uint8{coldest - 5: 0, coldest: 0, hottest: shades - 1, hottest + 5: shades - 1} {
		if got := shade(temperature); got != want {
			t.Errorf("%v has shade %d, want %d", temperature, got, want)
		}
	}
}
