package heap

import "math/bits"

//goacp:c GOACP_
const (
	spanShift = 16
	spanSize  = 1 << spanShift

	// alignment of every block, and the smallest block.
	alignment = 16

	// largeSize is the size above which a block has spans of its own.
	largeSize = spanSize / 2

	// mapWords is the words of a map with a bit for each block of a span.
	mapWords = spanSize / alignment / 64
)

// Size classes: multiples of alignment up to fineSize, then four to each doubling up to
// largeSize.
//
//goacp:c GOACP_
const (
	fineClasses = 8
	fineBits    = 7
	fineSize    = 1 << fineBits
	classCount  = fineClasses + 4*8
)

// classOf returns the class for a block of n bytes, 0 < n <= largeSize.
func classOf(n uint64) int {
	if n <= fineSize {
		return int((n+alignment-1)/alignment) - 1
	}
	// n-1 lies in [2^k, 2^(k+1)) with k >= fineBits; its next two bits choose the quarter.
	k := bits.Len64(n-1) - 1
	quarter := (n - 1) >> (k - 2) & 3
	return fineClasses + 4*(k-fineBits) + int(quarter)
}

// classSize returns the bytes of the blocks of class c.
func classSize(c int) uint64 {
	if c < fineClasses {
		return uint64(c+1) * alignment
	}
	k := fineBits + (c-fineClasses)/4
	quarter := uint64((c - fineClasses) % 4)
	return (4 + quarter + 1) << (k - 2)
}

// classBlocks returns how many blocks of class c a span holds.
func classBlocks(c int) int { return int(spanSize / classSize(c)) }
