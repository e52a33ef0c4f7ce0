package main

import "github.com/goacp/goacp/armci"

// block is the rows and columns of the blocks into which the matrices are cut.
const block = 32

// product is c = a * b. A row of blocks belongs to one process, the next row to the next one.
type product struct {
	w       *armci.World
	size    int
	a, b, c *armci.Memory[float64]
	counter *armci.Memory[int]
}

// blocks returns the blocks along each side.
func (x *product) blocks() int { return (x.size + block - 1) / block }

// extent returns the rows or columns of a block.
func (x *product) extent(i int) int { return min(block, x.size-i*block) }

// make allocates the matrices and the counter, and sets a and b.
func (x *product) make() (err error) {
	rows := (x.blocks() + x.w.Procs() - 1 - x.w.Proc()) / x.w.Procs() * block
	for _, m := range []**armci.Memory[float64]{&x.a, &x.b, &x.c} {
		if *m, err = armci.Malloc[float64](x.w, rows*x.size); err != nil {
			return err
		}
	}
	if x.counter, err = armci.Malloc[int](x.w, 1); err != nil {
		return err
	}
	for row := range x.size {
		if row/block%x.w.Procs() != x.w.Proc() {
			continue
		}
		first := (row/block/x.w.Procs()*block + row%block) * x.size
		for column := range x.size {
			x.a.Local()[first+column] = left(row, column)
			x.b.Local()[first+column] = right(row, column)
		}
	}
	return x.w.Barrier()
}

// there returns a block of a matrix, in its owner.
func (x *product) there(m *armci.Memory[float64], row, column int) armci.RemoteSection[float64] {
	first := row / x.w.Procs() * block * x.size
	return armci.RemoteSection[float64]{Data: m.On(row % x.w.Procs()), Layout: armci.Layout{
		Offset: first + column*block, Shape: []int{x.extent(row), x.extent(column)}, Strides: []int{x.size, 1},
	}}
}

// here returns memory of this process for a block.
func (x *product) here(row, column int) armci.Section[float64] {
	return armci.Section[float64]{Data: make([]float64, block*block), Layout: armci.Dense(x.extent(row), x.extent(column))}
}

// work carries out tasks until none is left, and returns how many it was.
func (x *product) work() (done int, err error) {
	n := x.blocks()
	for ; ; done++ {
		task, err := armci.FetchAdd(x.w, x.counter.On(0), 1)
		if err != nil || task >= n*n*n {
			return done, err
		}
		if err := x.task(task/n/n, task/n%n, task%n); err != nil {
			return done, err
		}
	}
}

// task adds block i, k of a times block k, j of b to block i, j of c.
func (x *product) task(i, j, k int) error {
	a, b, c := x.here(i, k), x.here(k, j), x.here(i, j)
	h := x.w.NewHandle() // both blocks come at the same time
	if err := armci.GetSection(h, a, x.there(x.a, i, k)); err != nil {
		return err
	}
	if err := armci.GetSection(h, b, x.there(x.b, k, j)); err != nil {
		return err
	}
	if err := h.Wait(); err != nil {
		return err
	}
	rows, columns, inner := x.extent(i), x.extent(j), x.extent(k)
	for row := range rows {
		sums := c.Data[row*columns:][:columns]
		for n := range inner {
			factor := a.Data[row*inner+n]
			for column, y := range b.Data[n*columns:][:columns] {
				sums[column] += factor * y
			}
		}
	}
	return armci.AccSection(x.w, 1, x.there(x.c, i, j), c)
}

// wrong counts the elements of c that differ from those of a serial product.
func (x *product) wrong() (differ int, err error) {
	for i := range x.blocks() {
		for j := range x.blocks() {
			part := x.here(i, j)
			if err := armci.GetSection(x.w, part, x.there(x.c, i, j)); err != nil {
				return 0, err
			}
			for row := range x.extent(i) {
				for column := range x.extent(j) {
					if part.Data[part.Index(row, column)] != x.serial(i*block+row, j*block+column) {
						differ++
					}
				}
			}
		}
	}
	return differ, nil
}

// serial returns an element of the product.
func (x *product) serial(row, column int) (sum float64) {
	for k := range x.size {
		sum += left(row, k) * right(k, column)
	}
	return sum
}
