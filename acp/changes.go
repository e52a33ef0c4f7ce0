package acp

import (
	"sync"

	"github.com/goacp/goacp/bridge"
)

// memberChanges passes the arrivals and ends of other ranks to the structures of a process, as long as it has them.
type memberChanges struct {
	mu   sync.Mutex // held while the structures handle a change
	over bool
}

// end returns when no structure handles a change any more.
func (c *memberChanges) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
}

// joinedBy returns the other members that have come by a change.
func (p *Process) joinedBy(c bridge.Change) (joined []int) {
	if !c.Arrives() {
		return nil
	}
	for m := c.Member; m < c.Member+c.Size; m++ {
		if m != p.ranks.Self() {
			joined = append(joined, m)
		}
	}
	return joined
}

// connectionChanged is called when processes arrive, and when some are gone, before the process has structures. It does not block.
func (p *Process) connectionChanged(_ bridge.Change, gone []int) { p.closeConnections(gone) }

// closeConnections gives up the connections to other members that are gone.
func (p *Process) closeConnections(gone []int) {
	for _, m := range gone {
		if m != p.ranks.Self() {
			p.router.Gone(m)
		}
	}
}

// memberChanged is connectionChanged afterwards. It waits for no other process.
func (p *Process) memberChanged(c bridge.Change, gone []int) {
	p.closeConnections(gone)
	p.changes.mu.Lock()
	defer p.changes.mu.Unlock()
	if p.changes.over {
		return
	}
	for _, m := range p.joinedBy(c) {
		p.structures.Joined(m)
	}
	for _, m := range gone {
		if m != p.ranks.Self() {
			p.forget(m, c.Kind == bridge.MemberLost)
		}
	}
	p.cond.Lock() // of AwaitChange
	p.cond.Broadcast()
	p.cond.Unlock()
}

// forget ends the waits for a member that has left or is lost.
func (p *Process) forget(member int, lost bool) {
	p.mem.Forget(member)
	if lost {
		p.structures.Lost(member)
	} else {
		p.structures.Left(member)
	}
}

// peerLost is called when the connection to a member has broken. A member that has left its epoch closes its connections, perhaps before this
// process has received that. So in a run that shrinks, and in a guest, the process receives all changes first. It does not block.
func (p *Process) peerLost(member int, err error) {
	if p.elastic == nil && p.met.Roster.CohortNumber(p.ranks.Self()) == 0 {
		p.lifecycle.LostPeer(member, err)
		return
	}
	settled := p.lifecycle.SuspectPeer()
	go func() {
		defer settled()
		failed := p.met.Roster.Refresh(p.lifecycle.Running())
		if failed == nil && p.met.Roster.State(member) == bridge.MemberHasLeft {
			p.router.Gone(member)
			return
		}
		p.lifecycle.LostPeer(member, err)
	}()
}
