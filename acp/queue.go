package acp

// ring is a queue of GMAs that reuses its memory.
type ring struct {
	buf   []*gma // its length is a power of two
	first int
	count int
}

func (r *ring) len() int    { return r.count }
func (r *ring) front() *gma { return r.buf[r.first] }

func (r *ring) push(g *gma) {
	if r.count == len(r.buf) {
		r.grow()
	}
	r.buf[(r.first+r.count)&(len(r.buf)-1)] = g
	r.count++
}

func (r *ring) pop() *gma {
	g := r.buf[r.first]
	r.buf[r.first] = nil
	r.first = (r.first + 1) & (len(r.buf) - 1)
	r.count--
	return g
}

func (r *ring) grow() {
	buf := make([]*gma, max(16, 2*len(r.buf)))
	for i := range r.count {
		buf[i] = r.buf[(r.first+i)&(len(r.buf)-1)]
	}
	r.buf, r.first = buf, 0
}

// turnHeap holds GMAs that wait, the one whose turn comes first in front. Of two
// with the same turn the older is first.
type turnHeap []*gma

func (h turnHeap) Len() int { return len(h) }

func (h turnHeap) Less(i, j int) bool {
	if h[i].after != h[j].after {
		return h[i].after < h[j].after
	}
	return h[i].handle < h[j].handle
}

func (h turnHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface.
func (h *turnHeap) Push(x any) { *h = append(*h, x.(*gma)) }

// Pop implements heap.Interface.
func (h *turnHeap) Pop() any {
	old := *h
	n := len(old) - 1
	g := old[n]
	old[n] = nil
	*h = old[:n]
	return g
}
