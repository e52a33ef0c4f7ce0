// Grids makes the files that the models of the planet need: the weights between the grid of the ocean and the mesh of the
// atmosphere, in both directions, and what each model knows of its own points.
//
//	grids FOLDER
//
// The ocean has 36 x 18 cells of longitude and latitude, some of which are land. The atmosphere has 320 triangles: those of an
// icosahedron, each divided twice into four.
package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/goacp/goacp/weights"
)

const (
	columns = 36
	rows    = 18
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: grids FOLDER")
		os.Exit(2)
	}
	if err := makeFiles(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "grids:", err)
		os.Exit(1)
	}
}

func makeFiles(folder string) error {
	ocean, air := oceanGrid(), airMesh()
	down, err := weights.Make(air, ocean, weights.Options{Method: weights.Conservative})
	if err != nil {
		return err
	}
	up, err := weights.Make(ocean, air, weights.Options{Method: weights.Conservative})
	if err != nil {
		return err
	}
	wet := make([]float64, ocean.Len())
	for i, valid := range ocean.Mask {
		if valid {
			wet[i] = 1
		}
	}
	for name, write := range map[string]func(io.Writer) error{
		"air-ocean.nc": down.WriteNetCDF,
		"ocean-air.nc": up.WriteNetCDF,
		"ocean.grid":   func(w io.Writer) error { return binary.Write(w, binary.LittleEndian, points(ocean, down.ToArea, wet)) },
		"air.grid": func(w io.Writer) error {
			return binary.Write(w, binary.LittleEndian, points(air, up.ToArea, up.ToFraction))
		},
	} {
		if err := create(filepath.Join(folder, name), write); err != nil {
			return err
		}
	}
	return nil
}

func create(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// points returns longitude, latitude, area and covered fraction of each point, in turn.
func points(g *weights.Grid, areas, fractions []float64) (all []float64) {
	for i := range g.X {
		all = append(all, g.X[i], g.Y[i], areas[i], fractions[i])
	}
	return all
}

// oceanGrid returns the grid of the ocean, with three continents.
func oceanGrid() *weights.Grid {
	g := &weights.Grid{Name: "ocean", Sizes: []int{rows, columns}, Corners: 4}
	const size = 360.0 / columns
	for j := range rows {
		for i := range columns {
			west, south := float64(i)*size, -90+float64(j)*size
			x, y := west+size/2, south+size/2
			g.X, g.Y = append(g.X, x), append(g.Y, y)
			g.CornerX = append(g.CornerX, west, west+size, west+size, west)
			g.CornerY = append(g.CornerY, south, south, south+size, south+size)
			land := math.Sin(3*x*math.Pi/180)*math.Cos(y*math.Pi/120) > 0.55 || y < -70
			g.Mask = append(g.Mask, !land)
		}
	}
	return g
}

// airMesh returns the triangles of the atmosphere.
func airMesh() *weights.Grid {
	type point [3]float64
	unit := func(p point) point {
		n := math.Sqrt(p[0]*p[0] + p[1]*p[1] + p[2]*p[2])
		return point{p[0] / n, p[1] / n, p[2] / n}
	}
	middle := func(p, q point) point { return unit(point{p[0] + q[0], p[1] + q[1], p[2] + q[2]}) }
	// The corners of an icosahedron: the poles, and five points on a circle north and south of the equator.
	corner := func(i int) point {
		switch i {
		case 0:
			return point{0, 0, 1}
		case 11:
			return point{0, 0, -1}
		}
		z := 1 / math.Sqrt(5)
		angle := 2 * math.Pi / 5 * float64(i-1)
		if i > 5 {
			z, angle = -z, 2*math.Pi/5*(float64(i-6)+0.5)
		}
		return point{2 / math.Sqrt(5) * math.Cos(angle), 2 / math.Sqrt(5) * math.Sin(angle), z}
	}
	var triangles [][3]point
	add := func(a, b, c int) { triangles = append(triangles, [3]point{corner(a), corner(b), corner(c)}) }
	for i := range 5 {
		next := (i + 1) % 5
		add(0, 1+i, 1+next)
		add(1+i, 6+i, 1+next)
		add(1+next, 6+i, 6+next)
		add(11, 6+next, 6+i)
	}
	for range 2 {
		var smaller [][3]point
		for _, t := range triangles {
			ab, bc, ca := middle(t[0], t[1]), middle(t[1], t[2]), middle(t[2], t[0])
			smaller = append(smaller, [3]point{t[0], ab, ca}, [3]point{ab, t[1], bc}, [3]point{ca, bc, t[2]}, [3]point{ab, bc, ca})
		}
		triangles = smaller
	}
	g := &weights.Grid{Name: "air", Corners: 3}
	degrees := func(p point) (x, y float64) {
		return math.Atan2(p[1], p[0]) * 180 / math.Pi, math.Asin(max(-1, min(p[2], 1))) * 180 / math.Pi
	}
	for _, t := range triangles {
		x, y := degrees(unit(point{t[0][0] + t[1][0] + t[2][0], t[0][1] + t[1][1] + t[2][1], t[0][2] + t[1][2] + t[2][2]}))
		g.X, g.Y = append(g.X, x), append(g.Y, y)
		for _, c := range t {
			x, y := degrees(c)
			g.CornerX, g.CornerY = append(g.CornerX, x), append(g.CornerY, y)
		}
	}
	return g
}
