package acp

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/goacp/goacp/internal/collective"
)

// Reset starts the library anew with this process as rank. GMAs in flight are completed
// first; then all starter memory is zero and all keys, GAs, handles, workspaces and
// channels are gone. The ranks passed by all processes must be 0 … Procs-1, each once;
// otherwise every process gets ErrNotPermutation and the ranks, memory and keys are as
// before. If another rank has called another collective function, ErrDisagree is returned
// and the run ends.
//
// The errors of this process's GMAs that failed are returned, too; they do not keep it
// from taking part, as the others wait for it.
//
// Collective. Blocks until every rank has called it. Not for concurrent use. Spec
// 4.1.7.
func (p *Process) Reset(rank Rank) error {
	if err := p.alive(); err != nil {
		return p.lifeError("reset", err)
	}
	failed := p.Complete(HandleAll)
	p.structures.Settle()
	return p.lifeError("reset", errors.Join(failed, p.restart(rank)))
}

// restart is what Reset does when nothing of this process is in flight.
func (p *Process) restart(rank Rank) error {
	blobs, err := p.gather(collective.Reset, binary.LittleEndian.AppendUint64(nil, uint64(rank)))
	if err != nil {
		return err
	}
	ranks, err := p.permutation(blobs)
	if err != nil {
		return err
	}
	// No rank has a GMA in flight now, and none starts one before the last exchange.
	p.structures.Release()
	if _, err := p.collective.Exchange(collective.Reset, nil); err != nil {
		return err
	}
	err = errors.Join(p.regs.Reset(), p.space.Reset())
	p.engine.Reset()
	p.structures.Forget()
	p.renumber(ranks)
	if _, xerr := p.collective.Exchange(collective.Reset, nil); err == nil {
		err = xerr
	}
	return err
}

// permutation decodes the new ranks of all members and checks them.
func (p *Process) permutation(blobs [][]byte) ([]uint32, error) {
	ranks := make([]uint32, len(blobs))
	taken := make([]bool, len(blobs))
	by := make([]Rank, len(blobs)) // the rank that has taken it
	for m, b := range blobs {
		old := p.rankOf(m)
		if len(b) != 8 {
			return nil, fmt.Errorf("%w: rank %d says in %d bytes which rank it wants to have", ErrDisagree, old, len(b))
		}
		r := binary.LittleEndian.Uint64(b)
		switch {
		case r >= uint64(len(blobs)):
			return nil, fmt.Errorf("%w: rank %d asks for rank %d, and there are ranks 0 to %d", ErrNotPermutation, old, int64(r), len(blobs)-1)
		case taken[r]:
			return nil, fmt.Errorf("%w: ranks %d and %d both ask for rank %d", ErrNotPermutation, by[r], old, r)
		}
		taken[r], by[r] = true, old
		ranks[m] = uint32(r)
	}
	return ranks, nil
}

// renumber gives every member its new rank.
func (p *Process) renumber(ranks []uint32) {
	p.ranks.Renumber(ranks)
	for rank := range ranks {
		p.direct.Unmap(rank)
	}
	p.mem.Forget()
	p.mapOwn()
	p.net.Renumber()
}

// mapOwn enters the memory of this process in the table of direct access.
func (p *Process) mapOwn() {
	own := p.ranks.Own()
	p.direct.SetRank(uint64(own))
	p.direct.Map(own, p.space.Extent(), p.space.Layout())
	p.direct.SetRegions(p.space.Regions())
}
