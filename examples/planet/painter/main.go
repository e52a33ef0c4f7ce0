// The painter of the planet: a program without MPI that writes a picture of the water and of the air at the end. The description of the
// run attaches it to both: neither program names it.
//
//	painter OCEAN-STEPS FOLDER FILE
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/couple"
)

const (
	columns, rows = 36, 18
	triangles     = 320
	width, height = 360, 180 // of each of two maps, one above the other
)

func main() {
	ctx := context.Background()
	p, err := acp.Init(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := paint(ctx, p); err != nil {
		fmt.Fprintln(os.Stderr, err)
		p.Abort(err.Error()) // the others cannot go on without this rank
		os.Exit(1)
	}
	if err := p.Finalize(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// paint receives the fields of the steps, and writes a picture of the last ones.
func paint(ctx context.Context, p *acp.Process) error {
	if len(os.Args) != 4 {
		return errors.New("usage: painter OCEAN-STEPS FOLDER FILE")
	}
	steps, err := strconv.Atoi(os.Args[1])
	if err != nil {
		return err
	}
	m, err := couple.NewModel(p, "painter", nil)
	if err != nil {
		return err
	}
	water, warmth := make([]float64, columns*rows), make([]float64, triangles)
	for i := range water {
		water[i] = math.NaN() // land keeps it
	}
	_, err = couple.NewField(m, "water", water, couple.Block{Grid: []int{rows, columns}, First: []int{0, 0}, Extent: []int{rows, columns}}, 1)
	_, err1 := couple.NewField(m, "warmth", warmth, couple.Ranges{{N: triangles}}, 1)
	if err := errors.Join(err, err1); err != nil {
		return err
	}
	links, err := m.Open(ctx)
	if err != nil {
		return err
	}
	first, err := firstStep(os.Args[2])
	if err != nil {
		return err
	}
	for step := first; step < first+steps; step++ {
		if err := links.Receive(ctx, step); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(os.Args[2], "painter.step"), []byte(strconv.Itoa(first+steps)), 0o644); err != nil {
		return err
	}
	least, most, err := write(os.Args[3], os.Args[2], water, warmth)
	if err != nil {
		return err
	}
	fmt.Printf("painter: %s after %d steps, %.3f to %.3f\n", filepath.Base(os.Args[3]), first+steps, least, most)
	return links.Close(ctx)
}

// firstStep returns the first step of this run: that behind the last one of a run before.
func firstStep(folder string) (int, error) {
	text, err := os.ReadFile(filepath.Join(folder, "painter.step"))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(string(text))
}

// write writes a map of the water and one of the air, and returns the least and the greatest value of both.
func write(file, folder string, water, warmth []float64) (least, most float64, err error) {
	air, err := os.Open(filepath.Join(folder, "air.grid"))
	if err != nil {
		return 0, 0, err
	}
	defer air.Close()
	cells := make([][4]float64, triangles) // longitude, latitude, area and fraction
	if err := binary.Read(air, binary.LittleEndian, cells); err != nil {
		return 0, 0, err
	}
	least, most = math.Inf(1), math.Inf(-1)
	for _, x := range append(append([]float64(nil), water...), warmth...) {
		if !math.IsNaN(x) {
			least, most = min(least, x), max(most, x)
		}
	}
	picture := image.NewRGBA(image.Rect(0, 0, width, 2*height))
	for y := range height {
		for x := range width {
			i := (height-1-y)*rows/height*columns + x*columns/width
			picture.Set(x, y, shade(water[i], least, most))
			picture.Set(x, height+y, shade(warmth[nearest(cells, float64(x)+0.5, 89.5-float64(y))], least, most))
		}
	}
	f, err := os.Create(file)
	if err != nil {
		return 0, 0, err
	}
	return least, most, errors.Join(png.Encode(f, picture), f.Close())
}

// nearest returns the triangle whose middle is next to a place.
func nearest(cells [][4]float64, longitude, latitude float64) (best int) {
	const degree = math.Pi / 180
	near := -2.0
	for i, c := range cells {
		cosine := math.Sin(latitude*degree)*math.Sin(c[1]*degree) + math.Cos(latitude*degree)*math.Cos(c[1]*degree)*math.Cos((longitude-c[0])*degree)
		if cosine > near {
			best, near = i, cosine
		}
	}
	return best
}

// shade returns a color from blue to red, and brown for land.
func shade(x, least, most float64) color.RGBA {
	if math.IsNaN(x) {
		return color.RGBA{120, 90, 60, 255}
	}
	t := 0.5
	if most > least {
		t = (x - least) / (most - least)
	}
	return color.RGBA{uint8(255 * t), uint8(160 * (1 - math.Abs(2*t-1))), uint8(255 * (1 - t)), 255}
}
