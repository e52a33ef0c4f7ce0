//go:build mpi

package watchdog

import (
	"fmt"
	"time"

	"github.com/goacp/goacp/mpi"
)

// mpiFinalize is the watch for MPI_Finalize.
type mpiFinalize struct {
	cancel func() error // nil if there is no watch
}

// MPIFinalize starts to watch for MPI_Finalize in this process, if MPI is in use.
func (w *Watchdog) MPIFinalize() error {
	if w.cfg.Ranks.Size() == 1 || !mpi.Initialized() || mpi.Finalized() {
		return nil
	}
	// Open MPI says that it is finalized while MPI_Finalize still waits for other ranks.
	early := mpi.Vendor().Name == "Open MPI"
	cancel, err := mpi.BeforeFinalize(func() {
		w.mpiFinalizes(func() bool { return !early && mpi.Finalized() })
	})
	w.finalize.cancel = cancel
	return err
}

// MPIFinalizing is called in MPI_Finalize, before the watch has learnt of it. Close leaves the watch to
// MPI then, which walks through such watches.
func (w *Watchdog) MPIFinalizing() { w.finalize.cancel = nil }

// end undoes MPIFinalize.
func (f mpiFinalize) end() error {
	if f.cancel == nil || mpi.Finalized() {
		return nil
	}
	return f.cancel()
}

// finalizingInterval is how often a process in MPI_Finalize asks whether others wait for it.
const finalizingInterval = 2 * time.Second

// mpiFinalizes is called when MPI_Finalize begins in this process, on the thread that calls
// it. MPI_Finalize may wait for the other ranks of the job, of which one may wait in a
// barrier for this one: then both would wait for ever.
// over reports whether it has certainly returned.
func (w *Watchdog) mpiFinalizes(over func() bool) {
	life := w.cfg.Lifecycle
	if w.cfg.Collective.Finalizing() || life.Alive() != nil {
		return
	}
	barriers := w.cfg.Barrier.Count()
	life.Watch(func() {
		ticker := time.NewTicker(finalizingInterval)
		defer ticker.Stop()
		for asked := 0; ; asked += maxAsked {
			select {
			case <-life.Running().Done():
				return
			case <-ticker.C:
			}
			if over() {
				return
			}
			if m := w.waitingInJob(barriers, asked); m >= 0 {
				ranks := w.cfg.Ranks
				life.End(fmt.Sprintf("rank %d called MPI_Finalize without acp_finalize while rank %d waits for it in a collective function", ranks.Own(), ranks.Rank(m)))
				return
			}
		}
	})
}

// maxAsked is how many ranks are asked at a time. Those that wait are most of the job, or all
// of it.
const maxAsked = 8

// waitingInJob asks maxAsked ranks of this rank's job, some behind those that were asked
// before, and returns the member of one that waits in a barrier to which this one has not
// come, and does not itself finalize MPI; otherwise -1.
func (w *Watchdog) waitingInJob(barriers uint64, asked int) int {
	self := w.cfg.Ranks.Self()
	members := w.cfg.Roster.Own()
	first, end := members.WorldRange(members.World(self))
	others := end - first - 1
	for i := range min(others, maxAsked) {
		m := first + (self-first+1+(asked+i)%others)%(end-first)
		if g, err := w.cfg.Collective.Ask(m); err == nil && g.Barriers > barriers && !g.Finalizing {
			return m
		}
	}
	return -1
}
