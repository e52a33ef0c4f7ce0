package points

import (
	"encoding/binary"
	"math/bits"
)

// Iterator goes through a List once. A copy of it continues at the same number.
type Iterator struct {
	rest []byte
	next int64 // the number after the last run
	run  Run   // the rest of the run, Count 0 if there is none
}

// All returns an Iterator from the first number on.
func (l *List) All() Iterator { return Iterator{rest: l.data} }

// decode reads the next run. It returns false if the bytes are no run.
func (it *Iterator) decode() bool {
	if b := it.rest; len(b) >= 2 && b[0]|b[1] < 0x80 && b[1]&1 == 0 {
		// Most runs of points without a pattern: one byte each for the distance and the count, and no stride.
		it.run = Run{it.next + signed(uint64(b[0])), 1, int64(b[1]>>1) + 1}
		it.next = it.run.Start + it.run.Count
		it.rest = b[2:]
		return true
	}
	return it.decodeLong()
}

// decodeLong is decode for runs of any length.
func (it *Iterator) decodeLong() bool {
	distance, n := unsigned(it.rest)
	if n <= 0 {
		return false
	}
	it.rest = it.rest[n:]
	head, n := unsigned(it.rest)
	if n <= 0 || head>>1 >= Max {
		return false
	}
	it.rest = it.rest[n:]
	it.run = Run{it.next + signed(distance), 1, int64(head>>1) + 1}
	if head&1 != 0 {
		if it.run.Stride, n = binary.Varint(it.rest); n <= 0 {
			return false
		}
		it.rest = it.rest[n:]
	}
	it.next = it.run.Last() + 1
	return true
}

// signed returns the signed number that package binary writes as an unsigned number.
func signed(x uint64) int64 { return int64(x>>1) ^ -int64(x&1) }

// unsigned is binary.Uvarint. It decodes numbers of up to 8 bytes without a loop.
func unsigned(b []byte) (x uint64, n int) {
	if len(b) < 8 {
		return binary.Uvarint(b)
	}
	x = binary.LittleEndian.Uint64(b)
	last := ^x & 0x8080808080808080 // the lowest bit is that of the last byte of the number
	if last == 0 {
		return binary.Uvarint(b)
	}
	n = bits.TrailingZeros64(last)/8 + 1
	x &= (^uint64(0) >> (64 - 8*n)) & 0x7f7f7f7f7f7f7f7f
	// Parts of 7 bits become parts of 14, of 28 and of 56 bits.
	x = x&0x007f007f007f007f | (x&0x7f007f007f007f00)>>1
	x = x&0x00003fff00003fff | (x&0x3fff00003fff0000)>>2
	return x&0x0fffffff | (x&0x0fffffff00000000)>>4, n
}

// Peek returns the rest of the current run, or false at the end.
func (it *Iterator) Peek() (Run, bool) {
	if it.run.Count == 0 && (len(it.rest) == 0 || !it.decode()) {
		return Run{}, false
	}
	return it.run, true
}

// Next returns the rest of the current run, and goes to the next run. It returns false at the end.
func (it *Iterator) Next() (Run, bool) {
	r, ok := it.Peek()
	it.run.Count = 0
	return r, ok
}

// Take returns the next numbers of one run, at most n. It returns false at the end.
func (it *Iterator) Take(n int64) (Run, bool) {
	r, ok := it.Peek()
	if !ok || r.Count <= n {
		it.run.Count = 0
		return r, ok
	}
	r.Count = n
	it.run.Start += n * it.run.Stride
	it.run.Count -= n
	return r, true
}

// Below returns the next numbers of one run that are less than end. It returns false if there are
// none. The list ascends.
func (it *Iterator) Below(end int64) (Run, bool) {
	r, ok := it.Peek()
	if !ok || r.Start >= end {
		return Run{}, false
	}
	if r.Last() < end {
		return it.Next()
	}
	return it.Take((end-1-r.Start)/r.Stride + 1)
}
