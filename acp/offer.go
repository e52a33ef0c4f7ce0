package acp

import (
	"encoding/binary"
	"fmt"
)

// offer is what a rank tells the others when they create a workspace.
type offer struct {
	size  uint64
	first uint64
	piece uint64
	block uint64 // position of its block; 0 if it has none or there is no room
	room  bool
}

const offerBytes = 33

func (w *Workspace) offer(own GA, failed error) offer {
	return offer{size: w.size, first: uint64(w.first), piece: w.piece, block: own.pos(), room: failed == nil}
}

func (o offer) encode() []byte {
	b := make([]byte, 0, offerBytes)
	for _, v := range []uint64{o.size, o.first, o.piece, o.block} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	if o.room {
		return append(b, 1)
	}
	return append(b, 0)
}

func decodeOffer(b []byte) (offer, bool) {
	if len(b) != offerBytes {
		return offer{}, false
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	return offer{size: word(0), first: word(1), piece: word(2), block: word(3), room: b[32] == 1}, true
}

// accept takes the blocks of all ranks from their offers, which are in order of members.
// It fails on every rank or on none.
func (w *Workspace) accept(blobs [][]byte) error {
	full := Rank(-1)
	for m, b := range blobs {
		rank := w.p.rankOf(m)
		o, ok := decodeOffer(b)
		switch {
		case !ok:
			return fmt.Errorf("%w: rank %d is not creating a workspace", ErrDisagree, rank)
		case o.size != w.size || o.first != uint64(w.first) || o.piece != w.piece:
			return fmt.Errorf("%w: %d bytes in pieces of %d from rank %d on, but for rank %d %d bytes in pieces of %d from rank %d on",
				ErrDisagree, w.size, w.piece, w.first, rank, o.size, o.piece, o.first)
		case !o.room:
			full = rank
		}
		w.blocks[rank] = o.block
	}
	if full >= 0 {
		return fmt.Errorf("on rank %d: %w", full, ErrHeapFull)
	}
	return nil
}
