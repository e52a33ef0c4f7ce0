package acp

import (
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/network/am"
	"github.com/goacp/goacp/internal/process/lifecycle"
	"github.com/goacp/goacp/internal/structure/hashed"
	"github.com/goacp/goacp/internal/structure/list"
	"github.com/goacp/goacp/internal/structure/sequence"
)

// ownStructures returns the parts of this package that take part in the life cycle of a process: its
// structures, and the protocols of collective functions. No other function lists them all.
func (p *Process) ownStructures() lifecycle.Structures {
	return lifecycle.Structures{
		{Operations: sequence.Operations()},
		{Operations: list.Operations(p.mem)},
		{Operations: hashed.Operations(), Forget: p.tables.Forget},
		{Leave: p.workspaces.Leave, Forget: p.workspaces.Forget},
		p.channelPart(),
		{Operations: p.segbufs.Operations(), Left: p.segbufs.Gone, Lost: p.segbufs.Gone, Settle: p.segbufs.Settle, Forget: p.segbufs.Forget},
		{Operations: p.values.Operations(), Left: p.values.Gone, Lost: p.values.Gone, Forget: p.values.Forget},
		p.meetings(),
		{Settle: p.groups.settle},
	}
}

// channelPart is the part of channels. Their rings lie in the heaps of other ranks, which Reset
// empties.
func (p *Process) channelPart() lifecycle.Structure {
	return lifecycle.Structure{
		Operations: p.channels.Operations(),
		Left:       p.channels.Gone,
		Lost:       p.channels.Gone,
		Release:    func() { p.channels.Dispose(ErrClosed) },
		Forget:     p.channels.Renumber,
		Close: func() {
			p.channels.Stop()
			p.channels.Dispose(ErrFinalized)
		},
	}
}

// meetings is the part of collective functions. Its Settle waits for operations that outlive their calls.
func (p *Process) meetings() lifecycle.Structure {
	return lifecycle.Structure{
		Settle: p.mem.Settle,
		Operations: []am.Operation{{
			Op: am.OpProgress, Name: "question about collective functions",
			Serve: func(r fabric.Request) (int, error) { return p.collective.Serve(r.Reply) },
		}},
		Notices: []am.Notice{{
			Number: am.NoticeBarrier, Name: "arrival at a barrier",
			Take: func(_ int, round uint32, note uint64) { p.barrier.Note(round, note) },
		}},
	}
}
