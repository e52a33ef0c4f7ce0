// Matmat is examples/dmi/matmat_dmi.c in Go: a matrix product C = A B. Each thread computes some rows of C. A and C have one page for the rows
// of each thread, B is one page.
//
//	dmimw -n 2 ./matmat 2 2 512
//
// NODES THREADS N: N is a multiple of NODES * THREADS. Every thread checks its rows with a vector.
package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/goacp/goacp/dmi"
)

// shared is what all threads use. It lies in global memory.
type shared struct {
	N                int64
	A, B, C, Barrier dmi.Addr
}

func main() { dmi.Main(dmi.Program{Main: start, Unit: multiply}) }

func start(n *dmi.Node, args []string) error {
	var numbers [3]int
	if len(args) != len(numbers) {
		return errors.New("expected NODES THREADS N")
	}
	for i, arg := range args {
		var err error
		if numbers[i], err = strconv.Atoi(arg); err != nil {
			return err
		}
	}
	nodes, threads, s := numbers[0], numbers[1], shared{N: int64(numbers[2])}
	all := int64(nodes * threads)
	if all <= 0 || s.N <= 0 || s.N%all != 0 {
		return fmt.Errorf("wrong N %d: expected a multiple of %d threads", s.N, all)
	}
	at, err := n.Map(dmi.Size[shared](), 1)
	for _, space := range []struct {
		at          *dmi.Addr
		size, pages int64
	}{{&s.A, s.N / all * s.N * 8, all}, {&s.B, s.N * s.N * 8, 1}, {&s.C, s.N / all * s.N * 8, all}, {&s.Barrier, dmi.BarrierSize, 1}} {
		if err == nil {
			*space.at, err = n.Map(space.size, space.pages)
		}
	}
	if err != nil {
		return err
	}
	return errors.Join(n.InitBarrier(s.Barrier), dmi.Store(n, at, s, dmi.Exclusive), n.Rescale(context.Background(), at, nodes, threads),
		n.DestroyBarrier(s.Barrier), n.Unmap(s.Barrier), n.Unmap(s.C), n.Unmap(s.B), n.Unmap(s.A), n.Unmap(at))
}

// element returns an element of A or B, the same wherever it is computed: integers from -4 to 4, so that sums are exact.
func element(which uint64, i, j int64) float64 {
	x := which*0x9e3779b97f4a7c15 + uint64(i)*0xbf58476d1ce4e5b9 + uint64(j)*0x94d049bb133111eb
	x ^= x >> 31
	x *= 0xd6e8feb86659fd93
	return float64((x>>40)%9) - 4
}

// fill returns a matrix of n rows.
func fill(which uint64, n int64) []float64 {
	m := make([]float64, n*n)
	for i := range m {
		m[i] = element(which, int64(i)/n, int64(i)%n)
	}
	return m
}

// multiply is one thread.
func multiply(t *dmi.Thread, rank, size int, at dmi.Addr) error {
	s, err := dmi.Load[shared](t.Node, at, dmi.Get)
	if err != nil {
		return err
	}
	barrier, err := t.Barrier(s.Barrier)
	if err != nil {
		return err
	}
	defer barrier.Close()
	meet := func() error { return barrier.Sync(context.Background(), size) }
	if rank == 0 { // it has the matrices at first
		err = errors.Join(dmi.WriteSlice(t.Node, s.A, fill(0, s.N), dmi.Exclusive), dmi.WriteSlice(t.Node, s.B, fill(1, s.N), dmi.Exclusive))
	}
	if err := errors.Join(err, meet()); err != nil {
		return err
	}
	begin := time.Now()
	rows := s.N / int64(size)
	first, mine := int64(rank)*rows, dmi.Addr(int64(rank)*rows*s.N*8)
	a, b, c := make([]float64, rows*s.N), make([]float64, s.N*s.N), make([]float64, rows*s.N)
	if err := errors.Join(dmi.ReadSlice(t.Node, s.A+mine, a, dmi.Get), dmi.ReadSlice(t.Node, s.B, b, dmi.Invalidate)); err != nil {
		return err
	}
	for i := range rows {
		row := c[i*s.N : (i+1)*s.N]
		for k, x := range a[i*s.N : (i+1)*s.N] {
			for j, y := range b[int64(k)*s.N : int64(k+1)*s.N] {
				row[j] += x * y
			}
		}
	}
	if err := errors.Join(dmi.WriteSlice(t.Node, s.C+mine, c, dmi.Exclusive), meet()); err != nil {
		return err
	}
	took := time.Since(begin)
	clear(c) // what the thread checks comes from global memory again
	if err := dmi.ReadSlice(t.Node, s.C+mine, c, dmi.Get); err != nil {
		return err
	}
	if err := errors.Join(check(c, first, s.N), meet()); err != nil || rank > 0 {
		return err
	}
	fmt.Printf("%d x %d by %d threads: the product is right; %.3f s\n", s.N, s.N, size, took.Seconds())
	return nil
}

// check returns an error unless A (B x) = C x for some rows of C, with a vector x.
func check(c []float64, first, n int64) error {
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = element(2, int64(i), 0)
	}
	for i := range y {
		for j := range x {
			y[i] += element(1, int64(i), int64(j)) * x[j]
		}
	}
	for i := range int64(len(c)) / n {
		left, right := 0.0, 0.0
		for j := range n {
			left += element(0, first+i, j) * y[j]
			right += c[i*n+j] * x[j]
		}
		if left != right {
			return fmt.Errorf("row %d of the product is wrong: %g, expected %g", first+i, right, left)
		}
	}
	return nil
}
