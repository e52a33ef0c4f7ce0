package tcp

import (
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/mailbox"
	"github.com/goacp/goacp/internal/network/driver"
)

// Driver opens the fabric tcp, which reaches every member and carries the messages.
var Driver = driver.Driver{Route: bridge.TCP, Open: open}

// open makes the agent. It connects to a peer at the first operation on it.
func open(e *driver.Env) (fabric.Transport, error) {
	cfg := Config{
		Self: e.Self, Size: e.Seats, Local: e.Local, Addrs: e.Agent, Check: e.Check, Survives: e.Survives, Await: e.Roster.Await, Auth: e.Auth,
		Owner: e.Owner, PollBudget: e.PollBudget, Ranks: e.Ranks, Over: e.Lost,
	}
	if e.Routes.Any(bridge.SHM) || e.Roster.Elastic() {
		cfg.Mailbox = func() *mailbox.Box { return e.Space.Mailbox() } // another driver may replace Space
	}
	return New(e.Listener, cfg), nil
}

var (
	_ driver.Messenger  = (*Transport)(nil)
	_ driver.Withdrawer = (*Transport)(nil)
)
