//go:build mpi

// Initorder tries the ways to initialise and finalise MPI and ACP, with work in
// between. MPI is started by gompi. The twin in C is initorder.c.
//
//	mpirun -np 2 initorder WHEN FIRST
//
// WHEN is before, after or never: when MPI is started with respect to ACP. FIRST is
// acp or mpi: which is ended first.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime"

	mpi "github.com/sbromberger/gompi"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/examples/mixed/greeting"
)

// The main thread makes all calls of MPI, whatever thread level MPI has.
func init() { runtime.LockOSThread() }

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "expected: initorder WHEN FIRST")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(when, first string) error {
	if when == "before" {
		mpi.Start(false)
	}
	p, err := acp.Init(context.Background())
	if err != nil {
		return err
	}
	if when == "after" {
		mpi.Start(false)
	}
	if when != "never" {
		if err := useMPI(); err != nil {
			return fmt.Errorf("rank %d: %w", p.Rank(), err)
		}
	}
	got, err := greeting.Exchange(p)
	if err != nil {
		return err
	}
	fmt.Printf("hello from ACP rank %d of %d, %s; got %q\n", p.Rank(), p.Procs(), when, got)
	if when != "never" && first == "mpi" {
		mpi.Stop()
	}
	if err := p.Finalize(); err != nil {
		return err
	}
	if when != "never" && first == "acp" {
		mpi.Stop()
	}
	return nil
}

// useMPI checks that MPI works in the job.
func useMPI() error {
	world := mpi.NewCommunicator(nil)
	one, sum := []int32{1}, []int32{0}
	world.AllreduceInt32s(sum, one, mpi.OpSum, 0)
	if int(sum[0]) != mpi.WorldSize() {
		return fmt.Errorf("the sum over all processes of the job is %d, expected %d", sum[0], mpi.WorldSize())
	}
	return nil
}
