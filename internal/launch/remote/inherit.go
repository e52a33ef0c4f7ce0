package remote

import (
	"os"
	"time"

	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/message"
)

// ClearLost starts a proxy on each host whose proxy was killed with everything that it has started, as a
// batch system kills a step. The new proxy ends what is left of the run there, and removes the
// directory of the old one. ClearLost blocks until all of them have taken over, but no longer than
// limit. [Hosts.Close] lets them do their work.
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
		heir.lost = func(string, string, exit.Status) {}
		// Without a proxy what is left stays there: the host itself may be lost.
		if h.startProxy(heir, program) == nil {
			heir.describe(message.ProxyJob{Keep: c.dir, Token: c.token, Inherit: true})
			heirs = append(heirs, heir)
		}
	}
	holders := TokenHolders{Signals: make(chan os.Signal)}
	over := time.After(limit)
	for _, heir := range heirs {
		_ = heir.awaitAnswer(holders, over)
	}
}
