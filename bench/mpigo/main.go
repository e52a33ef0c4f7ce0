//go:build mpi

// Mpigo measures what package mpi adds to one-sided access, as bench/raw_mpi.c
// measures MPI:
//
//	mpirun -np 2 mpigo NAME
//
// NAME comes before each figure and says which MPI and settings were used. Each
// figure is of one access and its flush; rank 0 measures.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/goacp/goacp/mpi"
)

const samples = 9

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "mpigo:", err)
		os.Exit(1)
	}
}

func run() error {
	runtime.LockOSThread()
	if _, err := mpi.InitThread(mpi.ThreadSingle); err != nil {
		return err
	}
	world := mpi.World()
	size, err := world.Size()
	if err != nil {
		return err
	}
	if size != 2 || len(os.Args) != 2 {
		return errors.New("usage: mpirun -np 2 mpigo NAME")
	}
	rank, err := world.Rank()
	if err != nil {
		return err
	}
	win, memory, err := world.AllocateWin(1<<20, 1, mpi.Info{})
	if err != nil {
		return err
	}
	clear(memory)
	if err := errors.Join(win.LockAll(mpi.NoCheck), world.Barrier()); err != nil {
		return err
	}
	if rank == 0 {
		err = measureAll(win)
	}
	return errors.Join(err, world.Barrier(), win.UnlockAll(), win.Free(), mpi.Finalize())
}

func measureAll(win mpi.Win) error {
	buf, err := mpi.AllocMemory(8, mpi.Info{})
	if err != nil {
		return err
	}
	expected := uint64(0)
	return errors.Join(
		measure("put8", 20000, func() error { return win.PutFlush(buf, 1, 0) }),
		measure("get8", 20000, func() error { return win.GetFlush(buf, 1, 0) }),
		measure("put8apart", 20000, func() error {
			if err := win.Put(buf, 1, 0); err != nil {
				return err
			}
			return win.Flush(1)
		}),
		measure("add8", 10000, func() error {
			_, err := win.FetchAndOpFlush(1, mpi.Uint64, mpi.Sum, 1, 0)
			return err
		}),
		measure("cas8", 10000, func() (err error) {
			expected, err = win.CompareAndSwapFlush(1, expected, mpi.Uint64, 1, 0)
			return err
		}),
		mpi.FreeMemory(buf))
}

// measure prints several means of what one call of f takes, in nanoseconds.
func measure(name string, loops int, f func() error) error {
	for s := -1; s < samples; s++ {
		begin := time.Now()
		for range loops {
			if err := f(); err != nil {
				return err
			}
		}
		if s >= 0 {
			fmt.Printf("go\t%s-%s\t%.2f\n", os.Args[1], name, float64(time.Since(begin))/float64(loops))
		}
	}
	return nil
}
