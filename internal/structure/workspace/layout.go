package workspace

import (
	"math"

	"github.com/goacp/goacp/internal/memory/ga"
)

// DefaultPiece is the default size of a piece in bytes, as in the historical library. SetParams sets another
// size.
const DefaultPiece = 0x1048576

// Layout maps the bytes of a workspace to ranks: piece 0 on First, each further one on the next rank, with
// the lowest one behind the last. The pieces of a rank lie in one block of its heap. If ranks between the lowest and the
// highest have left, the layout numbers the others from 0.
type Layout struct {
	Size  uint64
	First int    // the rank that holds piece 0
	Piece uint64 // bytes of every piece but the last
	Base  int    // the lowest rank
	Ranks int    // how many there are
}

// Pieces returns the number of pieces.
func (l Layout) Pieces() int {
	if l.Size == 0 {
		return 0
	}
	return int((l.Size-1)/l.Piece + 1)
}

// PieceSize returns the bytes of piece i.
func (l Layout) PieceSize(i uint64) uint64 { return min(l.Piece, l.Size-i*l.Piece) }

// Locate returns the rank that holds piece i, and the offset of the piece in the block of that rank.
func (l Layout) Locate(i int) (rank int, at uint64) {
	return l.Base + (l.First-l.Base+i)%l.Ranks, uint64(i/l.Ranks) * l.slot()
}

// slot is the number of bytes that a piece takes in a block if another piece follows: every piece is aligned
// like a block.
func (l Layout) slot() uint64 { return (l.Piece + 15) &^ 15 }

// BlockSize returns how long the block of a rank has to be, and false if no block is so long.
func (l Layout) BlockSize(rank int) (uint64, bool) {
	if l.Size > math.MaxInt64 {
		return 0, false
	}
	ranks, pieces := uint64(l.Ranks), uint64(l.Pieces())
	before := uint64(rank-l.First+l.Ranks) % ranks // pieces before its first; both ranks are of the layout
	if before >= pieces {
		return 0, true
	}
	further := (pieces - 1 - before) / ranks
	if further > 0 && further > ga.MaxPos/l.slot() {
		return 0, false
	}
	return further*l.slot() + l.PieceSize(before+further*ranks), true
}
