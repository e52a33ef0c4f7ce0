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
	wrong, err := atmosphere(p)
	if err != nil {
		// The others cannot go on without this rank.
		fmt.Fprintln(os.Stderr, err)
		p.Abort(err.Error())
		os.Exit(1)
	}
	err = errors.Join(wrong, p.Finalize())
	mpi.Stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// atmosphere computes this rank's part of the atmosphere. wrong says how the result
// differs from the serial run; err, why there is none.
func atmosphere(p *acp.Process) (wrong, err error) {
	medium := heat.Atmosphere()
	air, err := heat.NewPart(medium, heat.Share(medium.Columns, mpi.WorldRank(), mpi.WorldSize()))
	if err != nil {
		return nil, err
	}
	if err := run(p, air); err != nil {
		return nil, err
	}
	_, reference, err := heat.Serial()
	if err != nil {
		return nil, err
	}
	return check(p, air, reference), nil
}

// run computes all steps. Sending goes on behind the halo exchange.
func run(p *acp.Process, air *heat.Part) error {
	ctx, h := context.Background(), newHalo(air)
	below := make([]float64, heat.NeedsOfAtmosphere(air.Own).Count)
	l, err := open(ctx, p, air, below)
	if err != nil {
		return err
	}
	for step := range heat.Steps {
		if err := l.send(ctx, air, step); err != nil {
			return err
		}
		h.exchange(air)
		if err := l.in.Receive(ctx, step); err != nil {
			return err
		}
		air.FluxAtmosphere(below)
		air.Step()
		air.Advance()
	}
	return errors.Join(l.send(ctx, air, heat.Steps), l.in.Close(ctx), l.out.Close(ctx), l.watched.Close(ctx))
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
