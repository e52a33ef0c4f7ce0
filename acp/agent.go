package acp

import (
	"fmt"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/network"
	"github.com/goacp/goacp/internal/site"
)

// agent is what a Process does for other ranks: network.Owner.
type agent Process

var _ network.Owner = (*agent)(nil)

// serviceSegbuf is a message about a segmented buffer. It is no operation on a site.
const serviceSegbuf = 0xff

// serviceProgress asks a process for its collective calls.
const serviceProgress = 0xfd

// Serve implements network.Owner.
func (a *agent) Serve(r fabric.Request) (int, error) {
	p := (*Process)(a)
	service, request, answer := r.Service, r.Body, r.Reply
	if service == serviceSegbuf {
		return p.segbufs.serve(request)
	}
	op := site.Op(service)
	switch {
	case service == serviceProgress:
		return p.collective.Serve(answer)
	case service >= serviceEnd:
		return 0, fmt.Errorf("no service %d", service)
	case op >= site.OpEnd:
		return p.channels.serve(service, request, answer)
	}
	s := p.site(p.self)
	c, err := site.Decode(s, op, request, answer)
	var result site.Result
	if err == nil {
		result, err = p.perform(s, &c)
	}
	return site.Answer(answer, result, err)
}

// Notify implements network.Owner.
func (a *agent) Notify(from int, kind uint32, value uint64) { a.barrier.Note(kind, value) }

// reasonLimit is how long this rank, which has lost another one, waits for the launcher to
// say why. The launcher knows better. It says nothing if only the network between two
// peers has failed, or if it is the launcher of an MPI.
const reasonLimit = 3 * time.Second

// awaitReason waits until the run is over, reasonLimit at most.
func (p *Process) awaitReason() {
	select {
	case <-p.running.Done():
	case <-time.After(reasonLimit):
	}
}

// PeerLost implements network.Owner. Connections are not made anew, so that a barrier
// would wait for ever: the run is over. But it goes on until the launcher knows which rank
// was lost. Otherwise, after a fault of the network, the launcher might see the end of this
// process first and take it for the cause.
func (a *agent) PeerLost(member int, err error) {
	p := (*Process)(a)
	p.peerLost.Store(true)
	go func() {
		p.boot.ReportLost(member, bridge.ConnectionBroken)
		p.awaitReason()
		p.lose(fmt.Errorf("lost the connection to %w", err))
	}()
}
