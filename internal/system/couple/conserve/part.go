package conserve

import (
	"encoding/binary"
	"math"

	"github.com/goacp/goacp/internal/system/couple/side"
	"github.com/goacp/goacp/internal/system/couple/wire"
)

// Part is what one rank of a link adds to the sums of a message.
type Part struct {
	Link   uint64 // its id
	Number int64  // of the message
	Side   side.Side
	Index  int // of the rank on its side
	Sums   []float64
}

// Encode returns the part as a message.
func (p *Part) Encode() []byte {
	var w wire.Writer
	w.Number(p.Link)
	w.Number(uint64(p.Number))
	w.Side(p.Side)
	w.Number(uint64(p.Index))
	w.Bytes(encodeSums(p.Sums))
	return w
}

// DecodePart is the inverse of Part.Encode. Fails with wire.ErrMalformed.
func DecodePart(b []byte, procs int) (p Part, err error) {
	r := wire.NewReader(b)
	p.Link, p.Number, p.Side, p.Index = r.Number(), int64(r.Count(math.MaxInt64)), r.Side(), r.Count(procs)
	var ok bool
	if p.Sums, ok = decodeSums(r.Bytes()); !ok {
		r.Fail()
	}
	return p, r.End()
}

// Sums is the sums of both sides, each with one number for each real number of a point, and the area of the side at the end.
type Sums [2][]float64

// Encode returns the sums as a message.
func (s *Sums) Encode() []byte {
	var w wire.Writer
	for _, sums := range s {
		w.Bytes(encodeSums(sums))
	}
	return w
}

// DecodeSums is the inverse of Sums.Encode, for points with a number of real numbers. Fails with wire.ErrMalformed.
func DecodeSums(b []byte, reals int) (s Sums, err error) {
	r := wire.NewReader(b)
	for i := range s {
		var ok bool
		if s[i], ok = decodeSums(r.Bytes()); !ok || len(s[i]) != reals+1 {
			r.Fail()
		}
	}
	return s, r.End()
}

func encodeSums(sums []float64) (b []byte) {
	for _, x := range sums {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

func decodeSums(b []byte) (sums []float64, ok bool) {
	for ; len(b) >= 8; b = b[8:] {
		sums = append(sums, math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
	return sums, len(b) == 0
}
