package acp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/access/gma"
	"github.com/goacp/goacp/internal/access/registration"
	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/memory/maptable"
	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/internal/network/router"
	_ "github.com/goacp/goacp/internal/process/announce" // tells macprun of this process before main
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

// Process is one rank. It carries all state of the library; make it with Init or
// Open and end it with Finalize.
//
// A Process that WithContext returns is the same rank. Its blocking methods return early when the context
// ends.
type Process struct {
	*state
	ctx context.Context // of calls that block

	// Used by every call, so they are here.
	direct  *maptable.Table
	engine  *gma.Engine
	mem     *global.Memory // of all ranks, in which ctx ends waiting
	tables  *hashed.Client
	traffic *traffic.Table // counts what this process transfers; nil: nothing does
}

// state is the part of a Process that exists once for a rank, whatever contexts it uses.
type state struct {
	cfg     Config
	ranks   *ga.Ranks
	elastic bridge.Elastic   // nil: the ranks of this process's cohort are fixed
	met     *startup.Meeting // what is known of the members since the start
	router  *router.Router
	space   *segment.Space // what this process publishes
	regs    *registration.Registrations

	workspaces *workspace.Workspaces
	segbufs    *segbuf.Buffers
	values     *named.Values
	channels   *channel.Engine
	extensions *extension.Set
	structures lifecycle.Structures // all of these

	page       *activity.Page // shows readers what goroutines of the program wait for
	budget     wait.Budget
	cond       *wait.Cond     // operations in flight are waited for here
	starters   sync.WaitGroup // goroutines that start GMAs and transfers
	barrier    *barrier.Barrier
	collective *collective.Caller
	all        succession // the collective functions of all ranks
	groups     groups
	watchdog   *watchdog.Watchdog
	lifecycle  *lifecycle.Lifecycle
	changes    memberChanges
}

// Init makes this process a rank of the run that its launcher started, or the only
// rank of its own. It is the first call of the library.
//
// When the run is over before Finalize because a rank died or the launcher is gone,
// the process ends with status 1, as the launcher would end it. A program that wants
// to handle that itself uses Open. In a run that can shrink, SIGTERM and SIGINT ask the rank to leave, see
// Config.LeaveSignals.
//
// Fails if the environment is malformed or the other ranks cannot be reached.
// Collective. Blocks until every rank has called it; ctx bounds that. Not for
// concurrent use. Spec 4.1.1.
func Init(ctx context.Context) (*Process, error) {
	return InitWith(ctx, func(*Config) error { return nil })
}

// InitWith is Init with a configuration that complete may change before. It fails with the error of complete, too. Collective. Blocks as Init
// does. Addition of GoACP.
func InitWith(ctx context.Context, complete func(c *Config) error) (*Process, error) {
	cfg, err := ConfigFromEnv(os.Getenv)
	if err != nil {
		return nil, &OpError{Op: "init", Rank: -1, Err: err}
	}
	cfg.OnLost = endOnLoss
	cfg.LeaveSignals = []os.Signal{syscall.SIGTERM, syscall.SIGINT}
	if err := complete(&cfg); err != nil {
		return nil, &OpError{Op: "init", Rank: -1, Err: err}
	}
	return Open(ctx, cfg)
}

// endOnLoss is the OnLost of processes that a launcher started: it ends the process with status 1. The
// launcher has printed the reason, unless the launcher itself is gone.
func endOnLoss(err error) {
	var abort *bridge.AbortError
	if !errors.As(err, &abort) {
		fmt.Fprintf(os.Stderr, "acp: process %d: %v; giving up\n", os.Getpid(), err)
	}
	os.Exit(1)
}

// Rank returns the rank of this process; Reset changes it. Local. Does not block.
// Spec 4.1.5.
func (p *Process) Rank() Rank { return Rank(p.ranks.Own()) }

// Procs returns one more than the highest rank of the epoch: of the processes that call collective functions together with
// this one. At the beginning of a run that is the number of ranks. Local. Does not block. Spec 4.1.4.
func (p *Process) Procs() int { return p.ranks.End() }

// Sync waits until every rank has called it. It does not complete GMAs.
//
// Fails with ErrPeerDead when the run is over, and with ErrDisagree, which ends the run, if
// another rank has called another collective function. Collective. Blocks until every rank
// has called it. Not for concurrent use. Spec 4.1.6.
func (p *Process) Sync() error {
	_, err := together(p, collective.Call{}, 0, syncAll)
	return err
}

func syncAll(p *Process) (struct{}, error) {
	return struct{}{}, p.lifeError("sync", p.meet(collective.Call{}))
}

// meet begins a collective function: it waits until every rank has called it. If they have
// not all called c, the run is over and the error wraps ErrDisagree.
func (p *Process) meet(c collective.Call) error {
	if err := p.alive(); err != nil {
		return err
	}
	return p.collective.Begin(c)
}

// finishSync is FinishSync of package binding.
func (p *Process) finishSync() error {
	return p.lifeError("sync", p.collective.FinishSync())
}

// Abort ends the run: the launcher is told reason and ends the other ranks. The
// caller should exit; its Process is of no further use. Any rank. Waits for the
// network no longer than a second. Spec 4.1.3.
func (p *Process) Abort(reason string) { p.lifecycle.Abort(bridge.Abort{Reason: reason}) }

// Finalize completes this process's GMAs, waits until every rank has called it and
// frees everything the library holds. It is the last call.
//
// Returns the errors of GMAs that failed, and ErrDisagree, which ends the run, if another
// rank has called another collective function. Collective. Blocks until every rank has
// called it. Not for concurrent use. Spec 4.1.2.
func (p *Process) Finalize() error {
	_, err := together(p, collective.Call{Function: collective.Finalize}, 0, func(p *Process) (struct{}, error) {
		return struct{}{}, p.finalize()
	})
	return err
}

func (p *Process) finalize() error {
	switch err := p.alive(); {
	case errors.Is(err, ErrLeft):
		return p.closeLeft()
	case err != nil && !errors.Is(err, ErrPeerDead):
		return p.lifeError("finalize", err)
	}
	failed := p.Complete(HandleAll)
	p.structures.Settle()
	err := p.lifeError("finalize", p.meet(collective.Call{Function: collective.Finalize}))
	return errors.Join(failed, err, p.close())
}

// close takes down what open set up, in the opposite order.
func (p *Process) close() error {
	p.direct.Shut()
	p.page.Hide()
	p.traffic.Closed()
	p.lifecycle.Finalize()
	err := p.router.CloseAgents()
	p.changes.end()
	// When the run was lost, GMAs may still be on their way. Those over tcp have just
	// ended; those that waited for them must end, too, before memory is unmapped.
	p.starters.Wait()
	p.structures.Close()
	p.cond.End(ErrFinalized)
	p.structures.Fail(ErrFinalized)
	p.budget.Leave()
	err = errors.Join(err, p.router.Unmap())
	// No rank has a GMA under way that windows or agents carry out. If the run is over, the
	// barrier has returned that.
	p.regs.Close()
	err = errors.Join(err, p.space.Close())
	return errors.Join(err, p.watchdog.Close(), p.router.CloseRest(p.lifecycle.Over() != nil), p.met.Universe.Close(), p.cfg.Bootstrap.Close())
}

// endWaiting ends all waiting of this process with err: the run is over.
func (p *Process) endWaiting(err error) {
	p.direct.Shut()
	p.cond.End(err)
	p.barrier.End(err)
	p.structures.Fail(err)
}

// alive returns nil while the Process can be used.
func (p *Process) alive() error { return p.lifecycle.Alive() }

// member returns the member that has rank r now.
func (p *Process) member(r Rank) int { return p.ranks.Member(int(r)) }
