// Mandel is examples/dmi/mandel_dmi.c in Go: the Mandelbrot set. Threads take bands of rows one after the other.
//
//	dmimw -n 2 ./mandel 2 2 640 480 48 1000 0
//
// NODES THREADS WIDTH HEIGHT TASKS LIMIT DRAW: the rows are cut into TASKS bands, LIMIT is the largest number of iterations, and with DRAW 1
// process 0 writes the image to mandel.pgm. The image is compared with one that a single thread computes.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/goacp/goacp/dmi"
)

// shared is what all threads use. It lies in global memory.
type shared struct {
	Width, Height, Tasks, Limit int64
	Next, Image                 dmi.Addr
}

func main() { dmi.Main(dmi.Program{Main: start, Unit: compute}) }

// iterations returns the number of iterations of a point. The conversions keep processors from rounding a product and a sum at once.
func (s *shared) iterations(column, row int64) int32 {
	x0, y0 := -2+float64(3*float64(column)/float64(s.Width)), -1+float64(2*float64(row)/float64(s.Height))
	x, y, n := 0.0, 0.0, int64(0)
	for ; n < s.Limit && float64(x*x)+float64(y*y) <= 4; n++ {
		x, y = float64(x*x)-float64(y*y)+x0, float64(2*x*y)+y0
	}
	return int32(n)
}

// firstRow returns the first row of a band. The first bands have one row more if the rows do not come out even.
func (s *shared) firstRow(task int64) int64 {
	return task*(s.Height/s.Tasks) + min(task, s.Height%s.Tasks)
}

func start(n *dmi.Node, args []string) error {
	var numbers [7]int64
	if len(args) != len(numbers) {
		return errors.New("expected NODES THREADS WIDTH HEIGHT TASKS LIMIT DRAW")
	}
	for i, arg := range args {
		var err error
		if numbers[i], err = strconv.ParseInt(arg, 10, 32); err != nil || i < 6 && numbers[i] < 1 {
			return fmt.Errorf("%s: expected a number greater than 0", arg)
		}
	}
	s := shared{Width: numbers[2], Height: numbers[3], Tasks: numbers[4], Limit: numbers[5]}
	at, err := n.Map(dmi.Size[shared](), 1)
	if err != nil {
		return err
	}
	if s.Next, err = n.Map(8, 1); err != nil {
		return err
	}
	if s.Image, err = n.Map(4*s.Width, s.Height); err != nil {
		return err
	}
	image := make([]int32, s.Width*s.Height)
	if err := errors.Join(dmi.Store(n, at, s, dmi.Exclusive), n.Rescale(context.Background(), at, int(numbers[0]), int(numbers[1])),
		dmi.ReadSlice(n, s.Image, image, dmi.Get)); err != nil {
		return err
	}
	sum := int64(0)
	for i, found := range image {
		column, row := int64(i)%s.Width, int64(i)/s.Width
		if found != s.iterations(column, row) {
			return fmt.Errorf("column %d of row %d is wrong: %d", column, row, found)
		}
		sum += int64(found)
	}
	fmt.Printf("%d x %d: the image is right, %d iterations\n", s.Width, s.Height, sum)
	if numbers[6] == 1 {
		err = s.draw(image)
	}
	return errors.Join(err, n.Unmap(s.Image), n.Unmap(s.Next), n.Unmap(at))
}

// draw writes the image to a file.
func (s *shared) draw(image []int32) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "P5\n%d %d\n255\n", s.Width, s.Height)
	for _, n := range image {
		if int64(n) == s.Limit {
			b.WriteByte(0)
		} else {
			b.WriteByte(byte(255 - n%128))
		}
	}
	return os.WriteFile("mandel.pgm", b.Bytes(), 0o644)
}

// compute is one thread.
func compute(t *dmi.Thread, _, _ int, at dmi.Addr) error {
	s, err := dmi.Load[shared](t.Node, at, dmi.Get)
	if err != nil {
		return err
	}
	for {
		task, err := t.FetchAdd(s.Next, 1, dmi.Put)
		if err != nil || task >= s.Tasks {
			return err
		}
		first, end := s.firstRow(task), s.firstRow(task+1)
		band := make([]int32, (end-first)*s.Width)
		for i := range band {
			band[i] = s.iterations(int64(i)%s.Width, first+int64(i)/s.Width)
		}
		if err := dmi.WriteSlice(t.Node, s.Image+dmi.Addr(4*first*s.Width), band, dmi.Exclusive); err != nil {
			return err
		}
	}
}
