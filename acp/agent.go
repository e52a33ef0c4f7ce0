package acp

import (
	"fmt"
	"slices"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/am"
	"github.com/goacp/goacp/internal/arena"
	"github.com/goacp/goacp/internal/channel"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/hashed"
	"github.com/goacp/goacp/internal/list"
	"github.com/goacp/goacp/internal/sequence"
)

// What the agent of a Process does for other ranks.

// operations returns all that other ranks may ask for.
func (p *Process) operations() []am.Operation {
	return slices.Concat(
		sequence.Operations(),
		list.Operations(arenas{p}),
		hashed.Operations(),
		channel.Operations(func() *channel.Hub { return p.channels }),
		p.segbufs.Operations(),
		[]am.Operation{{Op: am.OpProgress, Name: "question about collective functions", Serve: p.serveProgress}},
	)
}

// serveProgress answers a question of another rank about collective functions.
func (p *Process) serveProgress(r fabric.Request) (int, error) { return p.collective.Serve(r.Reply) }

// arenas are the heaps that a Process has mapped. A Process has no memory of all ranks yet
// when it lists its operations.
type arenas struct{ p *Process }

// ArenaOf implements list.Arenas.
func (a arenas) ArenaOf(rank uint64) (*arena.Arena, error) { return a.p.mem.ArenaOf(rank) }

// notices returns all that other ranks may send without an answer.
func (p *Process) notices() []am.Notice {
	return []am.Notice{{
		Number: am.NoticeBarrier, Name: "arrival at a barrier",
		Take: func(_ int, round uint32, note uint64) { p.barrier.Note(round, note) },
	}}
}

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

// lostPeer ends the run because the connection to a member is lost. Connections are not made
// anew, so that a barrier would wait for ever. But the run goes on until the launcher knows
// which rank was lost. Otherwise, after a fault of the network, the launcher might see the
// end of this process first and take it for the cause.
func (p *Process) lostPeer(member int, err error) {
	p.peerLost.Store(true)
	go func() {
		p.boot.ReportLost(member, bridge.ConnectionBroken)
		p.awaitReason()
		p.lose(fmt.Errorf("lost the connection to %w", err))
	}()
}
