package channel

import (
	"github.com/goacp/goacp/internal/am"
	"github.com/goacp/goacp/internal/fabric"
)

// What the agent of a process does for channels.
const (
	opAnnounce = am.OpChannel + iota // an announcement for a sender
	opDeliver                        // records for a receiver
	opCredit                         // how far a receiver has got
)

// Operations returns the operations on the ends of the Hub that hub returns. They are entered
// before there is a Hub, and called later.
func Operations(hub func() *Hub) []am.Operation {
	serve := func(f func(*Hub, fabric.Request) (int, error)) func(fabric.Request) (int, error) {
		return func(r fabric.Request) (int, error) { return f(hub(), r) }
	}
	return []am.Operation{
		{Op: opAnnounce, Name: "announcement of a channel", Serve: serve((*Hub).serveAnnounce)},
		{Op: opDeliver, Name: "records of a channel", Serve: serve((*Hub).serveDeliver)},
		{Op: opCredit, Name: "credit of a channel", Serve: serve((*Hub).serveCredit)},
	}
}
