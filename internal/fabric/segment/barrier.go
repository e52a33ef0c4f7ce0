package segment

// Barrier is the words by which the members of one host wait for each other. They lie
// in the header page of the lowest member's space, mapped by all.
type Barrier struct {
	Arrived  *uint32 // members that have entered a barrier, of all barriers together
	Released *uint32 // barriers completed
	Sleepers *uint32 // members that are about to sleep, or do, on one of the other words
}

func barrierOf(h *header) *Barrier {
	return &Barrier{Arrived: &h.arrived, Released: &h.released, Sleepers: &h.sleepers}
}
