//go:build mpi

// The atmosphere in Go: an MPI program, through gompi, that is coupled with the ocean
// by ACP. It can take the place of atmosphere.c in any run.
//
//	macpgo -o atmosphere_go ./coupled/atmosphere
//	macprun coupled/coupled-go.inputfile
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"

	mpi "github.com/sbromberger/gompi"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/examples/mixed/coupled/coupler"
	"github.com/goacp/goacp/examples/mixed/coupled/heat"
)

// MPI is called from the main thread only, whatever thread level it was given.
func init() { runtime.LockOSThread() }

func main() {
	mpi.Start(false)
	p, err := acp.Init(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	wrong, err := couple(p)
	if err != nil {
		// The others cannot go on without this rank.
		fmt.Fprintln(os.Stderr, err)
		p.Abort(err.Error())
		os.Exit(1)
	}
	// Starter memory lives until all have come here, so a watcher that is late can
	// still read the reports.
	err = errors.Join(wrong, p.Finalize())
	mpi.Stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// couple computes this rank's part of the atmosphere. wrong says how the result
// differs from the serial run; err, why there is none.
func couple(p *acp.Process) (wrong, err error) {
	medium := heat.Atmosphere()
	own := heat.Share(medium.Columns, mpi.WorldRank(), mpi.WorldSize())
	air, err := heat.NewPart(medium, own)
	if err != nil {
		return nil, err
	}
	c, err := coupler.New(p, air, coupler.Atmosphere, coupler.Ocean, heat.NeedsOfAtmosphere(own))
	if err != nil {
		return nil, err
	}
	if err := run(air, c); err != nil {
		return nil, err
	}
	if err := c.Close(); err != nil {
		return nil, err
	}
	_, reference, err := heat.Serial()
	if err != nil {
		return nil, err
	}
	return check(p, air, reference), nil
}

// run computes all steps. Sending goes on behind the halo exchange.
func run(air *heat.Part, c *coupler.Coupler) error {
	h := newHalo(air)
	if err := c.Report(); err != nil {
		return err
	}
	for step := range heat.Steps {
		if err := c.Send(step); err != nil {
			return err
		}
		h.exchange(air)
		air.FluxAtmosphere(c.Receive(step))
		air.Step()
		// This time level is overwritten in the next step.
		if err := c.Sent(); err != nil {
			return err
		}
		air.Advance()
		if (step+1)%heat.ReportEvery == 0 {
			if err := c.Report(); err != nil {
				return err
			}
		}
	}
	return nil
}

// check compares this part with the serial run.
func check(p *acp.Process, air, reference *heat.Part) error {
	d := air.Difference(reference)
	fmt.Printf("atmosphere %d of %d, in Go, ACP rank %d, columns %d-%d: differs from the serial run by %.1e\n",
		mpi.WorldRank(), mpi.WorldSize(), p.Rank(), air.Own.First, air.Own.End()-1, d)
	if !(d <= 1e-12) {
		return fmt.Errorf("rank %d: differs from the serial run by %g, expected at most 1e-12", p.Rank(), d)
	}
	return nil
}
