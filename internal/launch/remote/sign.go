package remote

import (
	"time"

	"github.com/goacp/goacp/internal/launch/shell"
)

// awaitSign prints a line if a proxy has not greeted the launcher within a limit: its host may be down, or
// the remote shell may be waiting for a password. The launcher continues to wait. awaitSign blocks until the
// proxy greets, the remote shell ends, or the limit is over.
func (c *client) awaitSign(limit time.Duration) {
	select {
	case <-c.sign:
	case <-c.outputEnded:
	case <-c.quit:
	case <-time.After(limit):
		c.hosts.Console.Say("host %s has given no sign for %v: %s (pid %d)", c.host, limit, shell.Join(c.argv), c.id.PID)
	}
}
