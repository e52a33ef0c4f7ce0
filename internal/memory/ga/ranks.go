package ga

import (
	"slices"
	"sync/atomic"
)

// Ranks says which member has which rank now. Its methods may be called by several
// goroutines at once.
type Ranks struct {
	size, self int
	own        atomic.Int64
	numbers    atomic.Pointer[numbers] // nil: the rank of each member is its number
}

// numbers says which member has which rank.
type numbers struct {
	memberOf []uint32 // by rank
	rankOf   []uint32 // by member
}

// NewRanks returns the ranks of a run of size members, of which this process is self. The
// rank of each is its number. Only Renumber takes memory for each member.
func NewRanks(size, self int) *Ranks {
	r := &Ranks{size: size, self: self}
	r.own.Store(int64(self))
	return r
}

// Size returns the number of ranks.
func (r *Ranks) Size() int { return r.size }

// Self returns the member that this process is.
func (r *Ranks) Self() int { return r.self }

// Own returns the rank of this process.
func (r *Ranks) Own() int { return int(r.own.Load()) }

// Member returns the member that has a rank. The run has the rank.
func (r *Ranks) Member(rank int) int {
	if n := r.numbers.Load(); n != nil {
		return int(n.memberOf[rank])
	}
	return rank
}

// Rank returns the rank that a member has.
func (r *Ranks) Rank(member int) int {
	if n := r.numbers.Load(); n != nil {
		return int(n.rankOf[member])
	}
	return member
}

// Renumber gives every member its new rank. No operation is under way.
func (r *Ranks) Renumber(ranks []uint32) {
	n := &numbers{memberOf: make([]uint32, r.size), rankOf: slices.Clone(ranks)}
	for m, rank := range ranks {
		n.memberOf[rank] = uint32(m)
	}
	r.numbers.Store(n)
	r.own.Store(int64(ranks[r.self]))
}
