package watchdog

import (
	"errors"
	"fmt"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/ground/pid"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/process/barrier"
	"github.com/goacp/goacp/internal/process/collective"
	"github.com/goacp/goacp/internal/process/lifecycle"
)

// Config is what a Watchdog needs of its process. All fields are required.
type Config struct {
	Lifecycle  *lifecycle.Lifecycle
	Roster     *bridge.Roster
	Ranks      *ga.Ranks
	Barrier    *barrier.Barrier
	Collective *collective.Caller
}

// Watchdog is what one process watches.
type Watchdog struct {
	cfg       Config
	neighbour *pid.Process // nil if none is watched
	finalize  mpiFinalize
}

// New returns a Watchdog that watches nothing yet.
func New(cfg Config) *Watchdog { return &Watchdog{cfg: cfg} }

// Neighbour starts to watch the process of a member on this host, if the kernel permits it. The
// barrier of this process asks ended while it is parked, and calls missing when the member has
// ended and is waited for: that ends the run. Both are nil if the process is not watched. The member of the call before is
// not watched any more. No goroutine is in the barrier.
func (w *Watchdog) Neighbour(member int) (ended func() bool, missing func()) {
	if w.neighbour != nil {
		_ = w.neighbour.Close() // of an earlier epoch
		w.neighbour = nil
	}
	c := w.cfg.Roster.CohortOf(member).At(member)
	process, err := pid.Open(int(c.PID), c.StartTime)
	if err != nil {
		return nil, nil
	}
	w.neighbour = process
	ended = func() bool { return !process.Alive() }
	missing = func() {
		w.cfg.Lifecycle.Missing(member, func() string {
			return fmt.Sprintf("rank %d (host %s, pid %d) ended without acp_finalize while rank %d waits for it",
				w.cfg.Ranks.Rank(member), c.HostName, c.PID, w.cfg.Ranks.Own())
		})
	}
	return ended, missing
}

// Close ends the watch. The Lifecycle has finalized, and no goroutine is in the barrier.
func (w *Watchdog) Close() error {
	var err error
	if w.neighbour != nil {
		err = w.neighbour.Close()
	}
	return errors.Join(err, w.finalize.end())
}
