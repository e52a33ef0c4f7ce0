package workspace

import (
	"encoding/binary"
	"fmt"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/process/collective"
)

// offer is the message of a rank to the other ranks when they create a workspace.
type offer struct {
	size  uint64
	first uint64
	piece uint64
	block uint64 // position of its block; 0 if it has none or there is no room
	room  bool
}

const offerBytes = 33

// encode returns the offer as a blob.
func (o offer) encode() []byte {
	b := make([]byte, 0, offerBytes)
	for _, v := range [...]uint64{o.size, o.first, o.piece, o.block} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	if o.room {
		return append(b, 1)
	}
	return append(b, 0)
}

// decodeOffer returns the offer in a blob of another rank, or false if b is none.
func decodeOffer(b []byte) (offer, bool) {
	if len(b) != offerBytes || b[32] > 1 {
		return offer{}, false
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	o := offer{size: word(0), first: word(1), piece: word(2), block: word(3), room: b[32] == 1}
	return o, o.block <= ga.MaxPos
}

// offer returns the offer of this rank: its block, or the reason why it has none.
func (w *Workspace) offer(own uint64, failed error) offer {
	l := w.layout
	return offer{size: l.Size, first: uint64(l.First), piece: l.Piece, block: ga.Pos(own), room: failed == nil}
}

// accept takes the blocks of all ranks from their offers, which are in order of members. It
// fails on every rank or on none.
func (w *Workspace) accept(blobs [][]byte) error {
	l, full := w.layout, -1
	for m, b := range blobs {
		rank := w.s.mem.Ranks().Rank(l.Base + m)
		o, ok := decodeOffer(b)
		switch {
		case !ok:
			return fmt.Errorf("%w: rank %d is not creating a workspace", collective.ErrDisagree, rank)
		case o.size != l.Size || o.first != uint64(l.First) || o.piece != l.Piece:
			return fmt.Errorf("%w: %d bytes in pieces of %d from rank %d on, but for rank %d %d bytes in pieces of %d from rank %d on",
				collective.ErrDisagree, l.Size, l.Piece, l.First, rank, o.size, o.piece, o.first)
		case !o.room:
			full = rank
		}
		w.blocks[rank-l.Base] = o.block
	}
	if full >= 0 {
		return fmt.Errorf("on rank %d: %w", full, global.ErrFull)
	}
	return nil
}
