package acp

import (
	"sync"

	"github.com/goacp/goacp/bridge"
)

// departures passes the ends of other ranks to the structures of a process, as long as it has them.
type departures struct {
	mu   sync.Mutex // held while the structures handle the end of a guest
	over bool
}

// end returns when no structure handles the end of a guest any more.
func (d *departures) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over = true
}

// goneBy returns the other members that have left or are lost by a change.
func (p *Process) goneBy(c bridge.Change) []int {
	switch c.Kind {
	case bridge.MemberLeft, bridge.MemberLost:
		return []int{c.Member}
	case bridge.EpochBegan:
		var gone []int
		for _, members := range p.met.Roster.Cohorts() {
			for _, m := range members.Range() {
				if m != p.ranks.Self() && p.met.Roster.CohortNumber(m) == 0 && p.met.Roster.State(m) == bridge.MemberHasLeft {
					gone = append(gone, m)
				}
			}
		}
		return gone
	}
	return nil
}

// connectionChanged is called when processes arrive, and when some have left or are lost, before the process has
// structures. It does not block.
func (p *Process) connectionChanged(c bridge.Change) { p.closeConnections(p.goneBy(c)) }

// closeConnections gives up the connections to members that have left or are lost.
func (p *Process) closeConnections(gone []int) {
	for _, m := range gone {
		p.router.Gone(m)
	}
}

// memberChanged is connectionChanged afterwards. It waits for no other process.
func (p *Process) memberChanged(c bridge.Change) {
	gone := p.goneBy(c)
	p.closeConnections(gone)
	p.departures.mu.Lock()
	defer p.departures.mu.Unlock()
	if p.departures.over {
		return
	}
	for _, m := range gone {
		p.mem.Forget(m)
		p.structures.Gone(m)
	}
	p.cond.Lock() // of AwaitChange
	p.cond.Broadcast()
	p.cond.Unlock()
}
