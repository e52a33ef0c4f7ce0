package remote

import (
	"os"
	"time"

	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/message"
)

// ClearLost starts a proxy on each host whose proxy was killed with everything that it has started, as a
// batch system kills a step. The new proxy ends the remaining processes of the run there, and removes the
// directory of the old proxy. ClearLost blocks until all new proxies have taken over, but no longer than
// limit. They clean up after [Hosts.Close].
func (h *Hosts) ClearLost(limit time.Duration) {
	program, err := besideThis("acprun")
	if err != nil {
		return
	}
	var heirs []*client
	for _, c := range h.clients {
		if !c.killed || c.dir == "" {
			continue
		}
		heir := h.newClient(c.host, nil)
		heir.job = c.job
		heir.lost = func(string, string, exit.Status) {}
		// If no proxy can be started, the processes stay there: the host itself may be lost.
		if heir.describe(message.ProxyJob{Keep: c.dir, Token: c.token, Inherit: true}) == nil && h.startProxy(heir, program) == nil {
			heirs = append(heirs, heir)
		}
	}
	holders := TokenHolders{Signals: make(chan os.Signal)}
	over := time.After(limit)
	for _, heir := range heirs {
		_ = heir.awaitAnswer(holders, over)
	}
}
