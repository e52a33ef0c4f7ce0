package acp

import (
	"fmt"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/barrier"
	"github.com/goacp/goacp/internal/pid"
)

// A rank that ends without Finalize leaves the others waiting. The launchers of this
// library notice that at once, and connections that break show it. Under mpirun alone, on
// one host, nothing else does when the rank has finalized MPI or mpirun does not look:
// then a rank that sleeps in a barrier looks after the next rank of its group, so that the
// rank before the missing one finds out.

// watchNeighbour lets the barrier look after the process of member, if that can be watched.
func (p *Process) watchNeighbour(member int, cfg *barrier.Config) {
	c := p.members.At(member)
	process, err := pid.Open(int(c.PID), c.StartTime)
	if err != nil {
		return
	}
	p.neighbour = process
	cfg.Ended = func() bool { return !process.Alive() }
	cfg.Missing = func() { p.neighbourEnded(member) }
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

// lossReason returns why the run is over if all that this rank knows is err: another
// rank cannot be reached. The others, or the launcher, are about to say more.
func (p *Process) lossReason(err error) error {
	if p.peerLost.Load() {
		<-p.running.Done() // PeerLost sees to it
	} else if p.barrier.Over() == nil {
		p.awaitReason()
	}
	if over := p.barrier.Over(); over != nil {
		return over
	}
	return err
}
