package meet

import (
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/system/couple/side"
	"github.com/goacp/goacp/internal/system/couple/wire"
)

// PieceBytes is the number of bytes of a list, or of a finding, in one message.
const PieceBytes = fabric.CallMax - 64

// Piece is a part of the points that a rank holds.
type Piece struct {
	ID     uint64 // of the link
	Side   side.Side
	Index  int
	Masked bool // the part is of the points that the rank has masked
	Last   bool // no more parts follow
	Part   []byte
	Why    string // why the rank cannot send its points, or ""
}

// Encode returns the piece as a message.
func (p *Piece) Encode() []byte {
	var w wire.Writer
	w.Number(p.ID)
	w.Side(p.Side)
	w.Number(uint64(p.Index))
	w.Flag(p.Masked)
	w.Flag(p.Last)
	w.Bytes(p.Part)
	w.Text(p.Why)
	return w
}

// DecodePiece is the inverse of Piece.Encode. Fails with wire.ErrMalformed.
func DecodePiece(b []byte) (p Piece, err error) {
	r := wire.NewReader(b)
	p.ID, p.Side, p.Index = r.Number(), r.Side(), r.Count(MaxRanks)
	p.Masked, p.Last, p.Part, p.Why = r.Flag(), r.Flag(), r.Bytes(), r.Text()
	return p, r.End()
}

// Pieces divides the list of points that a rank holds, and the list of its masked points, into messages for a shard.
// There is at least one message.
func Pieces(id uint64, sd side.Side, index int, list, masked []byte) (all []Piece) {
	cut := func(b []byte, masked bool) {
		for first := true; first || len(b) > 0; first = false {
			n := min(len(b), PieceBytes)
			all = append(all, Piece{ID: id, Side: sd, Index: index, Masked: masked, Part: b[:n]})
			b = b[n:]
		}
	}
	cut(list, false)
	if len(masked) > 0 {
		cut(masked, true)
	}
	all[len(all)-1].Last = true
	return all
}
