package shape

import (
	"encoding/binary"
	"math"
)

// List is the segments of a part of a vector transfer, in order of the stream, in the form of
// messages: there may be thousands of short segments.
type List []byte

// Segment is a run of bytes.
type Segment struct {
	At uint64 // position
	N  int64  // bytes, less than 2^32
}

// Append returns the list with one more segment, which is not empty.
func (l List) Append(s Segment) List {
	l = binary.LittleEndian.AppendUint64(l, s.At)
	return binary.LittleEndian.AppendUint32(l, uint32(s.N))
}

// Len returns the number of segments.
func (l List) Len() int { return len(l) / SegmentBytes }

// first returns the first segment of a list that is not empty.
func (l List) first() Segment {
	_ = l[SegmentBytes-1]
	return Segment{binary.LittleEndian.Uint64(l), int64(binary.LittleEndian.Uint32(l[8:]))}
}

// Hull returns the range of positions from the first byte of a list to its last. If the segments do
// not fit in an address space, ok is false.
func (l List) Hull() (at, n uint64, ok bool) {
	low, high := uint64(math.MaxUint64), uint64(0)
	for rest := l; len(rest) > 0; rest = rest[SegmentBytes:] {
		s := rest.first()
		end := s.At + uint64(s.N)
		if end < s.At {
			return 0, 0, false
		}
		low, high = min(low, s.At), max(high, end)
	}
	return low, high - low, len(l) > 0
}
