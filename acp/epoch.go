package acp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/process/collective"
)

// fixed returns the error of a cohort that cannot grow or shrink.
func (p *Process) fixed() error {
	if p.met.Roster.CohortNumber(p.ranks.Self()) != 0 {
		return fmt.Errorf("%w: guests do not join or leave the epochs of the run to which they have attached", ErrFixed)
	}
	return fmt.Errorf("%w; start it with -max", ErrFixed)
}

// Epoch is the ranks that call collective functions together, between two calls of Adopt.
type Epoch struct {
	Number int    // how often they have called Adopt
	Ranks  []Rank // ascending
}

// Epoch returns the epoch of the cohort of this process. The slice belongs to the caller. Local. Does not block.
func (p *Process) Epoch() Epoch {
	e := Epoch{Number: p.ranks.Epoch()}
	for _, m := range p.ranks.Members() {
		e.Ranks = append(e.Ranks, Rank(p.ranks.Rank(m)))
	}
	slices.Sort(e.Ranks)
	return e
}

// Adopt begins the next epoch. It has the ranks of this one that pass true, and all ranks that wait in Init or Open when
// the last rank has called Adopt. All of them then call the same collective functions. A rank that passes false has left:
// it may call Finalize, which waits for no other rank, and nothing else. What its memory held is gone.
//
// A rank leaves only by this call, when it has moved its data. Fails with ErrFixed if the run cannot shrink, and with
// ErrStays on a rank that cannot leave: rank 0, a rank of a job whose number of processes is fixed, and a rank that has a
// part of a workspace or of an extension's structure. The call has then not counted, and the others wait for the next one.
//
// Fails with ErrPeerDead when the run is over, and with ErrDisagree, which ends the run, if another rank has called another
// collective function. Collective. Blocks until every rank of the epoch has called it. Not for concurrent use.
func (p *Process) Adopt(stay bool) (Epoch, error) {
	arg := uint64(0)
	if stay {
		arg = 1
	}
	return together(p, collective.Call{Function: collective.Adopt}, arg, func(p *Process) (Epoch, error) {
		if err := p.adopt(stay); err != nil || !stay {
			return Epoch{}, p.lifeError("adopt", err)
		}
		return p.Epoch(), nil
	})
}

func (p *Process) adopt(stay bool) error {
	if err := p.alive(); err != nil {
		return err
	}
	if !stay {
		if err := p.mayLeave(); err != nil {
			return err
		}
		if err := p.Complete(HandleAll); err != nil {
			return err
		}
		p.lifecycle.BeginLeave()
		p.structures.Settle()
	}
	if err := p.meet(collective.Call{Function: collective.Adopt}); err != nil {
		return err
	}
	if same, err := p.staysTheSame(stay); err != nil {
		return err
	} else if same {
		p.ranks.Begin(p.ranks.Epoch()+1, p.ranks.Members())
		return nil
	}
	if !stay {
		p.lifecycle.Leave(ErrLeft)
	}
	number, err := p.elastic.Adopt(p.lifecycle.Running(), p.ranks.Epoch(), stay)
	switch {
	case err != nil:
		return p.exchangeError(err)
	case !stay:
		p.leave()
		return nil
	}
	return p.beginEpoch(p.lifecycle.Running(), number)
}

// staysTheSame reports whether the next epoch has the ranks of this one, and is the same on all of them. All ranks have called Adopt.
// The first one asks the rendezvous for all of them whether processes wait. It says what it knows, and a rank that leaves says that it
// does, by a mark at a barrier. So nothing else is sent if nothing changes. If something does, all ranks vote.
func (p *Process) staysTheSame(stay bool) (same bool, err error) {
	if p.elastic == nil {
		return true, nil
	}
	if p.ranks.Self() == p.ranks.First() {
		// It may not have received the arrival of a process of which another rank knows.
		if !p.met.Roster.Waiting() {
			if err := p.met.Roster.Refresh(p.lifecycle.Running()); err != nil {
				return false, p.exchangeError(err)
			}
		}
		stay = !p.met.Roster.Waiting()
	}
	return p.collective.Unanimous(stay)
}

// mayLeave returns why this rank cannot leave, or nil.
func (p *Process) mayLeave() error {
	switch {
	case p.elastic == nil:
		return p.fixed()
	case p.ranks.Self() == 0:
		return fmt.Errorf("%w: rank %d stays until the end of the run", ErrStays, p.Rank())
	case !p.elastic.MayLeave():
		return fmt.Errorf("%w: its job was started without -max or the key max", ErrStays)
	}
	if err := p.structures.Leave(); err != nil {
		return fmt.Errorf("%w: it has a part of %w", ErrStays, err)
	}
	return nil
}

// exchangeError returns the error of an exchange with the rendezvous: the reason why the run is over, if it is.
func (p *Process) exchangeError(err error) error {
	if over := p.barrier.Over(); over != nil {
		return over
	}
	return fmt.Errorf("%w: %w", ErrPeerDead, err)
}

// beginEpoch begins an epoch whose ranks this process has received from the rendezvous. The barrier is formed anew, also if they
// are the ranks of the last one because those that would have changed them have ended: the ranks have brought different marks to it.
func (p *Process) beginEpoch(ctx context.Context, number int) error {
	members := p.met.Roster.Epoch().Members()
	p.budget.Withdraw()
	p.barrier.Reset()
	p.space.Barrier().Reset()
	p.ranks.Begin(number, members)
	p.direct.SetProcs(p.ranks.End())
	groups, err := p.formBarrier(ctx)
	if err != nil {
		return p.exchangeError(err)
	}
	groups.SetBases(p.met.Roster)
	return nil
}

// awaitAdoption is the rest of open for a process that has come later.
func (p *Process) awaitAdoption(ctx context.Context) error {
	// Residents may use the memory of a rank that waits.
	if err := p.serve(); err != nil {
		return err
	}
	number, err := p.elastic.Adopt(ctx, 0, true)
	if err != nil {
		return err
	}
	if err := p.beginEpoch(ctx, number); err != nil {
		return err
	}
	p.begin()
	return nil
}

// leave ends the use of the process, apart from Finalize. Other ranks have received that it has left.
func (p *Process) leave() {
	p.direct.Shut()
	p.budget.Withdraw()
	p.lifecycle.Stop()
	p.cond.End(ErrLeft)
	p.structures.Fail(ErrLeft)
}

// closeLeft is Finalize of a rank that has left its epoch. Other ranks may still have its memory mapped, so it gives the
// pages back.
func (p *Process) closeLeft() error {
	return errors.Join(p.space.Reset(), p.close())
}

// Asked reports whether a rank is asked to leave: by AskLeave, acprun -leave, or a signal that the program does not handle.
// It leaves by Adopt when it has moved its data. Fails with ErrBadRank. Local. Does not block.
func (p *Process) Asked(rank Rank) (bool, error) {
	if err := p.checkSeat(rank); err != nil {
		return false, p.lifeError("request to leave", err)
	}
	return p.met.Roster.Asked(p.member(rank)), nil
}

// AskLeave asks a rank of the run to leave. All ranks of the run receive that, and AwaitChange returns. It is advice: the
// rank leaves by Adopt or never. Fails with ErrFixed if the run cannot shrink, with ErrStays for rank 0 and for a rank of a
// job whose number of processes is fixed, with ErrBadRank and ErrRankGone. Any rank. Does not block.
func (p *Process) AskLeave(rank Rank) error { return p.lifeError("ask to leave", p.askLeave(rank)) }

func (p *Process) askLeave(rank Rank) error {
	if err := p.alive(); err != nil {
		return err
	}
	if p.elastic == nil {
		return p.fixed()
	}
	if err := p.mem.CheckRank(int(rank)); err != nil {
		return err
	}
	member := p.member(rank)
	switch {
	case member == 0:
		return fmt.Errorf("%w: rank %d stays until the end of the run", ErrStays, rank)
	case !slices.Contains(p.ranks.Members(), member):
		return fmt.Errorf("%w: rank %d does not belong to the epoch", ErrBadRank, rank)
	case p.met.Roster.CohortOf(member).Stays(member):
		return fmt.Errorf("%w: rank %d belongs to a job whose number of processes is fixed", ErrStays, rank)
	}
	return p.elastic.AskLeave(member)
}

// AskJoin asks the launcher to start count more processes of the job of this one, as acprun -to RUN -np +count does; if that
// job is fixed, of the only one that can grow. They call Init, and wait there until the ranks of the run call Adopt. The
// launcher reports on its terminal if it cannot start them. Fails with ErrFixed if the run cannot grow, and with ErrBadSize.
// Any rank. Does not block.
func (p *Process) AskJoin(count int) error {
	return p.lifeError("ask for processes", p.askJoin(count, anywhere, 0))
}

// AskJoinNear is AskJoin for processes on the host of a rank of the epoch, whose heaps have heapSize bytes; 0 = as the launcher
// has it for the other processes of the job. It also fails with ErrBadRank. Any rank. Does not block.
func (p *Process) AskJoinNear(count int, rank Rank, heapSize uint64) error {
	return p.lifeError("ask for processes", p.askJoin(count, rank, heapSize))
}

// anywhere is in place of a rank: processes run where the plan of the run has them.
const anywhere Rank = math.MinInt

func (p *Process) askJoin(count int, near Rank, heapSize uint64) error {
	if err := p.alive(); err != nil {
		return err
	}
	if p.elastic == nil {
		return p.fixed()
	}
	if count < 1 || count > p.elastic.Limit() {
		return fmt.Errorf("%w: %d processes", ErrBadSize, count)
	}
	q := bridge.JoinRequest{Count: count, Near: -1, HeapSize: heapSize}
	if near == anywhere {
		return p.elastic.AskJoin(q)
	}
	if err := p.checkSeat(near); err != nil {
		return err
	}
	q.Near = p.member(near)
	if !slices.Contains(p.ranks.Members(), q.Near) {
		return fmt.Errorf("%w: rank %d does not belong to the epoch", ErrBadRank, near)
	}
	return p.elastic.AskJoin(q)
}
