package segment

// Barrier is the pair of words by which the members of one host wait for each
// other. It lies in the header page of the lowest member's space, mapped by all.
type Barrier struct {
	Arrived  *uint32 // members that have entered the current barrier
	Released *uint32 // barriers completed; waited for with a futex
}

func barrierOf(h *header) *Barrier {
	return &Barrier{Arrived: &h.arrived, Released: &h.released}
}
