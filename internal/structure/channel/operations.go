package channel

import "github.com/goacp/goacp/internal/network/am"

// The operations of channels.
const (
	opAnnounce = am.OpChannel + iota // an announcement for a sender
	opDeliver                        // records for a receiver
	opCredit                         // the progress of a receiver
)

// Operations returns the operations that the agent of this process serves for channels.
func (h *Engine) Operations() []am.Operation {
	return []am.Operation{
		{Op: opAnnounce, Name: "announcement of a channel", Serve: h.serveAnnounce},
		{Op: opDeliver, Name: "records of a channel", Serve: h.serveDeliver},
		{Op: opCredit, Name: "credit of a channel", Serve: h.serveCredit},
	}
}
