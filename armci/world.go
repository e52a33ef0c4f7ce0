package armci

import (
	"context"
	"errors"
	"fmt"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/structure/message"
	"github.com/goacp/goacp/internal/system/armci/core"
	"github.com/goacp/goacp/internal/system/armci/group"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// Config is the configuration of a world. The zero value is valid.
type Config struct {
	// Ranks are the processes of the world, in order of their numbers. All of them pass the same.
	// Nil: the processes of the job of this process, as Job returns them.
	Ranks []acp.Rank

	// ProcessDomains makes every process a separate domain. It is enough if one process sets it.
	ProcessDomains bool
}

// World is the set of processes that use ARMCI together. The value belongs to one of them. Several
// goroutines may call its methods at once, except collective methods.
type World struct {
	system   *core.System
	session  *core.Session
	groups   *group.Groups
	ctx      context.Context // that of WithContext
	mem      *global.Memory  // with the same context
	failures *failures
}

// Job returns the ranks of the job that a process belongs to, in order. With MPI these are the
// processes of its MPI_COMM_WORLD. Local. Does not block. ARMCI API: ARMCI_Init.
func Job(p *acp.Process) []acp.Rank {
	s := core.Of(p)
	return ranksOf(s, s.Members())
}

// Run returns all ranks of the run, in order: the ranks of all jobs. Local. Does not block. ARMCI API:
// ARMCI_Init, with ARMCI_WORLD=run.
func Run(p *acp.Process) []acp.Rank {
	s := core.Of(p)
	return ranksOf(s, s.Run())
}

func ranksOf(s *core.System, members []int) []acp.Rank {
	ranks := make([]acp.Rank, len(members))
	for i, m := range members {
		ranks[i] = acp.Rank(s.Process().Ranks.Rank(m))
	}
	return ranks
}

// Open makes a world. A process may be in one world at a time. Fails with ErrState if it is in a world,
// and with ErrProc if a rank in the list does not exist, occurs twice or does not have ARMCI, or if
// this process is not in the list. Collective. Blocks until every process in the list has called it.
// Not for concurrent use. ARMCI API: ARMCI_Init.
func Open(p *acp.Process, cfg Config) (*World, error) {
	s := core.Of(p)
	members, err := members(s, cfg.Ranks)
	if err != nil {
		return nil, &OpError{Op: "open", Proc: -1, Target: -1, Err: err}
	}
	f := new(failures)
	if err := s.Begin(members, core.Options{ProcessDomains: cfg.ProcessDomains, Failed: f.add}); err != nil {
		return nil, &OpError{Op: "open", Proc: -1, Target: -1, Err: err}
	}
	session := s.Session()
	w := &World{system: s, session: session, ctx: context.Background(), mem: s.Process().Memory, failures: f}
	w.groups = group.New(message.Of(p), session.World)
	session.Everyone = w.groups.All()
	return w, nil
}

// members returns the members of the run that have some ranks; nil: those of the job.
func members(s *core.System, ranks []acp.Rank) ([]int, error) {
	if ranks == nil {
		return s.Members(), nil
	}
	all := s.Process().Ranks
	met := make(map[acp.Rank]bool)
	var list []int
	for _, r := range ranks {
		if r < 0 || int(r) >= all.Size() || met[r] {
			return nil, fmt.Errorf("%w: rank %d of %d, or twice", world.ErrProc, r, all.Size())
		}
		met[r] = true
		list = append(list, all.Member(int(r)))
	}
	return list, nil
}

// Close completes and fences all operations of this process, waits for all processes, and frees the
// memory and mutexes of the world. The program must not use its slices any more. A world may be opened
// again. Fails with ErrState if the world is closed, and with the errors of Fence. Collective. Blocks
// until every process of the world has called it. Not for concurrent use. ARMCI API: ARMCI_Finalize.
func (w *World) Close() error {
	s, err := w.live()
	if err != nil {
		return w.failed("close", err)
	}
	settled := w.settle(s)
	err = w.system.End()
	w.groups.Close()
	return w.failed("close", errors.Join(settled, err))
}

// live returns the state of this process in the world. Fails with ErrState if the world has been
// closed, or if the process has been reset.
func (w *World) live() (*core.Session, error) {
	if s := w.session; w.system.Session() == s {
		return s, nil
	}
	return nil, fmt.Errorf("%w: the world has been closed", world.ErrState)
}

// Proc returns the number of this process in the world. Local. Does not block. ARMCI API:
// armci_msg_me.
func (w *World) Proc() int { return w.session.World.Self() }

// Procs returns the number of processes. Local. Does not block. ARMCI API: armci_msg_nproc.
func (w *World) Procs() int { return w.session.World.Procs() }

// Rank returns the ACP rank of a process, and -1 if there is no such process. Local. Does not block.
// ARMCI API: ARMCIX_Acp_rank.
func (w *World) Rank(proc int) acp.Rank {
	if w.session.World.Check(proc) != nil {
		return -1
	}
	return acp.Rank(w.system.Process().Ranks.Rank(w.session.World.Member(proc)))
}
