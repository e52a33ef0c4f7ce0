//go:build mpi

package acp

import (
	"fmt"
	"time"

	"github.com/goacp/goacp/mpi"
)

// mpiWatch notices that this process calls MPI_Finalize too early.
type mpiWatch struct {
	cancel func() error // nil if it does not watch
}

// begin has p notice MPI_Finalize, if MPI is in use.
func (w *mpiWatch) begin(p *Process) error {
	if p.procs == 1 || !mpi.Initialized() || mpi.Finalized() {
		return nil
	}
	// Open MPI says that it is finalized while MPI_Finalize still waits for other ranks.
	early := mpi.Vendor().Name == "Open MPI"
	cancel, err := mpi.BeforeFinalize(func() {
		p.mpiFinalizes(func() bool { return !early && mpi.Finalized() })
	})
	w.cancel = cancel
	return err
}

// end undoes begin.
func (w *mpiWatch) end() error {
	if w.cancel == nil || mpi.Finalized() {
		return nil
	}
	return w.cancel()
}

// finalizingInterval is how often a rank in MPI_Finalize looks whether others wait for it.
const finalizingInterval = 2 * time.Second

// mpiFinalizes is called when MPI_Finalize begins in this process, on the thread that calls
// it. MPI_Finalize may wait for the other ranks of the job, of which one may wait in a
// barrier for this one: then both would wait for ever.
// over reports whether it has certainly returned.
func (p *Process) mpiFinalizes(over func() bool) {
	if p.collective.Finalizing() || p.life.Load() != lifeOpen {
		return
	}
	barriers := p.barrier.Count()
	p.watcher.Go(func() {
		ticker := time.NewTicker(finalizingInterval)
		defer ticker.Stop()
		for asked := 0; ; asked += maxAsked {
			select {
			case <-p.closing:
				return
			case <-p.running.Done():
				return
			case <-ticker.C:
			}
			if over() {
				return
			}
			if m := p.waitingInJob(barriers, asked); m >= 0 {
				p.end(fmt.Sprintf("rank %d called MPI_Finalize without acp_finalize while rank %d waits for it in a collective function", p.Rank(), p.rankOf(m)))
				return
			}
		}
	})
}

// maxAsked is how many ranks are asked at a time: those that wait are most of the job, or
// all of it.
const maxAsked = 8

// waitingInJob asks maxAsked ranks of this rank's job, some behind those that were asked
// before, and returns the member of one that waits in a barrier to which this one has not
// come, and does not itself finalize MPI; otherwise -1.
func (p *Process) waitingInJob(barriers uint64, asked int) int {
	first, end := p.members.JobRange(p.members.Job(p.self))
	others := end - first - 1
	for i := range min(others, maxAsked) {
		m := first + (p.self-first+1+(asked+i)%others)%(end-first)
		if g, err := p.collective.Ask(m); err == nil && g.Barriers > barriers && !g.Finalizing {
			return m
		}
	}
	return -1
}
