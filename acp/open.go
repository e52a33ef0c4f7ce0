package acp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/access/gma"
	"github.com/goacp/goacp/internal/access/registration"
	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/memory/maptable"
	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/internal/network/am"
	"github.com/goacp/goacp/internal/network/driver"
	"github.com/goacp/goacp/internal/network/router"
	"github.com/goacp/goacp/internal/process/barrier"
	"github.com/goacp/goacp/internal/process/collective"
	"github.com/goacp/goacp/internal/process/extension"
	"github.com/goacp/goacp/internal/process/lifecycle"
	"github.com/goacp/goacp/internal/process/startup"
	"github.com/goacp/goacp/internal/process/watchdog"
	"github.com/goacp/goacp/internal/structure/channel"
	"github.com/goacp/goacp/internal/structure/hashed"
	"github.com/goacp/goacp/internal/structure/named"
	"github.com/goacp/goacp/internal/structure/segbuf"
	"github.com/goacp/goacp/internal/structure/workspace"
)

// Open makes this process a rank of the run that cfg describes.
//
// Fails if the other ranks cannot be reached, or cannot be reached in the mode asked
// for. Collective. Blocks until every rank has called it; ctx bounds that. Not for
// concurrent use. Spec 4.1.1.
//
// If GOMAXPROCS is 1, as in a process that may run on one processor only, Open of a run of several ranks sets
// it to 2, unless the environment sets it: goroutines of the library block in the kernel, and other
// goroutines have to run meanwhile.
func Open(ctx context.Context, cfg Config) (*Process, error) {
	if cfg.StarterSize == 0 {
		cfg.StarterSize = DefaultStarterSize
	}
	if cfg.ChannelSize == 0 {
		cfg.ChannelSize = DefaultChannelSize
	}
	if cfg.extensions == nil {
		cfg.extensions = extension.Sealed()
	}
	if cfg.debug.Layers != "" {
		if err := debuglog.Start(cfg.debug); err != nil {
			return nil, &OpError{Op: "init", Rank: -1, Err: err}
		}
	}
	if cfg.Bootstrap == nil {
		boot, err := bridge.Start(ctx)
		if err != nil {
			return nil, &OpError{Op: "init", Rank: -1, Err: err}
		}
		cfg.Bootstrap = boot
	}
	debuglog.Rank(cfg.Bootstrap.Member())
	p := &Process{state: &state{cfg: cfg}, ctx: context.Background()}
	p.lifecycle = lifecycle.New(lifecycle.Config{Boot: cfg.Bootstrap, Fail: p.endWaiting, OnLost: cfg.OnLost})
	if err := p.open(ctx); err != nil {
		// The other ranks must not wait for this one.
		rank := cfg.Bootstrap.Member()
		cfg.Bootstrap.Abort(bridge.Abort{Reason: fmt.Sprintf("rank %d could not start: %v", rank, err)})
		p.abandon()
		return nil, &OpError{Op: "init", Rank: Rank(rank), Err: err}
	}
	return p, nil
}

// open makes the parts of the process, from the bottom up. The last step lets other ranks reach it.
func (p *Process) open(ctx context.Context) error {
	boot := p.cfg.Bootstrap
	cohort, seats := boot.Cohort(), boot.Seats()
	if seats > MaxProcs {
		return fmt.Errorf("%d processes: at most %d ranks are possible", seats, MaxProcs)
	}
	run := ga.Run{Seats: seats}
	if p.elastic = bridge.ElasticOf(boot); p.elastic != nil {
		run.Limit = p.elastic.Limit()
	}
	p.ranks = ga.NewCohort(run, cohort.First, cohort.Size, boot.Member())
	err := p.makeWaiting()
	if err != nil {
		return err
	}
	defer p.page.Wake(p.page.Sleep(activity.For(activity.Start)))
	p.met, err = startup.Meet(ctx, startup.Config{
		Boot: boot, Mode: p.cfg.Mode, StarterSize: p.cfg.StarterSize, HeapSize: p.cfg.HeapSize,
		Extensions: extension.Signatures(p.cfg.extensions),
	})
	if err != nil {
		return err
	}
	p.space = p.met.Space
	if err := p.openRouter(); err != nil {
		return err
	}
	p.makeMemory()
	if err := p.makeStructures(); err != nil {
		return err
	}
	p.met.Roster.Watch(p.memberChanged)
	p.watchdog = watchdog.New(watchdog.Config{
		Lifecycle: p.lifecycle, Roster: p.met.Roster, Ranks: p.ranks, Barrier: p.barrier, Collective: p.collective,
	})
	if cohort.Newcomer() {
		return p.awaitAdoption(ctx)
	}
	groups, err := p.formBarrier(ctx)
	if err != nil {
		return err
	}
	groups.SetBases(p.met.Roster)
	if err := p.watchdog.MPIFinalize(); err != nil {
		return err
	}
	if err := p.serve(); err != nil {
		return err
	}
	p.begin()
	return nil
}

// serve begins to serve other ranks.
func (p *Process) serve() error {
	return p.router.Serve(p.mem.Own, p.structures.Operations(), p.structures.Notices())
}

// begin begins to watch for the end of the run, and for signals that ask this rank to leave.
func (p *Process) begin() {
	p.lifecycle.Begin()
	p.watchLeaveSignals()
	p.traffic.Opened()
}

// makeWaiting makes the activity page and the condition variable in which goroutines of this process wait.
func (p *Process) makeWaiting() error {
	if p.ranks.Seats() > 1 {
		wait.ShareScheduler()
	}
	boot := p.cfg.Bootstrap
	page, err := activity.New(boot.Token().Run(), boot.Member(), p.ranks.End(), maptable.Size(p.ranks.Limit()))
	if err != nil {
		return err
	}
	// The table outlives Finalize: calls on a finalized Process still look at it.
	runtime.AddCleanup(p.state, func(page *activity.Page) { page.Free() }, page)
	t := maptable.In(page.Counters(), p.ranks.End())
	p.page, p.direct = page, t
	if err := p.makeTraffic(); err != nil {
		return err
	}
	p.budget.Show(page)
	p.budget.KeepIn(&t.Load)
	p.barrier = barrier.New(&t.Barrier)
	p.cond = wait.NewCond(&p.budget, func() bool { return p.router.Poll() })
	p.cond.PollInlineBy(func(quiet time.Duration, done func() bool) bool { return p.router.PollInline(quiet, done) })
	p.cond.FlushBy(func() { p.router.Send() })
	p.collective = collective.New(collective.Config{
		Ranks: p.ranks, Boot: p.cfg.Bootstrap, Barrier: p.barrier, Running: p.lifecycle.Running(),
		Ask: func(member int, answer []byte) (int, error) {
			return p.mem.Call(member, am.OpProgress, nil, answer)
		},
		Page: page, Reason: p.lifecycle.Reason, Abort: p.lifecycle.End, Lose: p.lifecycle.Lose,
	})
	return nil
}

// makeTraffic makes the table that counts transfers, if this process is to count.
func (p *Process) makeTraffic() error {
	if !p.cfg.Stats {
		return nil
	}
	path := ""
	if p.cfg.statsDir != "" {
		path = filepath.Join(p.cfg.statsDir, traffic.FileName(p.ranks.Self()))
	}
	t, err := traffic.New(path, p.ranks.Self(), p.ranks.Seats())
	if err != nil {
		return err
	}
	// Calls on a finalized Process still look at it.
	runtime.AddCleanup(p.state, func(t *traffic.Table) { _ = t.Free() }, t)
	p.traffic = t
	p.direct.SetTraffic(t.Pointer())
	p.page.OnWake(t.Waited)
	return nil
}

// openRouter opens the fabrics. They serve no other rank yet.
func (p *Process) openRouter() error {
	met, boot := p.met, p.cfg.Bootstrap
	secure, err := bridge.SecureFromEnv(os.Getenv)
	var credentials *bridge.Credentials
	if err == nil {
		credentials, err = bridge.NewCredentials(boot.Token(), secure)
	}
	if err != nil {
		met.Listener.Close()
		return err
	}
	p.router, err = router.Open(router.Config{
		Process: driver.Process{
			Self: boot.Member(), Seats: p.ranks.Seats(), Local: met.Local,
			Members: met.Members, Roster: met.Roster, Universe: met.Universe, Run: met.Run, Space: met.Space, Listener: met.Listener,
			Auth: credentials.Agent(boot.Member()), Ranks: p.ranks.Rank, Go: p.starters.Go,
			Call: func(member int, op am.Op, request, answer []byte) (int, error) {
				return p.mem.Call(member, op, request, answer)
			},
			Over: p.alive, Lost: boot.Lost(), PollBudget: p.budget.Poll, Attach: p.cfg.attach,
			MaySpin: p.budget.Ample,
		},
		PeerLost: p.peerLost,
		Mapped:   func(member int, m segment.Memory) { p.mem.Mapped(member, m) },
	})
	if p.router != nil {
		p.space = p.router.Space()
		met.Roster.Watch(p.connectionChanged)
	}
	if err == nil && p.cfg.pool != nil {
		err = p.space.SetPool(*p.cfg.pool)
	}
	return err
}

// makeMemory makes the memory of all ranks and the engine that accesses it.
func (p *Process) makeMemory() {
	t := p.direct
	p.mem = global.New(global.Config{Ranks: p.ranks, Router: p.router, Direct: t, Cond: p.cond, Alive: p.alive, Traffic: p.traffic})
	p.regs = registration.New(registration.Config{
		Self: p.ranks.Self(), Space: p.space, Withdraw: p.router.Withdraw, Over: p.lifecycle.Over,
	})
	p.router.Renumber()
	if f := p.router.Calls(); f != nil {
		t.SetWindows(f)
	}
	p.engine = gma.New(gma.Config{
		Table: t, Router: p.router, Space: p.space, Cond: p.cond, Traffic: p.traffic,
		Member: p.ranks.Member, Go: p.starters.Go, Failed: p.accessFailed,
	})
}

// makeStructures makes the structures and extensions that have a part in the life cycle of this process.
func (p *Process) makeStructures() error {
	p.tables = hashed.NewClient(p.mem)
	p.workspaces = workspace.New(p.mem, p.collective)
	p.segbufs = segbuf.New(p.mem, p.router, p.cond, p.publish)
	p.values = new(named.Values)
	p.channels = channel.NewEngine(channel.Config{
		Mem: p.mem, Router: p.router, Direct: p.direct, Budget: &p.budget, Over: p.lifecycle.Running().Done(), Traffic: p.traffic, Failed: p.channelFailed,
	})
	systems, of, err := extension.Open(p.cfg.extensions, p.met.Extensions, extension.Process{
		Ranks: p.ranks, Memory: p.mem, Cond: p.cond, Page: p.page, Budget: &p.budget, Lifecycle: p.lifecycle, Members: p.met.Members, Roster: p.met.Roster,
		Messenger: p.router.Agents(), Collective: p.collective,
	})
	if err != nil {
		return err
	}
	p.extensions = systems
	p.structures = append(p.ownStructures(), of...)
	return nil
}

// formBarrier forms the groups of the barrier together with the other ranks of the epoch.
func (p *Process) formBarrier(ctx context.Context) (startup.Groups, error) {
	groups, err := startup.Group(ctx, p.cfg.Bootstrap, p.met.Roster, p.router)
	if err != nil {
		return groups, err
	}
	return groups, groups.Form(p.barrier, startup.BarrierConfig{
		Budget: &p.budget, Space: p.space, Router: p.router, Watchdog: p.watchdog,
	})
}

// abandon takes down what a failed Open had set up.
func (p *Process) abandon() {
	p.lifecycle.Finalize()
	p.page.Hide()
	if p.router != nil {
		p.router.CloseAgents()
		p.structures.Close()
		p.router.Unmap()
	}
	if p.watchdog != nil {
		p.watchdog.Close()
	}
	if p.space != nil {
		p.space.Close()
	}
	p.cfg.Bootstrap.Close()
}
