// Command shared_armci is in an ARMCI world with shared_armci.c, which does the same: each process
// adds to the matrices of all, one column each, counts at process 0, passes a mutex on, and sends the
// next process its number.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/armci"
)

const rows = 4

func main() {
	log.SetFlags(0)
	p, err := acp.Init(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	if err := share(p); err != nil {
		p.Abort(err.Error())
		log.Fatal(err)
	}
	if err := p.Finalize(); err != nil {
		log.Fatal(err)
	}
}

// share is the part of one process.
func share(p *acp.Process) error {
	w, err := armci.Open(p, armci.Config{Ranks: armci.Run(p)})
	if err != nil {
		return err
	}
	matrix, err := armci.Malloc[float64](w, rows*w.Procs())
	if err != nil {
		return err
	}
	counters := 0
	if w.Proc() == 0 {
		counters = 1
	}
	count, err := armci.Malloc[int](w, counters)
	if err != nil {
		return err
	}
	locks, err := armci.NewMutexes(w, 1)
	if err != nil {
		return err
	}
	if err := errors.Join(addColumns(w, matrix), addCount(w, locks, count.On(0)), w.Barrier()); err != nil {
		return err
	}
	for i, got := range matrix.Local() {
		if want := float64(2 * (i/w.Procs() + i%w.Procs())); got != want {
			return fmt.Errorf("element %d is %v, want %v", i, got, want)
		}
	}
	n, err := armci.GetValue(w, count.On(0))
	if err != nil {
		return err
	}
	if err := talk(w); err != nil {
		return err
	}
	fmt.Printf("process %d in Go: %d\n", w.Proc(), n)
	return errors.Join(locks.Destroy(), count.Free(), matrix.Free(), w.Close())
}

// addColumns adds the column of this process to the matrices of all.
func addColumns(w *armci.World, matrix *armci.Memory[float64]) error {
	column := make([]float64, rows)
	for row := range column {
		column[row] = float64(w.Proc() + row)
	}
	there := armci.Layout{Offset: w.Proc(), Shape: []int{rows}, Strides: []int{w.Procs()}}
	for proc := range w.Procs() {
		dst := armci.RemoteSection[float64]{Data: matrix.On(proc), Layout: there}
		if err := armci.AccSection(w, 2, dst, armci.Section[float64]{Data: column, Layout: armci.Dense(rows)}); err != nil {
			return err
		}
	}
	return nil
}

// addCount adds the number of this process, and one, to a number of process 0.
func addCount(w *armci.World, locks *armci.Mutexes, count armci.Remote[int]) error {
	last := w.Procs() - 1
	if err := locks.Lock(0, last); err != nil {
		return err
	}
	n, err := armci.GetValue(w, count)
	if err != nil {
		return err
	}
	return errors.Join(armci.PutValue(w, count, n+w.Proc()+1), locks.Unlock(0, last))
}

// talk adds up the numbers of all processes, and sends the next process the number of this process.
func talk(w *armci.World) error {
	self, procs := w.Proc(), w.Procs()
	sum, got := []int{self}, []int32{0}
	if err := armci.Reduce(w, armci.Sum, sum); err != nil || sum[0] != procs*(procs-1)/2 {
		return fmt.Errorf("the sum is %d: %w", sum[0], err)
	}
	if err := armci.Send(w, (self+1)%procs, 5, []int32{int32(self)}); err != nil {
		return err
	}
	best := []int{200, self} // as the other program has it: with the key
	if winner, err := armci.Select(w, armci.Max, best[0], true, best); err != nil || winner != 2 || best[1] != 2 {
		return fmt.Errorf("process %d has the greatest, %d: %w", winner, best, err)
	}
	previous := (self + procs - 1) % procs
	if n, err := armci.Recv(w, previous, 5, got); err != nil || n != 1 || int(got[0]) != previous {
		return fmt.Errorf("%d elements from process %d, want %d: %w", n, got[0], previous, err)
	}
	return nil
}
