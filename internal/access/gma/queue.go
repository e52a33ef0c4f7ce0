package gma

// ring is a queue of GMAs that reuses its memory.
type ring struct {
	buf   []*inFlight // its length is a power of two
	first int
	count int
}

func (r *ring) len() int         { return r.count }
func (r *ring) front() *inFlight { return r.buf[r.first] }

func (r *ring) push(g *inFlight) {
	if r.count == len(r.buf) {
		r.grow()
	}
	r.buf[(r.first+r.count)&(len(r.buf)-1)] = g
	r.count++
}

func (r *ring) pop() *inFlight {
	g := r.buf[r.first]
	r.buf[r.first] = nil
	r.first = (r.first + 1) & (len(r.buf) - 1)
	r.count--
	return g
}

func (r *ring) grow() {
	buf := make([]*inFlight, max(16, 2*len(r.buf)))
	for i := range r.count {
		buf[i] = r.buf[(r.first+i)&(len(r.buf)-1)]
	}
	r.buf, r.first = buf, 0
}

// byCondition is a heap of the GMAs that may not start yet, with the one that may start first
// in front. Of two with the same condition the older one is first.
type byCondition []*inFlight

// Len implements heap.Interface.
func (h byCondition) Len() int { return len(h) }

// Less implements heap.Interface.
func (h byCondition) Less(i, j int) bool {
	if h[i].after != h[j].after {
		return h[i].after < h[j].after
	}
	return h[i].handle < h[j].handle
}

// Swap implements heap.Interface.
func (h byCondition) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface.
func (h *byCondition) Push(x any) { *h = append(*h, x.(*inFlight)) }

// Pop implements heap.Interface.
func (h *byCondition) Pop() any {
	old := *h
	n := len(old) - 1
	g := old[n]
	old[n] = nil
	*h = old[:n]
	return g
}
