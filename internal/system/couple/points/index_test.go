package points

import (
	"math/rand/v2"
	"testing"
)

// TestIndex: the index of random lists has exactly their numbers.
func TestIndex(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		var b Builder
		has, next := make(map[int64]bool), r.Int64N(5)
		for range r.IntN(30) {
			stride := 1 + r.Int64N(4)
			for range 1 + r.IntN(6) {
				b.Add(next)
				has[next] = true
				next += stride
			}
			next += r.Int64N(7)
		}
		l := b.List()
		x := l.Index()
		for n := int64(-1); n < next+3; n++ {
			if x.Has(n) != has[n] {
				t.Errorf("seed %d: %d is there: %v, want %v", seed, n, x.Has(n), has[n])
			}
		}
	}
}
