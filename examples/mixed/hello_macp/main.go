//go:build mpi

// Hello from a Go program that uses MPI, through gompi, inside its job and ACP
// across all jobs.
//
//	macpgo -o hello_macp_go ./hello_macp
//	macprun -np 6 inputfile-go
package main

import (
	"context"
	"errors"
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
	mpi.Start(false)
	err := run()
	mpi.Stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	p, err := acp.Init(context.Background())
	if err != nil {
		return err
	}
	got, err := greeting.Exchange(p)
	if err == nil {
		fmt.Printf("hello from ACP rank %d of %d, MPI rank %d of %d; got %q\n",
			p.Rank(), p.Procs(), mpi.WorldRank(), mpi.WorldSize(), got)
	}
	return errors.Join(err, p.Finalize())
}
