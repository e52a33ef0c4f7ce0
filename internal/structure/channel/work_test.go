package channel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAddSent adds requests whose records end anywhere, takes the first ones away as
// receivers do, and expects that the others stay in order.
func TestAddSent(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	var w work
	var want []uint64
	for range 2000 {
		if len(want) > 0 && random.IntN(3) == 0 {
			w.sent, want = w.sent.next, want[1:]
		} else {
			end := random.Uint64N(50)
			w.addSent(&Request{end: end})
			want = append(want, end)
			slices.Sort(want)
		}
		var got []uint64
		var last *Request
		for r := w.sent; r != nil; r = r.next {
			got, last = append(got, r.end), r
		}
		if !slices.Equal(got, want) {
			t.Fatalf("ends %d, expected %d", got, want)
		}
		if last != nil && w.lastSent != last {
			t.Fatalf("the last of %d is not known as the last", want)
		}
	}
}
