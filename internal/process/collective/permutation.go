package collective

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrNotPermutation says that the ranks have asked for new ranks that are not 0 … Size-1, each
// once.
var ErrNotPermutation = errors.New("the new ranks are no permutation of the old")

// Permute begins acp_reset with the new rank that this process asks for, and returns the new
// ranks of all members, by member. Fails with ErrNotPermutation on all ranks if it fails on one.
func (p *Caller) Permute(rank int) ([]uint32, error) {
	blobs, err := p.Gather(Reset, binary.LittleEndian.AppendUint64(nil, uint64(rank)))
	if err != nil {
		return nil, err
	}
	return permutation(blobs, p.cfg.Ranks.Rank)
}

// permutation decodes the new ranks of all members and checks them. rankOf returns the rank that
// a member has now.
func permutation(blobs [][]byte, rankOf func(member int) int) ([]uint32, error) {
	ranks := make([]uint32, len(blobs))
	by := make(map[uint64]int) // the rank that has asked for a rank
	for m, b := range blobs {
		old := rankOf(m)
		if len(b) != 8 {
			return nil, fmt.Errorf("%w: rank %d asks for a new rank in %d bytes, expected 8", ErrDisagree, old, len(b))
		}
		r := binary.LittleEndian.Uint64(b)
		if r >= uint64(len(blobs)) {
			return nil, fmt.Errorf("%w: rank %d asks for rank %d, and there are ranks 0 to %d", ErrNotPermutation, old, int64(r), len(blobs)-1)
		}
		if first, taken := by[r]; taken {
			return nil, fmt.Errorf("%w: ranks %d and %d both ask for rank %d", ErrNotPermutation, first, old, r)
		}
		by[r] = old
		ranks[m] = uint32(r)
	}
	return ranks, nil
}
