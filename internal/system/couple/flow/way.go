package flow

import "github.com/goacp/goacp/internal/system/couple/points"

// Way is how the values of large messages of a flow reach the array of a receiver that is ready.
type Way uint8

// The ways.
const (
	Packed Way = iota // by a slot, always
	Local             // local zero copy: the sender copies them into the array, which it maps
	Remote            // remote zero copy: the transport puts them from array to array
)

// Zero copy pays if there are many values and they lie in few runs at the receiver: a sender stores the positions
// from the receiver.
const (
	leastZeroCopy = 4 << 10  // bytes of a message
	leastPerRun   = 32       // bytes of a message for each byte of positions
	MostReported  = 32 << 10 // bytes of positions
)

// Tells reports whether a receiver sends its sender the positions of a flow, which moves size bytes of values.
func Tells(positions *points.List, size uint64) bool {
	encoded := uint64(len(positions.Bytes()))
	return size >= leastZeroCopy && encoded <= MostReported && encoded*leastPerRun <= size
}

// Choose returns the way of a flow whose receiver has sent its positions. mapped means that the sender maps the slots
// of the receiver, and fit that both sides are fit for remote zero copy.
func Choose(mapped, fit bool) Way {
	switch {
	case mapped:
		return Local
	case fit:
		return Remote
	}
	return Packed
}

// Limits bounds the messages with remote zero copy. Nothing is packed then, but Send lasts until the values have left the array.
// The zero value stands for the usual limits.
type Limits struct {
	Least  uint64 // bytes of a message
	PerRun uint64 // bytes of a message for each run of positions, on either side
	Always bool   // however long the program computes between messages
}

// usualLimits are those of all links of programs.
var usualLimits = Limits{Least: 256 << 10, PerRun: 16 << 10}

// OrUsual returns l, or the usual limits if l is the zero value.
func (l Limits) OrUsual() Limits {
	if l == (Limits{}) {
		return usualLimits
	}
	return l
}

// Fit reports whether a message with size bytes of values is fit for remote zero copy: the values lie in few runs of positions
// that follow each other.
func (l *Limits) Fit(positions *points.List, size uint64) bool {
	if size < max(l.Least, leastZeroCopy) {
		return false
	}
	most := size / l.PerRun
	for it := positions.All(); ; {
		r, ok := it.Next()
		if !ok {
			return true
		}
		if most == 0 || r.Count > 1 && r.Stride != 1 {
			return false
		}
		most--
	}
}
