// Hello from a plain ACP program in Go, without MPI.
//
//	acpgo -o hello_acp_go ./hello_acp
//	acprun -np 4 ./hello_acp_go
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/examples/mixed/greeting"
)

func main() {
	if err := run(); err != nil {
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
		fmt.Printf("hello from ACP rank %d of %d, without MPI; got %q\n", p.Rank(), p.Procs(), got)
	}
	return errors.Join(err, p.Finalize())
}
