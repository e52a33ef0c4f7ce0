package segment

import "sync/atomic"

// Barrier is the words by which the members of one host wait for each other. They lie
// in the header page of the lowest member's space, mapped by all.
type Barrier struct {
	Arrived  *uint32 // members that have entered a barrier, of all barriers together
	Released *uint32 // barriers completed
	Sleepers *uint32 // members that are parked on one of the other words, or about to park
	// Marks are the sums, modulo 2^64, of the marks of the members: the first of all even
	// barriers together, the second of all odd ones. When a member arrives at a barrier, every
	// member has left the barrier before the previous one. So a member that leaves a barrier
	// finds no mark of a later barrier in its sum.
	Marks *[2]uint64
}

// Reset makes the words what they are in new memory. No member is in a barrier that uses them.
func (b *Barrier) Reset() {
	atomic.StoreUint32(b.Arrived, 0)
	atomic.StoreUint32(b.Released, 0)
	atomic.StoreUint32(b.Sleepers, 0)
	atomic.StoreUint64(&b.Marks[0], 0)
	atomic.StoreUint64(&b.Marks[1], 0)
}

func barrierOf(h *header) *Barrier {
	return &Barrier{Arrived: &h.arrived, Released: &h.released, Sleepers: &h.sleepers, Marks: &h.marks}
}
