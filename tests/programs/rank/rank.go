// Package rank is the frame of the Go test programs: it makes the process a rank of the run, and
// reports errors with the rank before the text.
package rank

import (
	"context"
	"fmt"
	"os"

	"github.com/goacp/goacp/acp"
)

// Main initialises ACP, runs body, and finalizes. On an error it prints the error and ends the
// process with status 1.
func Main(body func(p *acp.Process) error) {
	p, err := acp.Init(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	who := p.Rank()
	err = body(p)
	if err == nil {
		err = p.Finalize()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "rank %d: %v\n", who, err)
		p.Abort(err.Error())
		os.Exit(1)
	}
}

// Must returns v, or ends the process if there is an error.
func Must[T any](v T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return v
}
