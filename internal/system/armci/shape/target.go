package shape

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrMalformed: no process with this version of the library sends such a description.
var ErrMalformed = errors.New("malformed description of a transfer")

// Target is the memory of the owner that a request touches: a part of the stream of a Side, or a List.
type Target struct {
	At    uint64 // position of the address of the side
	Side  Side
	Start int64 // first byte of the stream
	N     int64 // bytes of the stream

	List List // used if Side has no blocks
}

// The kinds of targets, in the first byte of a description.
const (
	kindSide = iota
	kindList
)

// SideBytes is the maximum length of the description of a side. The description of a list has ListBytes,
// and SegmentBytes for each segment.
const (
	SideBytes    = headBytes + 8*4 + 16*MaxLevels
	ListBytes    = headBytes + 4
	SegmentBytes = 8 + 4
)

// headBytes is the length of the head of a description: the kind, the levels of a side, and the number of
// segments of a list.
const headBytes = 1 + 1 + 2 + 4

// Append appends the description of the target, whose length is a multiple of 8. So the data after it can
// be moved by words.
func (t *Target) Append(b []byte) []byte {
	word := func(x uint64) { b = binary.LittleEndian.AppendUint64(b, x) }
	if t.Side.Block == 0 {
		b = append(b, kindList, 0, 0, 0)
		b = binary.LittleEndian.AppendUint32(b, uint32(t.List.Len()))
		b = append(b, t.List...)
		if t.List.Len()%2 != 0 {
			b = binary.LittleEndian.AppendUint32(b, 0)
		}
		return b
	}
	b = append(b, kindSide, byte(t.Side.Levels), 0, 0, 0, 0, 0, 0)
	word(t.At)
	word(uint64(t.Start))
	word(uint64(t.N))
	word(uint64(t.Side.Block))
	for i := range t.Side.Levels {
		word(uint64(t.Side.Count[i]))
		word(uint64(t.Side.Stride[i]))
	}
	return b
}

// Decode decodes a description at the beginning of b and returns the bytes after it. The target is valid
// in itself: it is not empty, and its part lies within its stream. Its List is a part of b. Fails with
// ErrMalformed.
func Decode(b []byte) (t Target, rest []byte, err error) {
	if len(b) < headBytes || b[2]|b[3] != 0 {
		return t, nil, ErrMalformed
	}
	levels, segments := b[1], binary.LittleEndian.Uint32(b[4:])
	switch {
	case b[0] == kindSide && segments == 0:
		return decodeSide(int(levels), b[headBytes:])
	case b[0] == kindList && levels == 0:
		return decodeList(uint64(segments), b[headBytes:])
	}
	return t, nil, fmt.Errorf("%w: kind %d", ErrMalformed, b[0])
}

func decodeSide(levels int, b []byte) (t Target, rest []byte, err error) {
	if levels > MaxLevels || len(b) < 8*4+16*levels {
		return t, nil, ErrMalformed
	}
	t.Side.Levels = levels
	word := func() (x int64) {
		x, b = int64(binary.LittleEndian.Uint64(b)), b[8:]
		return x
	}
	t.At, t.Start, t.N, t.Side.Block = uint64(word()), word(), word(), word()
	for i := range t.Side.Levels {
		t.Side.Count[i], t.Side.Stride[i] = word(), word()
	}
	all, err := t.Side.Bytes()
	if err != nil || t.Start < 0 || t.N <= 0 || t.Start > all || t.N > all-t.Start {
		return t, nil, fmt.Errorf("%w: %d bytes from %d on, of %d", ErrMalformed, t.N, t.Start, all)
	}
	return t, b, nil
}

func decodeList(n uint64, b []byte) (t Target, rest []byte, err error) {
	if n == 0 || n > uint64(len(b))/SegmentBytes {
		return t, nil, fmt.Errorf("%w: %d segments in %d bytes", ErrMalformed, n, len(b))
	}
	t.List, b = List(b[:n*SegmentBytes]), b[n*SegmentBytes:]
	for l := t.List; len(l) > 0; l = l[SegmentBytes:] {
		s := l.first()
		if s.N == 0 {
			return t, nil, fmt.Errorf("%w: an empty segment", ErrMalformed)
		}
		t.N += s.N
	}
	if n%2 == 0 {
		return t, b, nil
	}
	if len(b) < 4 || binary.LittleEndian.Uint32(b) != 0 {
		return t, nil, ErrMalformed
	}
	return t, b[4:], nil
}

// Spans calls f with each range of positions that the target may touch, until f returns false:
// the whole extent of a side, and each segment of a list. Fails with ErrExtent if a range does
// not fit in an address space. It reports whether f has returned true for all.
func (t *Target) Spans(f func(at uint64, n uint64) bool) (bool, error) {
	if t.Side.Block == 0 {
		for l := t.List; len(l) > 0; l = l[SegmentBytes:] {
			if s := l.first(); !f(s.At, uint64(s.N)) {
				return false, nil
			}
		}
		return true, nil
	}
	low, high, err := t.Side.Extent()
	if err != nil {
		return false, err
	}
	first := t.At + uint64(low)
	if low < 0 && first > t.At {
		return false, ErrExtent
	}
	return f(first, uint64(high)-uint64(low)), nil
}

// Split returns how many of the last bytes of the target are the beginning of an aligned word, of 4 or 8
// bytes, whose end belongs to the same block. A target without them splits no word. The target has a Side.
func (t *Target) Split() int64 {
	end := t.Start + t.N
	within := end % t.Side.Block
	if within == 0 {
		return 0
	}
	c := t.Side.From(end)
	offset, _ := c.Next(1)
	for _, size := range []uint64{8, 4} {
		if n := int64((t.At + uint64(offset)) % size); n <= min(within, t.N-1) {
			return n
		}
	}
	return 0
}

// Each calls f with the position and the length of each run of bytes of the target, in order of
// the stream, until f returns an error, which it returns.
func (t *Target) Each(f func(at uint64, n int64) error) error {
	if t.Side.Block == 0 {
		for l := t.List; len(l) > 0; l = l[SegmentBytes:] {
			s := l.first()
			if err := f(s.At, s.N); err != nil {
				return err
			}
		}
		return nil
	}
	c := t.Side.From(t.Start)
	for left := t.N; left > 0; {
		offset, n := c.Next(left)
		if err := f(t.At+uint64(offset), n); err != nil {
			return err
		}
		left -= n
	}
	return nil
}
