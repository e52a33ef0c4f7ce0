package array

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/process/collective"
	"github.com/goacp/goacp/internal/system/gp/grid"
)

// Allocate creates the places of the array. If it fails on one rank, it fails on all and takes no
// memory: with global.ErrFull if the heap of a rank has no room for its records, with
// grid.ErrShape, and with collective.ErrDisagree if the ranks pass different shapes. Collective.
// Blocks until every rank has called it.
func (a *Array) Allocate(shape grid.Shape) error {
	switch _, err := a.use(); {
	case err == nil:
		return ErrAllocated
	case !errors.Is(err, ErrNotAllocated):
		return err
	}
	if err := a.sys.everywhere(); err != nil {
		return err
	}
	// A rank that fails has to tell the others, so it goes on.
	p, failed := a.place(shape)
	c := newContribution(shape, p, failed)
	if failed == nil {
		a.placed.Store(p) // other ranks may ask for places as soon as they have all contributions
	}
	blobs, err := a.sys.p.Gather(fmt.Sprintf("GP_Allocate of array %d", a.number), c.encode())
	if err == nil {
		err = a.accept(p, blobs, failed)
	}
	if err == nil {
		a.sys.show(a, p)
		return nil
	}
	a.placed.Store(nil)
	if p != nil && p.own != ga.Null {
		err = errors.Join(err, a.sys.mem.Free(p.own))
	}
	return a.sys.mem.Explain(err)
}

// Abandon ends an array whose allocation has failed on all ranks.
func (a *Array) Abandon() { a.sys.remove(a) }

// place makes the records of this process.
func (a *Array) place(shape grid.Shape) (*placed, error) {
	ranks := a.sys.p.Ranks
	layout, err := grid.New(shape, ranks.Size())
	if errors.Is(err, grid.ErrTooLarge) {
		return nil, fmt.Errorf("%w: %w", global.ErrFull, err)
	}
	if err != nil {
		return nil, err
	}
	p := &placed{layout: layout, blocks: make([]uint64, ranks.Size())}
	mine, ok := layout.Block(ranks.Own())
	if !ok {
		return p, nil
	}
	p.mine = mine
	n := mine.Places()
	if uint64(n) > ga.MaxPos/recordBytes-1 {
		return nil, fmt.Errorf("%w for the records of %d places", global.ErrFull, n)
	}
	if p.own, err = a.sys.mem.Alloc(ranks.Self(), headBytes+uint64(n)*recordBytes); err != nil {
		return nil, fmt.Errorf("for the records of %d places: %w", n, err)
	}
	if p.recs, err = recordsAt(a.sys.mem.Own(), p.own, n); err != nil {
		return nil, errors.Join(err, a.sys.mem.Free(p.own))
	}
	atomic.StoreUint64(&p.recs.head.changes, 0)
	for i := range p.recs.all {
		p.recs.all[i].set(0, 0)
	}
	return p, nil
}

// accept takes the contributions of all ranks, by member. It fails on all ranks if it fails on one.
func (a *Array) accept(p *placed, blobs [][]byte, failed error) error {
	ranks := a.sys.p.Ranks
	contributions := make([]contribution, len(blobs))
	for m, b := range blobs {
		rank := ranks.Rank(m)
		c, err := decodeContribution(b)
		if err != nil {
			return fmt.Errorf("rank %d: %w", rank, err)
		}
		contributions[rank] = c
	}
	if failed != nil {
		return failed
	}
	for rank, c := range contributions {
		if err := c.problem(rank, contributions[0]); err != nil {
			return err
		}
		if c.at != ga.Null && ga.Rank(c.at) != rank {
			return fmt.Errorf("%w: rank %d has records at %#x", global.ErrProtocol, rank, c.at)
		}
		p.blocks[rank] = c.at
	}
	return nil
}

// problem returns the reason why the ranks cannot have an array together, as found by one rank.
func (c contribution) problem(rank int, first contribution) error {
	switch {
	case c.state == heapFull:
		return fmt.Errorf("%w on rank %d for the records of its places", global.ErrFull, rank)
	case c.state == badShape:
		return fmt.Errorf("%w: rank %d asks for what no array has", grid.ErrShape, rank)
	case c.state == failedOtherwise:
		return fmt.Errorf("%w: rank %d cannot take part", collective.ErrDisagree, rank)
	case !slices.Equal(c.dims, first.dims):
		return fmt.Errorf("%w: rank %d asks for dimensions %v, rank 0 for %v", collective.ErrDisagree, rank, c.dims, first.dims)
	case !slices.Equal(c.chunk, first.chunk):
		return fmt.Errorf("%w: rank %d asks for chunks %v, rank 0 for %v", collective.ErrDisagree, rank, c.chunk, first.chunk)
	case !slices.Equal(c.blocks, first.blocks):
		return fmt.Errorf("%w: rank %d asks for %v blocks, rank 0 for %v", collective.ErrDisagree, rank, c.blocks, first.blocks)
	}
	for d, starts := range c.starts {
		if starts != first.starts[d] {
			return fmt.Errorf("%w: rank %d lets the blocks of dimension %d begin elsewhere than rank 0", collective.ErrDisagree, rank, d)
		}
	}
	return nil
}

// Destroy ends the array. Its elements stay. Collective. Blocks until every rank has called it.
func (a *Array) Destroy() error {
	p, err := a.use()
	if err != nil && !errors.Is(err, ErrNotAllocated) {
		return err
	}
	// No rank uses the array any more when all have come.
	if err := a.sys.p.Begin(fmt.Sprintf("GP_Destroy of array %d", a.number)); err != nil {
		return err
	}
	a.sys.remove(a)
	if p == nil || p.own == ga.Null {
		return nil
	}
	a.unnameAll(p)
	return a.sys.mem.Free(p.own)
}

// unnameAll detaches the elements of all places of this process.
func (a *Array) unnameAll(p *placed) {
	a.sys.mu.Lock()
	defer a.sys.mu.Unlock()
	for i := range p.recs.all {
		a.sys.unname(p, i)
	}
}
