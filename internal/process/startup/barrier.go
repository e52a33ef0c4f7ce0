package startup

import (
	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/internal/network/am"
	"github.com/goacp/goacp/internal/network/router"
	"github.com/goacp/goacp/internal/process/barrier"
	"github.com/goacp/goacp/internal/process/watchdog"
)

// BarrierConfig is what the barrier of a process needs besides the groups.
type BarrierConfig struct {
	Budget   *wait.Budget
	Space    *segment.Space
	Router   *router.Router
	Watchdog *watchdog.Watchdog
}

// Form makes a barrier that of the groups. Waiting threads may spin from then on, while there are
// processors enough. Fails if the memory of the leader cannot be mapped.
func (g *Groups) Form(b *barrier.Barrier, cfg BarrierConfig) error {
	g.allot(cfg)
	self, epoch := g.Self, g.Epoch // the barrier keeps the epoch, and not the rest of g
	agents := cfg.Router.Agents()
	form := barrier.Config{
		Self: self, Leaders: g.Leaders, Budget: cfg.Budget, Poll: agents.Poll,
		Notify: func(member int, round uint32, note uint64) error {
			return agents.Notify(epoch.Member(member), uint16(am.NoticeBarrier), round, note)
		},
	}
	next, leader := barrier.Next(self, g.Leaders), g.Leaders[self]
	switch {
	case next == self: // alone
	case leader == self:
		form.Words = cfg.Space.Barrier()
	default:
		v, err := cfg.Router.View(epoch.Member(leader))
		if err != nil {
			return err
		}
		form.Words = v.Barrier()
	}
	if next != self {
		form.Ended, form.Missing = cfg.Watchdog.Neighbour(epoch.Member(next))
	}
	b.Form(form)
	return nil
}

// allot decides when threads may spin. Members count those that are awake only if these share
// memory with them. All others count as awake.
func (g *Groups) allot(cfg BarrierConfig) {
	s := g.Sharing
	if s.Members <= s.Processors {
		cfg.Budget.Permit(s.Processors / max(s.Members, 1))
		return
	}
	if s.Apart >= s.Processors {
		return
	}
	awake := cfg.Space.Awake()
	if s.First != g.Self {
		v, err := cfg.Router.View(g.Epoch.Member(s.First))
		if err != nil {
			return // the others spin as if this member slept
		}
		awake = v.Awake()
	}
	cfg.Budget.Share(awake, s.Processors-s.Apart)
}
