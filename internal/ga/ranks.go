package ga

import "sync/atomic"

// Ranks says which member has which rank now. Its methods may be called by several
// goroutines at once.
type Ranks struct {
	self     int
	own      atomic.Int64
	memberOf []uint32 // by rank
	rankOf   []uint32 // by member
}

// NewRanks returns the ranks of a run of size members, of which this process is self. The
// rank of each is its number.
func NewRanks(size, self int) *Ranks {
	r := &Ranks{self: self, memberOf: make([]uint32, size), rankOf: make([]uint32, size)}
	for m := range r.rankOf {
		r.memberOf[m], r.rankOf[m] = uint32(m), uint32(m)
	}
	r.own.Store(int64(self))
	return r
}

// Size returns the number of ranks.
func (r *Ranks) Size() int { return len(r.rankOf) }

// Self returns the member that this process is.
func (r *Ranks) Self() int { return r.self }

// Own returns the rank of this process.
func (r *Ranks) Own() int { return int(r.own.Load()) }

// Member returns the member that has a rank. The run has the rank.
func (r *Ranks) Member(rank int) int { return int(atomic.LoadUint32(&r.memberOf[rank])) }

// Rank returns the rank that a member has.
func (r *Ranks) Rank(member int) int { return int(atomic.LoadUint32(&r.rankOf[member])) }

// Renumber gives every member its new rank. No operation is under way.
func (r *Ranks) Renumber(ranks []uint32) {
	for m, rank := range ranks {
		atomic.StoreUint32(&r.rankOf[m], rank)
		atomic.StoreUint32(&r.memberOf[rank], uint32(m))
	}
	r.own.Store(int64(ranks[r.self]))
}
