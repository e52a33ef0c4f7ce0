package segbuf

import (
	"math/rand/v2"
	"testing"
)

// TestSent lets the copies of a ring end in any order: a segment counts as copied when all segments before it
// are copied, too.
func TestSent(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		count := 1 + rnd.Int64N(9)
		var s sent
		var underway []int64
		done := map[int64]bool{}
		next, first := int64(0), int64(0) // segments sent, and the first not copied
		for range 1000 {
			if next-first < count && rnd.IntN(2) == 0 {
				underway = append(underway, next)
				next++
			}
			if len(underway) == 0 {
				continue
			}
			if i := rnd.IntN(len(underway)); rnd.IntN(2) == 0 {
				done[underway[i]] = true
				s.add(underway[i], count)
				underway = append(underway[:i], underway[i+1:]...)
			}
			for ; done[first]; first++ {
				delete(done, first)
			}
			if got := s.number.Load(); got != first {
				t.Fatalf("%d segments of a ring of %d are copied, expected %d", got, count, first)
			}
		}
	}
}
