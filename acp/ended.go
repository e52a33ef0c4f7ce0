package acp

import (
	"fmt"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/pid"
)

// A rank that ends without Finalize leaves the others waiting. The launchers of this
// library notice that at once, and connections that break show it. Under mpirun alone, on
// one host, nothing else does when the rank has finalized MPI or mpirun does not look:
// then whoever sleeps in a barrier looks after the next rank of its group, so that of all
// ranks the one before the missing one finds out.

// neighbour returns the member behind self in the group that shares memory with it, the
// first behind the last; self in a group of one.
func neighbour(self int, leaders []int) int {
	for i := 1; i < len(leaders); i++ {
		if m := (self + i) % len(leaders); leaders[m] == leaders[self] {
			return m
		}
	}
	return self
}

// watchNeighbour has the barrier look after the process of member, if that can be watched.
func (p *Process) watchNeighbour(member int) {
	c := p.members.At(member)
	process, err := pid.Open(int(c.PID), c.StartTime)
	if err != nil {
		return
	}
	p.neighbour = process
	p.barrier.ended = func() bool { return !process.Alive() }
	p.barrier.missing = func() { p.neighbourEnded(member) }
}

// ignoreNeighbour undoes watchNeighbour.
func (p *Process) ignoreNeighbour() error {
	if p.neighbour == nil {
		return nil
	}
	return p.neighbour.Close()
}

// neighbourEnded ends the run because member has ended while this rank waits for it,
// unless the launcher does so first, which knows better how it ended.
func (p *Process) neighbourEnded(member int) {
	if p.peerLost.Swap(true) {
		return
	}
	time.AfterFunc(lossGrace, func() {
		if p.alive() != nil {
			return
		}
		c := p.members.At(member)
		p.end(fmt.Sprintf("rank %d (host %s, pid %d) ended without acp_finalize while rank %d waits for it", p.rankOf(member), c.HostName, c.PID, p.Rank()))
	})
}

// finalizingInterval is how often a rank in MPI_Finalize looks whether others wait for it.
const finalizingInterval = 2 * time.Second

// mpiFinalizes is called when MPI_Finalize begins in this process, on the thread that calls
// it. MPI_Finalize may wait for the other ranks of the job, of which one may wait in a
// barrier for this one: then both would wait for ever.
// over reports whether it has certainly returned.
func (p *Process) mpiFinalizes(over func() bool) {
	if p.finalizing.Swap(true) || p.life.Load() != lifeOpen {
		return
	}
	barriers := p.barrier.here.Count
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
		if g, err := p.askProgress(m); err == nil && g.barriers > barriers && !g.finalizing {
			return m
		}
	}
	return -1
}

// end ends the run for a reason that this rank has found.
func (p *Process) end(reason string) {
	p.boot.Abort(reason)
	p.lose(&bridge.AbortError{Reason: reason})
}
