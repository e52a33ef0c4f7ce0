package workspace

import (
	"slices"
	"sync/atomic"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/process/collective"
)

// Workspace is a range of bytes on all ranks. Its methods may be called by several goroutines at
// once, apart from Destroy.
type Workspace struct {
	*body
	mem *global.Memory // carries out reads and writes
}

// body is the part that all views of a workspace share.
type body struct {
	s      *Workspaces
	layout Layout
	ranks  []int    // by place in the layout; nil: the places are the ranks
	blocks []uint64 // by place, from Base on: position of the block with the pieces
	life   uint64   // Resets before it was made
	number uint64   // from 1, the same on all ranks

	destroyed atomic.Bool
}

// WithMemory returns the same workspace, which is read and written in a memory that may have another
// context.
func (w *Workspace) WithMemory(m *global.Memory) *Workspace { return &Workspace{w.body, m} }

// allocate makes the block for the pieces of this rank, if it has any.
func (w *Workspace) allocate() (uint64, error) {
	ranks := w.s.mem.Ranks()
	n, ok := w.layout.BlockSize(w.place())
	switch {
	case !ok:
		return ga.Null, global.ErrFull
	case n == 0:
		return ga.Null, nil
	}
	return w.s.mem.Alloc(ranks.Self(), n)
}

// rankAt returns the rank with a place in the layout.
func (b *body) rankAt(place int) int {
	if b.ranks == nil {
		return place
	}
	return b.ranks[place]
}

// placeOf returns the place of a rank.
func (b *body) placeOf(rank int) int {
	if b.ranks == nil {
		return rank
	}
	return slices.Index(b.ranks, rank)
}

// place returns the place of this rank.
func (b *body) place() int { return b.placeOf(b.s.mem.Ranks().Own()) }

// Layout returns the layout of the workspace.
func (w *Workspace) Layout() Layout { return w.layout }

// Piece returns the address of piece i and how many bytes it has.
func (w *Workspace) Piece(i int) (at, n uint64) {
	place, in := w.layout.Locate(i)
	return ga.Make(w.rankAt(place), w.blocks[place-w.layout.Base]+in), w.layout.PieceSize(uint64(i))
}

// Destruction returns the call by which all ranks destroy the workspace.
func (w *Workspace) Destruction() collective.Call {
	return collective.Call{Function: collective.DestroyWorkspace, Number: w.number}
}

// Destroy frees the memory of the workspace when all ranks have called it. Fails with global.ErrDestroyed,
// and with collective.ErrDisagree if another rank calls another function. Collective. Blocks until every rank
// has called it.
func (w *Workspace) Destroy() error {
	if err := w.usable(); err != nil {
		return err
	}
	w.s.mem.Settle() // transfers that outlive their callers may still access the pieces
	if err := w.s.caller.Begin(w.Destruction()); err != nil {
		return err
	}
	w.destroyed.Store(true)
	own := w.s.mem.Ranks().Own()
	block := w.blocks[w.place()-w.layout.Base]
	if block == 0 {
		return nil
	}
	w.s.held.Add(-1)
	return w.s.mem.Free(ga.Make(own, block))
}

// usable returns the reason why the workspace cannot be used, or nil.
func (w *Workspace) usable() error {
	if err := w.s.mem.Alive(); err != nil {
		return err
	}
	if w.destroyed.Load() || w.life != w.s.life.Load() {
		return global.ErrDestroyed
	}
	return nil
}
