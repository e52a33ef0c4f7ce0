package address

import (
	"math/rand/v2"
	"testing"
)

// TestSplit: each address of a space leads to its beginning, and spaces do not overlap.
func TestSplit(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for range 100000 {
		size := 1 + r.Int64N(1<<r.IntN(offsetBits))
		class := Class(size)
		if size > 1<<class || class > 0 && size <= 1<<(class-1) {
			t.Fatalf("%d bytes in class %d", size, class)
		}
		shard, number := r.IntN(Shards), r.Uint64N(Spaces(class))
		base, at := Base(shard, class, number), r.Int64N(size)
		got, offset, ok := Split(base + at)
		if !ok || got != base || offset != at || base <= 0 || Shard(base+at) != shard {
			t.Fatalf("space %d of class %d in shard %d: %#x and %d lead to %#x and %d, %v", number, class, shard, base, at, got, offset, ok)
		}
	}
}

// TestEdges: the greatest space has addresses, and numbers that are no addresses are noticed.
func TestEdges(t *testing.T) {
	if c := Class(MaxSize); c != offsetBits-1 || Spaces(c) != 2 {
		t.Errorf("the greatest space has class %d, of which there are %d", c, Spaces(c))
	}
	if last := Base(Shards-1, Class(MaxSize), 1) + MaxSize - 1; last <= 0 {
		t.Errorf("the last address is %#x", last)
	}
	for _, bad := range []int64{0, -1, 1, 1 << 45, -1 << 63, 50 << offsetBits, 63<<offsetBits | 1, Shards<<shardShift | 1<<offsetBits, 1<<63 - 1} {
		if _, _, ok := Split(bad); ok {
			t.Errorf("%#x is an address", bad)
		}
	}
	if Class(0) != 0 || Class(1) != 0 || Class(2) != 1 || Class(3) != 2 {
		t.Error("classes of small spaces")
	}
}
