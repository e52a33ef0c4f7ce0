package collective

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrNotPermutation says that the ranks have asked for new ranks that are not 0 … Size-1, each
// once.
var ErrNotPermutation = errors.New("the new ranks are no permutation of the old")

// ErrGuests says that a run has guests, which use the memory of its ranks by their numbers.
var ErrGuests = errors.New("guests have attached to the run")

// withGuests follows the wish of a member that knows of guests.
const withGuests = 1

// Permute begins acp_reset with the new rank that this process asks for, and returns the new
// ranks of all members, by member. Fails with ErrNotPermutation on all ranks if it fails on one, and with ErrGuests
// if a rank knows that guests are present.
func (p *Caller) Permute(rank int, guests bool) ([]uint32, error) {
	wish := binary.LittleEndian.AppendUint64(nil, uint64(rank))
	if guests {
		wish = append(wish, withGuests)
	}
	blobs, err := p.Gather(Reset, wish)
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
		if len(b) == 9 && b[8] == withGuests {
			return nil, fmt.Errorf("%w, as rank %d knows", ErrGuests, old)
		}
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
