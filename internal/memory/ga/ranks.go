package ga

import (
	"slices"
	"sync/atomic"
)

// Ranks says which member has which rank now. Its methods may be called by several
// goroutines at once.
type Ranks struct {
	seats, first, end, self int
	own                     atomic.Int64
	numbers                 atomic.Pointer[numbers] // nil: the rank of each member is its number
}

// numbers says which member has which rank.
type numbers struct {
	memberOf []uint32 // by rank
	rankOf   []uint32 // by member
}

// NewRanks returns the ranks of a run of size members, of which this process is self. The
// rank of each is its number. Only Renumber takes memory for each member.
func NewRanks(size, self int) *Ranks { return NewCohort(size, 0, size, self) }

// NewCohort is NewRanks for a member of a cohort of size members, from first on, in a run that has so
// many seats.
func NewCohort(seats, first, size, self int) *Ranks {
	r := &Ranks{seats: seats, first: first, end: first + size, self: self}
	r.own.Store(int64(self))
	return r
}

// Seats returns the number of ranks that the run can ever have. Tables with an entry for each rank or member have
// so many.
func (r *Ranks) Seats() int { return r.seats }

// First returns the lowest rank of the cohort of this process, which is also its first member.
func (r *Ranks) First() int { return r.first }

// End returns one more than the highest rank of the cohort, as for its members. It is what acp_procs returns.
func (r *Ranks) End() int { return r.end }

// Size returns the number of ranks of the cohort.
func (r *Ranks) Size() int { return r.end - r.first }

// Fellow reports whether a member belongs to the cohort.
func (r *Ranks) Fellow(member int) bool { return r.first <= member && member < r.end }

// Self returns the member that this process is.
func (r *Ranks) Self() int { return r.self }

// Own returns the rank of this process.
func (r *Ranks) Own() int { return int(r.own.Load()) }

// Member returns the member that has a rank. The run has the rank.
func (r *Ranks) Member(rank int) int {
	if n := r.numbers.Load(); n != nil && rank < r.end {
		return int(n.memberOf[rank])
	}
	return rank
}

// Rank returns the rank that a member has.
func (r *Ranks) Rank(member int) int {
	if n := r.numbers.Load(); n != nil && member < r.end {
		return int(n.rankOf[member])
	}
	return member
}

// Renumber gives every member its new rank. The cohort is that of the beginning, and no operation is under
// way.
func (r *Ranks) Renumber(ranks []uint32) {
	n := &numbers{memberOf: make([]uint32, r.end), rankOf: slices.Clone(ranks)}
	for m, rank := range ranks {
		n.memberOf[rank] = uint32(m)
	}
	r.numbers.Store(n)
	r.own.Store(int64(ranks[r.self]))
}
