package main

import (
	"image"
	"image/color"
	"image/png"
	"os"
)

// Sizes in pixels: the lake is on the left, the air on the right.
const (
	side = 240
	gap  = 8
)

// Temperatures of the darkest blue and the darkest red.
const (
	coldest = 4.0
	hottest = 26.0
)

// shades is the number of colours.
const shades = 128

// canvas knows of which triangle and which cell each pixel of a square shows the temperature.
type canvas struct {
	triangle, cell []int
}

// newCanvas returns the canvas for triangles with some corners, and a grid, both of which cover the unit square.
func newCanvas(corners []float64, columns, rows int) canvas {
	c := canvas{make([]int, side*side), make([]int, side*side)}
	for i := range c.cell {
		c.cell[i] = i/side*rows/side*columns + i%side*columns/side
	}
	for t := range len(corners) / 6 {
		v := corners[6*t:][:6]
		for y := pixel(min(v[1], v[3], v[5])); y <= pixel(max(v[1], v[3], v[5])); y++ {
			for x := pixel(min(v[0], v[2], v[4])); x <= pixel(max(v[0], v[2], v[4])); x++ {
				if within(v, (float64(x)+0.5)/side, (float64(y)+0.5)/side) {
					c.triangle[y*side+x] = t
				}
			}
		}
	}
	return c
}

// pixel returns the pixel at a place from 0 to 1.
func pixel(at float64) int { return min(max(int(at*side), 0), side-1) }

// within reports whether a point lies in a triangle, whose corners go round to the left.
func within(v []float64, x, y float64) bool {
	for i := range 3 {
		ax, ay, bx, by := v[2*i], v[2*i+1], v[(2*i+2)%6], v[(2*i+3)%6]
		if (bx-ax)*(y-ay)-(by-ay)*(x-ax) < 0 {
			return false
		}
	}
	return true
}

// palette goes from blue over white to red.
func palette() color.Palette {
	p := make(color.Palette, shades)
	for i := range p {
		s := 2*float64(i)/(shades-1) - 1
		pale := uint8(255 * (1 - max(s, -s)))
		switch {
		case s < 0:
			p[i] = color.RGBA{pale, pale, 255, 255}
		default:
			p[i] = color.RGBA{255, pale, pale, 255}
		}
	}
	return append(p, color.White)
}

// shade returns the number of the colour of a temperature.
func shade(t float64) uint8 {
	return uint8(min(max((t-coldest)/(hottest-coldest), 0), 1) * (shades - 1))
}

// draw returns the picture of the temperatures of triangles and cells. The first row is at the bottom.
func (c *canvas) draw(lake, air []float64) *image.Paletted {
	p := image.NewPaletted(image.Rect(0, 0, 2*side+gap, side), palette())
	for i := range p.Pix {
		p.Pix[i] = shades
	}
	for i := range c.cell {
		x, y := i%side, side-1-i/side
		p.SetColorIndex(x, y, shade(lake[c.triangle[i]]))
		p.SetColorIndex(side+gap+x, y, shade(air[c.cell[i]]))
	}
	return p
}

// write writes the picture of temperatures into a file.
func (c *canvas) write(name string, lake, air []float64) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := png.Encode(f, c.draw(lake, air)); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
