package acp

import (
	"fmt"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/pid"
)

// A rank that ends without Finalize leaves the others waiting. The launchers of this
// library notice that at once, and connections that break show it. Under mpirun alone, on
// one host, nothing else does when the rank has finalized MPI or mpirun does not look:
// then a rank that sleeps in a barrier looks after the next rank of its group, so that the
// rank before the missing one finds out.

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

// neighbourEnded ends the run because member has ended while this rank waits for it. A
// launcher of this library is told, and ends the run itself.
func (p *Process) neighbourEnded(member int) {
	if p.peerLost.Swap(true) {
		return
	}
	go func() {
		p.boot.ReportLost(member, bridge.ProcessEnded)
		p.awaitReason()
		if p.alive() != nil {
			return
		}
		c := p.members.At(member)
		p.end(fmt.Sprintf("rank %d (host %s, pid %d) ended without acp_finalize while rank %d waits for it", p.rankOf(member), c.HostName, c.PID, p.Rank()))
	}()
}

// end ends the run for a reason that this rank has found.
func (p *Process) end(reason string) {
	p.boot.Abort(reason)
	p.lose(&bridge.AbortError{Reason: reason})
}
