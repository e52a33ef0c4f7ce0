package acp

import (
	"sync"

	"github.com/goacp/goacp/bridge"
)

// departures passes the ends of guests to the structures of a process, as long as it has them.
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

// connectionChanged is called when a cohort arrives, and when a guest has left or is lost, before the process has
// structures. It does not block.
func (p *Process) connectionChanged(c bridge.Change) {
	if c.Kind != bridge.CohortArrived {
		p.router.Gone(c.Member)
	}
}

// memberChanged is connectionChanged afterwards. It waits for no other process.
func (p *Process) memberChanged(c bridge.Change) {
	p.connectionChanged(c)
	p.departures.mu.Lock()
	defer p.departures.mu.Unlock()
	if p.departures.over {
		return
	}
	if c.Kind != bridge.CohortArrived {
		p.structures.Gone(c.Member)
	}
	p.cond.Lock() // of AwaitChange
	p.cond.Broadcast()
	p.cond.Unlock()
}
