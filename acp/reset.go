package acp

import (
	"errors"
	"fmt"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/process/collective"
)

// Reset starts the library anew with this process as rank. GMAs in flight are completed
// first; then all starter memory is zero and all keys, GAs, handles, workspaces and
// channels are gone. The ranks passed by all processes must be 0 … Procs-1, each once;
// otherwise every process gets ErrNotPermutation and the ranks, memory and keys are as
// before. So they are with ErrGuests, if guests are present. If another rank has called another collective function, ErrDisagree is returned
// and the run ends.
//
// The errors of this process's GMAs that failed are returned, too; they do not keep it
// from taking part, as the others wait for it.
//
// Collective. Blocks until every rank has called it. Not for concurrent use. Spec
// 4.1.7.
func (p *Process) Reset(rank Rank) error {
	_, err := together(p, collective.Call{Function: collective.Reset}, uint64(rank), func(p *Process) (struct{}, error) {
		return struct{}{}, p.reset(rank)
	})
	return err
}

func (p *Process) reset(rank Rank) error {
	if err := p.alive(); err != nil {
		return p.lifeError("reset", err)
	}
	if p.ranks.First() > 0 {
		return p.lifeError("reset", fmt.Errorf("%w: guests of a run keep their ranks", ErrNotPermutation))
	}
	if p.ranks.Epoch() > 0 {
		return p.lifeError("reset", fmt.Errorf("%w: the run is in epoch %d, and ranks keep their numbers from epoch 1 on", ErrNotPermutation, p.ranks.Epoch()))
	}
	failed := p.Complete(HandleAll)
	p.structures.Settle()
	return p.lifeError("reset", errors.Join(failed, p.restart(rank)))
}

// restart is the part of Reset that runs when no GMA of this process is in flight.
func (p *Process) restart(rank Rank) error {
	if err := p.alive(); err != nil {
		return err
	}
	ranks, err := p.collective.Permute(int(rank), p.met.Roster.HasGuests())
	if err != nil {
		return err
	}
	// No rank has a GMA in flight now, and none starts one before the last exchange.
	p.structures.Release()
	if err := p.reportRenumbering(ranks); err != nil {
		return err
	}
	if _, err := p.collective.Exchange(collective.Reset, nil); err != nil {
		return err
	}
	err = errors.Join(p.regs.Reset(), p.space.Reset())
	p.engine.Reset()
	p.mem.Renumber(ranks)
	p.structures.Forget()
	if _, xerr := p.collective.Exchange(collective.Reset, nil); err == nil {
		err = xerr
	}
	return err
}

// reportRenumbering tells the rendezvous that ranks change, as the first member, before any other process returns from
// Reset: processes that would join later do not know the new ranks.
func (p *Process) reportRenumbering(ranks []uint32) error {
	if p.ranks.Self() > 0 {
		return nil
	}
	for member, rank := range ranks {
		if int(rank) != member {
			return bridge.Renumbered(p.cfg.Bootstrap)
		}
	}
	return nil
}
