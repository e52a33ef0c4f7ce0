package message

import (
	"encoding/binary"

	"github.com/goacp/goacp/internal/armci/reduction"
)

// Candidate is what a process brings to a selection.
type Candidate struct {
	Key   [8]byte // the number by which the best is chosen
	Takes bool    // the process takes part
}

// Select gives all processes of the team the bytes in b of the one whose candidate is the best, and
// returns its rank. better reports whether the key b is better than a; of equal ones the lowest rank
// wins. If no process takes part, it returns -1 and b stays. All pass the same length. b is not on
// the stack. Fails as Reduce and Broadcast do.
func (h *Hub) Select(t *Team, b []byte, c Candidate, better func(a, b [8]byte) bool) (int, error) {
	vote := make([]byte, voteBytes)
	copy(vote, c.Key[:])
	rank := -1
	if c.Takes {
		rank = t.Rank
	}
	binary.LittleEndian.PutUint64(vote[8:], uint64(int64(rank)))
	err := h.Reduce(t, vote, reduction.Functions{Combine: func(dst, left, right []byte) {
		copy(dst, elect(left, right, better))
	}})
	if err != nil {
		return -1, err
	}
	winner := rankOf(vote)
	if winner < 0 || winner >= t.size() {
		return -1, nil
	}
	return winner, h.Broadcast(t, b, winner)
}

// voteBytes is the length of a vote: a key and a rank.
const voteBytes = 16

// rankOf returns the rank in a vote, -1 if there is none.
func rankOf(vote []byte) int { return int(int64(binary.LittleEndian.Uint64(vote[8:]))) }

// elect returns the better vote.
func elect(left, right []byte, better func(a, b [8]byte) bool) []byte {
	switch {
	case rankOf(right) < 0:
		return left
	case rankOf(left) < 0 || better([8]byte(left), [8]byte(right)):
		return right
	}
	return left
}
