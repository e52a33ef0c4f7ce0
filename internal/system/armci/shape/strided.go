package shape

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
)

// MaxLevels is the greatest number of stride levels.
const MaxLevels = 8

// Errors of descriptions.
var (
	// ErrCount: a number of bytes or blocks is negative, or the sum of all is too large.
	ErrCount = errors.New("impossible number of bytes")
	// ErrLevels: the number of levels is not one of 0 to MaxLevels.
	ErrLevels = errors.New("impossible number of stride levels")
	// ErrArray: an array of strides or counts is too short.
	ErrArray = errors.New("no array of strides")
	// ErrExtent: the bytes do not fit in an address space.
	ErrExtent = errors.New("transfer larger than the address space")
)

// maxBytes is the greatest number of bytes of a transfer.
const maxBytes = math.MaxInt64 / 2

// Strided is a transfer of blocks of Block bytes. Block (i1, …, ik) begins i1*stride[0] + … +
// ik*stride[k-1] bytes after the address of its side, for all 0 <= ij < Count[j-1].
type Strided struct {
	Block  int64
	Levels int
	Count  [MaxLevels]int64
	Local  [MaxLevels]int64 // strides of the caller's side, in bytes
	Remote [MaxLevels]int64 // strides of the owner's side, in bytes
}

// Contiguous returns a transfer of n bytes.
func Contiguous(n int64) Strided { return Strided{Block: n} }

// integer is a type in which programs have counts and strides.
type integer interface{ ~int | ~int32 | ~int64 }

// New returns the transfer that a program describes: count[0] bytes for each block, and then the
// number of blocks of each level. Fails with ErrLevels, ErrArray and ErrCount.
func New[I integer](count, local, remote []I, levels int) (Strided, error) {
	s := Strided{Levels: levels}
	switch {
	case levels < 0 || levels > MaxLevels:
		return s, fmt.Errorf("%w: %d", ErrLevels, levels)
	case len(count) < levels+1 || len(local) < levels || len(remote) < levels:
		return s, ErrArray
	}
	s.Block = int64(count[0])
	for i := range levels {
		s.Count[i], s.Local[i], s.Remote[i] = int64(count[i+1]), int64(local[i]), int64(remote[i])
	}
	_, err := s.Bytes()
	return s, err
}

// Bytes returns the number of bytes of the transfer. Fails with ErrCount.
func (s *Strided) Bytes() (int64, error) { return product(s.Block, s.Count[:s.Levels]) }

// product returns block times all counts. It is 0 if a count is 0.
func product(block int64, counts []int64) (int64, error) {
	empty := block == 0
	if block < 0 {
		return 0, fmt.Errorf("%w: blocks of %d bytes", ErrCount, block)
	}
	for _, c := range counts {
		if c < 0 {
			return 0, fmt.Errorf("%w: %d blocks", ErrCount, c)
		}
		empty = empty || c == 0
	}
	if empty {
		return 0, nil
	}
	n := uint64(block)
	for _, c := range counts {
		high, low := bits.Mul64(n, uint64(c))
		if high != 0 || low > maxBytes {
			return 0, fmt.Errorf("%w: more than 2^62", ErrCount)
		}
		n = low
	}
	return int64(n), nil
}

// Merge merges blocks that are adjacent on both sides, and drops levels of one block. The stream
// stays the same. The transfer must not be empty.
func (s *Strided) Merge() {
	merged := Strided{Block: s.Block}
	for i := range s.Levels {
		n := s.Count[i]
		top := merged.Levels - 1
		switch {
		case n == 1:
		case top < 0 && s.Local[i] == merged.Block && s.Remote[i] == merged.Block:
			merged.Block *= n
		case top >= 0 && s.Local[i] == merged.Local[top]*merged.Count[top] && s.Remote[i] == merged.Remote[top]*merged.Count[top]:
			merged.Count[top] *= n
		default:
			merged.Count[top+1], merged.Local[top+1], merged.Remote[top+1] = n, s.Local[i], s.Remote[i]
			merged.Levels++
		}
	}
	*s = merged
}

// LocalSide returns the caller's side, merged.
func (s *Strided) LocalSide() Side { return newSide(s, &s.Local) }

// RemoteSide returns the owner's side, merged.
func (s *Strided) RemoteSide() Side { return newSide(s, &s.Remote) }

// Each calls f with the offset of each block on both sides, in order of the stream, until f
// returns false. The transfer is not empty.
func (s *Strided) Each(f func(local, remote int64) bool) {
	var index [MaxLevels]int64
	var local, remote int64
	for f(local, remote) {
		level := 0
		for ; level < s.Levels; level++ {
			index[level]++
			local += s.Local[level]
			remote += s.Remote[level]
			if index[level] < s.Count[level] {
				break
			}
			local -= index[level] * s.Local[level]
			remote -= index[level] * s.Remote[level]
			index[level] = 0
		}
		if level == s.Levels {
			return
		}
	}
}
