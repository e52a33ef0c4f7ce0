package main

import (
	"image"
	"image/color"
)

// view is which part of the plane is computed, and how exactly. Numbers have 28 bits behind
// the point, so that every program computes the same, whatever its compiler does.
type view struct {
	width, height int // points
	limit         int // iterations
}

const (
	fraction = 28
	left     = -9 << (fraction - 2) // -2.25
	across   = 3 << fraction
)

// row returns the iterations of each point of a row.
func (v view) row(points []uint16, row int) {
	step := int64(across / v.width)
	y := int64(2*row+1-v.height) * step / 2
	for i := range points {
		points[i] = v.iterations(left+int64(i)*step, y)
	}
}

// iterations returns how many it takes for a point to be known to be outside, or the limit.
func (v view) iterations(cx, cy int64) uint16 {
	var x, y int64
	for n := range v.limit {
		xx, yy := x*x>>fraction, y*y>>fraction
		if xx+yy > 4<<fraction {
			return uint16(n)
		}
		x, y = xx-yy+cx, (x*y>>(fraction-1))+cy
	}
	return uint16(v.limit)
}

// compute returns the whole picture, as one process computes it.
func (v view) compute() []uint16 {
	points := make([]uint16, v.width*v.height)
	for row := range v.height {
		v.row(points[row*v.width:(row+1)*v.width], row)
	}
	return points
}

// picture returns the points in colours: black inside, and outside the brighter the nearer.
func (v view) picture(points []uint16) image.Image {
	m := image.NewNRGBA(image.Rect(0, 0, v.width, v.height))
	for i, n := range points {
		c := color.NRGBA{A: 255}
		if int(n) < v.limit {
			c.R, c.G, c.B = uint8(min(255, 4*int(n))), uint8(min(255, 12*int(n))), uint8(min(255, 60+20*int(n)))
		}
		m.SetNRGBA(i%v.width, i/v.width, c)
	}
	return m
}
