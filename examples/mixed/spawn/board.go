//go:build mpi

package main

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/goacp/goacp/mpi"
)

// The integral of 4/(1+x*x) from 0 to 1 is pi. It is cut into parts, one for each rank
// of ACP, and each part into portions.
const (
	portions = 64    // of a part
	steps    = 20000 // of a portion
)

// board is a window in which every process of the launcher keeps a part: how many
// portions of it have been taken, their sum so far, and which part it is.
type board struct {
	win    mpi.Win
	memory []byte
}

// Displacements on the board, in words.
const (
	taken = iota
	total
	part
	parts
	words
)

const word = 8 // bytes

// openBoard makes the window over the crew. Collective.
func openBoard(c crew) (board, error) {
	win, memory, err := c.AllocateWin(words*word, word, mpi.Info{})
	if err != nil {
		return board{}, err
	}
	clear(memory)
	return board{win, memory}, nil
}

// publish says which part is on this process's board.
func (b board) publish(which, of int) {
	binary.NativeEndian.PutUint64(b.memory[part*word:], uint64(which))
	binary.NativeEndian.PutUint64(b.memory[parts*word:], uint64(of))
}

// sum returns what has been added up on this process's board.
func (b board) sum() float64 {
	return math.Float64frombits(binary.NativeEndian.Uint64(b.memory[total*word:]))
}

// work computes portions from the boards of all leaders until none is left.
// Collective.
func (b board) work(c crew) error {
	rank, err := c.Rank()
	if err != nil {
		return err
	}
	if err := errors.Join(b.win.LockAll(mpi.NoCheck), b.win.Sync(), c.Barrier()); err != nil {
		return err
	}
	for i := range c.leaders {
		// Not all begin at the same one.
		if err := b.finish((rank + i) % c.leaders); err != nil {
			return err
		}
	}
	// A process that has taken a portion has added its sum before the barrier.
	return errors.Join(c.Barrier(), b.win.Sync(), b.win.UnlockAll())
}

// finish takes portions from one board until none is left.
func (b board) finish(leader int) error {
	job := make([]byte, 2*word)
	if err := b.win.GetFlush(job, leader, part); err != nil {
		return err
	}
	which, of := binary.NativeEndian.Uint64(job), binary.NativeEndian.Uint64(job[word:])
	for {
		n, err := b.win.FetchAndOpFlush(1, mpi.Uint64, mpi.Sum, leader, taken)
		if err != nil || n >= portions {
			return err
		}
		value := math.Float64bits(integrate(which*portions+n, of*portions))
		if _, err := b.win.FetchAndOpFlush(value, mpi.Float64, mpi.Sum, leader, total); err != nil {
			return err
		}
	}
}

// integrate returns the integral over portion n of count.
func integrate(n, count uint64) (sum float64) {
	width := 1 / float64(count*steps)
	for i := range uint64(steps) {
		x := (float64(n*steps+i) + 0.5) * width
		sum += 4 / (1 + x*x) * width
	}
	return sum
}
