package ordertest

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"

	"github.com/goacp/goacp/acp"
)

// temper is how the operations of a round are drawn. In some rounds nearly every operation waits for
// others; in others, thousands between the same two ranks are in flight.
type temper struct {
	strong int // one of so many has an order that may be stronger than it need be
	move   int // one of so many is between other ranks than the one before it
	long   int // one of so many copies is of up to maxBytes, the others are of up to 16
	atomic int // one of so many is an atomic
	third  int // one of so many of those that move may be between two other ranks
	rest   int // after one of so many the rank waits
}

func drawTemper(rnd *rand.Rand) temper {
	one := func(of ...int) int { return of[rnd.IntN(len(of))] }
	return temper{
		strong: one(2, 30, 1000), move: one(2, 20, 200), long: one(1, 4, 50), atomic: one(2, 4, 100),
		third: one(1, 4), rest: one(100, 10000),
	}
}

// maxBytes is how many bytes a copy has at most.
const maxBytes = 200

// pick draws an operation.
func (l *Lane) pick() issued {
	op := issued{atomic: l.rnd.IntN(l.atomic) == 0}
	op.pair = l.pickPair()
	if op.atomic {
		op.pair[1] = int(l.p.Rank())
	}
	size := uint64(l.rnd.IntN(17))
	if l.rnd.IntN(l.long) == 0 {
		size = uint64(l.rnd.IntN(maxBytes))
	}
	align := uint64(1)
	if op.atomic {
		size = uint64(4 + 4*l.rnd.IntN(2))
		align = size
	}
	place := func() uint64 { return l.rnd.Uint64N(l.half-maxBytes) / align * align }
	from, to := place(), place()
	for op.atomic && op.pair[0] == op.pair[1] && from/8 == to/8 {
		to = place()
	}
	op.src, op.dst = span{op.pair[0], from, from + size}, span{op.pair[1], to, to + size}
	return op
}

// pickPair draws the ranks of source and destination.
func (l *Lane) pickPair() [2]int {
	if len(l.ops) > 0 && l.rnd.IntN(l.move) != 0 { // so that continuing is common
		return l.ops[len(l.ops)-1].pair
	}
	n := l.p.Procs()
	pair := [2]int{l.rnd.IntN(n), l.rnd.IntN(n)}
	if l.rnd.IntN(l.third) != 0 {
		pair[l.rnd.IntN(2)] = int(l.p.Rank())
	}
	return pair
}

// issue issues op and carries it out in the model.
func (l *Lane) issue(op issued, order acp.Handle) (acp.Handle, error) {
	src, dst := l.ga[op.src.rank]+acp.GA(op.src.lo), l.ga[op.dst.rank]+acp.GA(op.dst.lo)
	from := l.want[op.src.rank][op.src.lo:op.src.hi]
	to := l.want[op.dst.rank][op.dst.lo:op.dst.hi]
	switch {
	case !op.atomic:
		copy(to, bytes.Clone(from))
		return l.p.Copy(dst, src, op.src.hi-op.src.lo, order)
	case len(from) == 4:
		return l.atomic4(dst, src, from, to, order)
	}
	return l.atomic8(dst, src, from, to, order)
}

func (l *Lane) atomic4(dst, src acp.GA, from, to []byte, order acp.Handle) (acp.Handle, error) {
	x, v := binary.NativeEndian.Uint32(from), l.rnd.Uint32()
	binary.NativeEndian.PutUint32(to, x)
	store := func(v uint32) { binary.NativeEndian.PutUint32(from, v) }
	switch l.rnd.IntN(4) {
	case 0:
		store(x + v)
		return l.p.Add4(dst, src, v, order)
	case 1:
		store(v)
		return l.p.Swap4(dst, src, v, order)
	case 2:
		store(v)
		return l.p.Cas4(dst, src, x, v, order)
	}
	store(x & v)
	return l.p.And4(dst, src, v, order)
}

func (l *Lane) atomic8(dst, src acp.GA, from, to []byte, order acp.Handle) (acp.Handle, error) {
	x, v := binary.NativeEndian.Uint64(from), l.rnd.Uint64()
	binary.NativeEndian.PutUint64(to, x)
	store := func(v uint64) { binary.NativeEndian.PutUint64(from, v) }
	switch l.rnd.IntN(5) {
	case 0:
		store(x + v)
		return l.p.Add8(dst, src, v, order)
	case 1:
		store(v)
		return l.p.Cas8(dst, src, x, v, order)
	case 2:
		return l.p.Cas8(dst, src, x+1, v, order) // changes nothing
	case 3:
		store(x | v)
		return l.p.Or8(dst, src, v, order)
	}
	store(x ^ v)
	return l.p.Xor8(dst, src, v, order)
}
