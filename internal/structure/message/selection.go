package message

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/goacp/goacp/internal/structure/reduction"
)

// Candidate is what a process brings to a selection.
type Candidate struct {
	Key   [8]byte            // the number by which the best is chosen
	Type  reduction.Type     // of the number, the same on all
	Best  reduction.Operator // Max or Min, the same on all
	Takes bool               // the process takes part
}

// ErrSelection: processes select by numbers of different types, or some the greatest and others the
// smallest.
var ErrSelection = errors.New("processes disagree on what to select by")

// Select gives all processes of the team the bytes in b of the one whose candidate is the best, and
// returns its rank. Of equal ones the lowest rank wins. If no process takes part, it returns -1 and b
// stays. All pass the same length. b is not on the stack. Fails with ErrSelection on all processes,
// with reduction.ErrOperator, and as Reduce and Broadcast do.
func (h *Engine) Select(t *Team, b []byte, c Candidate) (int, error) {
	if c.Type.Size() == 0 || c.Best != reduction.Max && c.Best != reduction.Min {
		return -1, fmt.Errorf("%w: selection by %v of type %d", reduction.ErrOperator, c.Best, c.Type)
	}
	v := make(vote, voteBytes)
	copy(v, c.Key[:])
	v.set(c, t.Rank)
	if err := h.Reduce(t, v, reduction.Functions{Combine: func(dst, left, right []byte) { elect(dst, left, right) }}); err != nil {
		return -1, err
	}
	winner := v.rank()
	switch {
	case v.form() == disagreed:
		return -1, ErrSelection
	case winner < 0 || winner >= t.size():
		return -1, nil
	}
	return winner, h.Broadcast(t, b, winner)
}

// vote is a candidate as it travels: a key, a rank, or -1 if the process takes no part, and a form,
// which says what the key is and which one is the best.
type vote []byte

const voteBytes = 3 * 8

// disagreed is the form of a vote that results from votes of several forms.
const disagreed = ^uint64(0)

// set stores what a vote has besides its key.
func (v vote) set(c Candidate, rank int) {
	if !c.Takes {
		rank = -1
	}
	if c.Type == reduction.LongLong {
		c.Type = reduction.Long
	}
	binary.LittleEndian.PutUint64(v[8:], uint64(int64(rank)))
	binary.LittleEndian.PutUint64(v[16:], uint64(c.Type)<<8|uint64(c.Best))
}

func (v vote) rank() int { return int(int64(binary.LittleEndian.Uint64(v[8:]))) }

func (v vote) form() uint64 { return binary.LittleEndian.Uint64(v[16:]) }

// better reports whether a candidate is better than another one of the same form.
func (v vote) better(than vote) bool {
	order := reduction.Compare(reduction.Type(v.form()>>8), [8]byte(v), [8]byte(than))
	if reduction.Operator(v.form()&0xff) == reduction.Min {
		return order < 0
	}
	return order > 0
}

// elect stores the better vote in dst, which may be one of them.
func elect(dst, left, right vote) {
	differ := left.form() != right.form()
	if right.rank() < 0 || left.rank() >= 0 && !right.better(left) {
		copy(dst, left)
	} else {
		copy(dst, right)
	}
	if differ {
		binary.LittleEndian.PutUint64(dst[16:], disagreed)
	}
}
