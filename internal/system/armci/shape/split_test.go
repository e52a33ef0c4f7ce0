package shape

import (
	"math/rand/v2"
	"testing"
)

// TestSplit: targets without the bytes that Split counts split no aligned word of a block, and have at
// least one byte.
func TestSplit(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 20_000 {
		side := Side{Block: 1 + rng.Int64N(60), Levels: rng.IntN(3)}
		for i := range side.Levels {
			side.Count[i], side.Stride[i] = 1+rng.Int64N(4), rng.Int64N(200)-100
		}
		all, err := side.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		target := Target{At: 1000 + rng.Uint64N(8), Side: side}
		target.Start = rng.Int64N(all)
		target.N = 1 + rng.Int64N(all-target.Start)
		longer := target.N
		target.N -= target.Split()
		if target.N < 1 || longer-target.N > 7 {
			t.Fatalf("seed %d: %+v has %d bytes of %d", seed, target, target.N, longer)
		}
		if end := target.Start + target.N; end < all && longer >= 8 && target.cuts(end) {
			t.Fatalf("seed %d: %+v ends in a word", seed, target)
		}
	}
}

// cuts reports whether an aligned word that belongs to one block has its beginning before a byte of the
// stream, in the target, and its end behind it.
func (t *Target) cuts(at int64) bool {
	within := at % t.Side.Block
	c := t.Side.From(at)
	offset, left := c.Next(t.Side.Block)
	for _, size := range []int64{4, 8} {
		before := int64(t.At+uint64(offset)) % size
		if before > 0 && before <= min(within, t.N) && size-before <= left {
			return true
		}
	}
	return false
}
