//go:build mpi

package main

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/goacp/goacp/acp"
)

// What a rank sends to rank 0: its sum and the number of helpers of its job.
const record = 16 // bytes

// collect puts the parts together at rank 0, by copies into its starter memory, and
// prints the result there. Collective over the ranks of ACP.
func collect(p *acp.Process, sum float64, helpers int) error {
	mine := p.Starter()[:record]
	binary.NativeEndian.PutUint64(mine, math.Float64bits(sum))
	binary.NativeEndian.PutUint64(mine[8:], uint64(helpers))
	from, err := p.StarterGA(p.Rank())
	if err != nil {
		return err
	}
	to, err := p.StarterGA(0)
	if err != nil {
		return err
	}
	if p.Rank() != 0 {
		done, err := p.Copy(to+acp.GA(record*p.Rank()), from, record, acp.HandleNull)
		if err != nil {
			return err
		}
		if err := p.Complete(done); err != nil {
			return err
		}
	}
	if err := p.Sync(); err != nil || p.Rank() != 0 {
		return err
	}
	pi, all := 0.0, uint64(0)
	for r := range p.Procs() {
		part := p.Starter()[record*r:]
		pi += math.Float64frombits(binary.NativeEndian.Uint64(part))
		all += binary.NativeEndian.Uint64(part[8:])
	}
	if math.Abs(pi-math.Pi) > 1e-9 {
		return fmt.Errorf("pi came out as %.12f", pi)
	}
	fmt.Printf("pi is %.9f, by %d ranks of ACP and %d processes that they started\n", pi, p.Procs(), all)
	return nil
}
