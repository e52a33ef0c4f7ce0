package workspace

import (
	"encoding/binary"
	"fmt"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/process/collective"
)

// contribution is the message of a rank to the other ranks when they create a workspace.
type contribution struct {
	size      uint64
	first     uint64
	piece     uint64
	block     uint64 // position of its block; 0 if it has none or its heap is full
	allocated bool   // false: its heap is full
}

const contributionBytes = 33

// encode returns the contribution as a blob.
func (c contribution) encode() []byte {
	b := make([]byte, 0, contributionBytes)
	for _, v := range [...]uint64{c.size, c.first, c.piece, c.block} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	if c.allocated {
		return append(b, 1)
	}
	return append(b, 0)
}

// decodeContribution returns the contribution in a blob of another rank, or false if b is none.
func decodeContribution(b []byte) (contribution, bool) {
	if len(b) != contributionBytes || b[32] > 1 {
		return contribution{}, false
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	c := contribution{size: word(0), first: word(1), piece: word(2), block: word(3), allocated: b[32] == 1}
	return c, c.block <= ga.MaxPos
}

// contribution returns the contribution of this rank. own is its block. failed is the reason why it has none, or nil.
func (w *Workspace) contribution(own uint64, failed error) contribution {
	l := w.layout
	return contribution{size: l.Size, first: uint64(l.First), piece: l.Piece, block: ga.Pos(own), allocated: failed == nil}
}

// accept takes the blocks of all ranks from their contributions, which are in order of members. It
// fails on every rank or on none.
func (w *Workspace) accept(blobs [][]byte) error {
	l, full := w.layout, -1
	members := w.s.mem.Ranks().Members()
	for i, b := range blobs {
		rank := w.s.mem.Ranks().Rank(members[i])
		place := w.placeOf(rank)
		c, ok := decodeContribution(b)
		switch {
		case !ok:
			return fmt.Errorf("%w: rank %d is not creating a workspace", collective.ErrDisagree, rank)
		case c.size != l.Size || c.first != uint64(l.First) || c.piece != l.Piece:
			return fmt.Errorf("%w: %d bytes in pieces of %d from rank %d on, but for rank %d %d bytes in pieces of %d from rank %d on",
				collective.ErrDisagree, l.Size, l.Piece, l.First, rank, c.size, c.piece, c.first)
		case !c.allocated:
			full = rank
		}
		w.blocks[place-l.Base] = c.block
	}
	if full >= 0 {
		return fmt.Errorf("on rank %d: %w", full, global.ErrFull)
	}
	return nil
}
