package segbuf

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/goacp/goacp/internal/memory/ga"
)

// note is a message from one end to the other, in a call to the agent there.
type note struct {
	kind     uint64 // noteJoin or noteLeave
	life     uint64 // Resets before the end was made
	toSource uint64 // 1 if it is for a source
	number   uint64 // of the end in its pair
	control  uint64 // position of its control block
	buf      uint64 // position of its memory, if it is a destination
	segment  uint64 // bytes
	count    uint64 // segments
}

const (
	noteJoin  = 1 // the end exists
	noteLeave = 2 // the end has disconnected
)

const noteWords = 8

// encode returns the note as a message.
func (n *note) encode() []byte {
	b := make([]byte, 0, 8*noteWords)
	for _, w := range [noteWords]uint64{n.kind, n.life, n.toSource, n.number, n.control, n.buf, n.segment, n.count} {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

// decode returns the note in a message of another process, or false if b is none.
func decode(b []byte) (note, bool) {
	if len(b) != 8*noteWords {
		return note{}, false
	}
	w := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	n := note{w(0), w(1), w(2), w(3), w(4), w(5), w(6), w(7)}
	return n, (n.kind == noteJoin || n.kind == noteLeave) && n.toSource <= 1 && n.possible()
}

// possible reports whether there can be such memory: its positions do not wrap, and the
// control block is aligned.
func (n *note) possible() bool {
	over, bytes := bits.Mul64(n.segment, n.count)
	return over == 0 && n.count <= math.MaxInt64 &&
		n.buf <= ga.MaxPos && bytes <= ga.MaxPos-n.buf &&
		n.control%8 == 0 && n.control <= ga.MaxPos-controlSize
}
