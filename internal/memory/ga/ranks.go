package ga

import (
	"slices"
	"sync/atomic"
)

// Ranks says which member has which rank now, and which of them call collective functions together. Its methods may be
// called by several goroutines at once.
type Ranks struct {
	seats, limit, first, self int
	own                       atomic.Int64
	epoch                     atomic.Pointer[epoch]
	numbers                   atomic.Pointer[numbers] // nil: the rank of each member is its number
}

// epoch has the members that call collective functions together.
type epoch struct {
	number int
	end    int
	size   int
	list   []int // nil: those before end, from the first member on
}

// numbers says which member has which rank.
type numbers struct {
	memberOf []uint32 // by rank
	rankOf   []uint32 // by member
}

// NewRanks returns the ranks of a run of size members, of which this process is self. The
// rank of each is its number. Only Renumber takes memory for each member.
func NewRanks(size, self int) *Ranks { return NewCohort(Run{Seats: size}, 0, size, self) }

// Run is how many ranks a run can ever have.
type Run struct {
	Seats int // all of them
	Limit int // those of the run itself, which are the first; 0: their number is fixed
}

// NewCohort is NewRanks for a member of a cohort of size members, from first on.
func NewCohort(run Run, first, size, self int) *Ranks {
	r := &Ranks{seats: run.Seats, limit: run.Limit, first: first, self: self}
	r.epoch.Store(&epoch{end: first + size, size: size})
	r.own.Store(int64(self))
	return r
}

// Seats returns the number of ranks that the run can ever have. Tables with an entry for each rank or member have
// so many.
func (r *Ranks) Seats() int { return r.seats }

// Limit returns one more than the highest rank that the cohort of this process can ever have.
func (r *Ranks) Limit() int { return max(r.limit, r.End()) }

// Elastic reports whether the cohort of this process can have other members later.
func (r *Ranks) Elastic() bool { return r.limit > 0 }

// Begin begins an epoch with a number: the members call collective functions together from now on. They are ascending, and
// not changed afterwards. No collective function is under way.
func (r *Ranks) Begin(number int, members []int) {
	e := &epoch{number: number, size: len(members), list: members}
	for _, m := range members {
		e.end = max(e.end, r.Rank(m)+1)
	}
	r.epoch.Store(e)
}

// Epoch returns the number of the epoch.
func (r *Ranks) Epoch() int { return r.epoch.Load().number }

// Lowest returns the lowest rank of the epoch.
func (r *Ranks) Lowest() int {
	lowest := r.End()
	for _, m := range r.Members() {
		lowest = min(lowest, r.Rank(m))
	}
	return lowest
}

// First returns the first member of the epoch. Before ranks have left, it is also the lowest rank.
func (r *Ranks) First() int {
	if e := r.epoch.Load(); e.list != nil {
		return e.list[0]
	}
	return r.first
}

// End returns one more than the highest rank of the epoch. It is what acp_procs returns.
func (r *Ranks) End() int { return r.epoch.Load().end }

// Size returns the number of ranks of the epoch.
func (r *Ranks) Size() int { return r.epoch.Load().size }

// Members returns the members of the epoch in ascending order. The slice belongs to the caller.
func (r *Ranks) Members() []int {
	e := r.epoch.Load()
	if e.list != nil {
		return slices.Clone(e.list)
	}
	members := make([]int, e.size)
	for i := range members {
		members[i] = r.first + i
	}
	return members
}

// Fellow reports whether a member is a fellow of this process that cannot leave before it.
func (r *Ranks) Fellow(member int) bool {
	return r.limit == 0 && r.first <= member && member < r.End()
}

// Self returns the member that this process is.
func (r *Ranks) Self() int { return r.self }

// Own returns the rank of this process.
func (r *Ranks) Own() int { return int(r.own.Load()) }

// Member returns the member that has a rank. The run has the rank.
func (r *Ranks) Member(rank int) int {
	if n := r.numbers.Load(); n != nil && rank < len(n.memberOf) {
		return int(n.memberOf[rank])
	}
	return rank
}

// Rank returns the rank that a member has.
func (r *Ranks) Rank(member int) int {
	if n := r.numbers.Load(); n != nil && member < len(n.rankOf) {
		return int(n.rankOf[member])
	}
	return member
}

// Renumber gives every member its new rank. The epoch is the first one of the beginning, and no operation is under
// way.
func (r *Ranks) Renumber(ranks []uint32) {
	n := &numbers{memberOf: make([]uint32, len(ranks)), rankOf: slices.Clone(ranks)}
	for m, rank := range ranks {
		n.memberOf[rank] = uint32(m)
	}
	r.numbers.Store(n)
	r.own.Store(int64(ranks[r.self]))
}
