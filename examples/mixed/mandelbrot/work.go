package main

import (
	"errors"
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"github.com/goacp/goacp/acp"
)

// band is a piece of work: some rows of the picture.
type band struct{ First, Rows uint32 }

// board is what all ranks read on rank 0. mandelbrot_macp.c has the same.
type board struct {
	Lock   uint64 // 1 while a rank has the queue to itself
	Rows   uint64 // computed so far
	Queue  acp.GA // deque of bands
	Image  acp.GA // vector of the iterations of all points, 16 bits each
	Width  uint64
	Height uint64
	Limit  uint64
}

// starter is how ranks use their starter memory.
type starter struct {
	board board  // of rank 0
	copy  board  // of that of rank 0
	old   uint64 // receives what atomics find
}

// worker is a rank that computes bands.
type worker struct {
	p     *acp.Process
	own   *starter
	here  acp.GA // starter memory of this rank
	root  acp.GA // and of rank 0
	queue *acp.Deque[band]
	image *acp.Vector[uint16]
	view  view
	rows  int // computed by this rank
}

// newWorker makes a worker. Rank 0 calls prepare, and all join.
func newWorker(p *acp.Process) (*worker, error) {
	if n := len(p.Starter()); n < int(unsafe.Sizeof(starter{})) {
		return nil, fmt.Errorf("starter memory of %d bytes is too small", n)
	}
	here, err1 := p.StarterGA(p.Rank())
	root, err2 := p.StarterGA(0)
	own := (*starter)(unsafe.Pointer(unsafe.SliceData(p.Starter())))
	return &worker{p: p, own: own, here: here, root: root}, errors.Join(err1, err2)
}

// prepare makes the picture and the queue with all bands, each of some rows.
func (w *worker) prepare(v view, rows int) error {
	image, err1 := acp.NewVector[uint16](w.p, v.width*v.height, 0)
	queue, err2 := acp.NewDeque[band](w.p, v.height/rows+1, 0)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	for first := 0; first < v.height; first += rows {
		if err := queue.PushBack(band{uint32(first), uint32(min(rows, v.height-first))}); err != nil {
			return err
		}
	}
	w.own.board = board{
		Queue: queue.Address(), Image: image.Address(),
		Width: uint64(v.width), Height: uint64(v.height), Limit: uint64(v.limit),
	}
	return nil
}

// join finds out what there is to be done, when rank 0 has prepared it.
func (w *worker) join() error {
	if err := w.p.Sync(); err != nil {
		return err
	}
	b := &w.own.copy
	err := w.copy(w.here+acp.GA(unsafe.Offsetof(w.own.copy)), w.root, uint64(unsafe.Sizeof(*b)))
	if err != nil {
		return err
	}
	w.view = view{int(b.Width), int(b.Height), int(b.Limit)}
	w.queue, err = acp.DequeAt[band](w.p, b.Queue)
	if err == nil {
		w.image, err = acp.VectorAt[uint16](w.p, b.Image)
	}
	return err
}

// copy is a copy that is complete on return.
func (w *worker) copy(dst, src acp.GA, n uint64) error {
	return w.done(w.p.Copy(dst, src, n, acp.HandleNull))
}

func (w *worker) done(h acp.Handle, err error) error {
	if err != nil {
		return err
	}
	return w.p.Complete(h)
}

// work computes bands until there are none.
func (w *worker) work() error {
	for {
		b, err := w.next()
		if errors.Is(err, acp.ErrEmpty) {
			return nil
		}
		if err == nil {
			err = w.compute(b)
		}
		if err != nil {
			return err
		}
	}
}

// next takes a band out of the queue, which this rank has to itself meanwhile.
func (w *worker) next() (band, error) {
	old := w.here + acp.GA(unsafe.Offsetof(w.own.old))
	for looks := 0; ; looks++ {
		if err := w.done(w.p.Cas8(old, w.root, 0, 1, acp.HandleNull)); err != nil {
			return band{}, err
		}
		if w.own.old == 0 {
			break
		}
		if looks < 20 {
			runtime.Gosched()
		} else {
			time.Sleep(50 * time.Microsecond)
		}
	}
	b, err := w.queue.PopFront()
	return b, errors.Join(err, w.done(w.p.Swap8(old, w.root, 0, acp.HandleNull)))
}

// compute computes a band and puts it into the picture.
func (w *worker) compute(b band) error {
	n := w.view.width * int(b.Rows)
	ga, err := w.p.Malloc(2*uint64(n), w.p.Rank())
	if err != nil {
		return err
	}
	addr, err := w.p.QueryAddress(ga)
	if err != nil {
		return err
	}
	points := unsafe.Slice((*uint16)(addr), n)
	for row := range int(b.Rows) {
		w.view.row(points[row*w.view.width:(row+1)*w.view.width], int(b.First)+row)
	}
	to, err := w.image.Bytes().Locate(2 * w.view.width * int(b.First))
	if err == nil {
		err = w.copy(to, ga, 2*uint64(n))
	}
	if err == nil {
		old := w.here + acp.GA(unsafe.Offsetof(w.own.old))
		err = w.done(w.p.Add8(old, w.root+acp.GA(unsafe.Offsetof(w.own.board.Rows)), uint64(b.Rows), acp.HandleNull))
	}
	w.rows += int(b.Rows)
	return errors.Join(err, w.p.Free(ga))
}
