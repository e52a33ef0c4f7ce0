// Mandelbrot computes a picture of the Mandelbrot set by all ranks of all jobs. The rows
// are work in a queue, a deque on rank 0, from which every rank takes as much as it
// manages; the picture grows in a vector on rank 0, which compares it with what it
// computes alone, and writes a PNG.
//
//	acpgo -o mandelbrot_go ./mandelbrot
//	macpcc -o mandelbrot_macp mandelbrot_macp.c
//	macprun mandelbrot/mandelbrot.inputfile
//
// The options of rank 0 count.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"math"
	"os"
	"slices"

	"github.com/goacp/goacp/acp"
)

func main() {
	v := view{}
	flag.IntVar(&v.width, "width", 768, "points of a row")
	flag.IntVar(&v.height, "height", 512, "rows")
	flag.IntVar(&v.limit, "limit", 1000, "iterations after which a point counts as inside")
	rows := flag.Int("rows", 8, "rows of a piece of work")
	output := flag.String("o", "mandelbrot.png", "where the picture goes")
	flag.Parse()
	if min(v.width, v.height, v.limit, *rows) < 1 || v.limit > math.MaxUint16 {
		fmt.Fprintln(os.Stderr, "mandelbrot: sizes are at least 1, and -limit is 65535 at most")
		os.Exit(2)
	}
	p, err := acp.Init(context.Background())
	if err == nil {
		if err = run(p, v, *rows, *output); err != nil {
			p.Abort(err.Error())
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mandelbrot:", err)
		os.Exit(1)
	}
}

func run(p *acp.Process, v view, rows int, output string) error {
	w, err := newWorker(p)
	if err == nil && p.Rank() == 0 {
		err = w.prepare(v, rows)
	}
	if err == nil {
		err = w.join()
	}
	if err == nil {
		err = w.work()
	}
	if err == nil {
		fmt.Printf("rank %d, in Go: %d rows\n", p.Rank(), w.rows)
		err = p.Sync()
	}
	if err == nil && p.Rank() == 0 {
		err = w.finish(output)
	}
	if err != nil {
		return err
	}
	return p.Finalize()
}

// finish checks the picture and writes it.
func (w *worker) finish(output string) error {
	points, err := w.image.Slice()
	if err != nil {
		return err
	}
	if w.own.board.Rows != uint64(w.view.height) || !slices.Equal(points, w.view.compute()) {
		return fmt.Errorf("the picture of %d rows is not what one process computes", w.own.board.Rows)
	}
	f, err := os.Create(output)
	if err != nil {
		return err
	}
	if err := errors.Join(png.Encode(f, w.view.picture(points)), f.Close()); err != nil {
		return err
	}
	fmt.Printf("%d x %d points by %d ranks, the same as by one: %s\n", w.view.width, w.view.height, w.p.Procs(), output)
	return errors.Join(w.queue.Destroy(), w.image.Destroy())
}
