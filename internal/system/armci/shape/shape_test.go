package shape

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// random returns a transfer of a few blocks with any strides.
func random(rng *rand.Rand) Strided {
	s := Strided{Block: 1 + rng.Int64N(5), Levels: rng.IntN(MaxLevels + 1)}
	dense := rng.IntN(2) == 0
	local, remote := s.Block, s.Block
	for i := range s.Levels {
		s.Count[i] = 1 + rng.Int64N(3)
		s.Local[i], s.Remote[i] = local, remote
		if !dense || rng.IntN(4) == 0 {
			s.Local[i], s.Remote[i] = rng.Int64N(40)-20, rng.Int64N(40)-20
		}
		local, remote = s.Local[i]*s.Count[i], s.Remote[i]*s.Count[i]
	}
	return s
}

// stream returns the offsets of all bytes of a transfer on both sides, in order.
func stream(s *Strided) (local, remote []int64) {
	blocks := int64(1)
	for i := range s.Levels {
		blocks *= s.Count[i]
	}
	for b := range blocks {
		var l, r int64
		for i, rest := 0, b; i < s.Levels; i++ {
			l += rest % s.Count[i] * s.Local[i]
			r += rest % s.Count[i] * s.Remote[i]
			rest /= s.Count[i]
		}
		for k := range s.Block {
			local, remote = append(local, l+k), append(remote, r+k)
		}
	}
	return local, remote
}

// walked returns the offsets of n bytes of a side from start on, in runs of random lengths.
func walked(rng *rand.Rand, s *Side, start, n int64) (all []int64) {
	for c := s.From(start); n > 0; {
		offset, k := c.Next(min(n, 1+rng.Int64N(9)))
		for i := range k {
			all = append(all, offset+i)
		}
		n -= k
	}
	return all
}

// TestStreams: merging and walking keep the order of the bytes, and all bytes lie in the extent.
func TestStreams(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 20000 {
		s := random(rng)
		local, remote := stream(&s)
		n := int64(len(local))
		if got, err := s.Bytes(); got != n || err != nil {
			t.Fatalf("seed %d: %+v has %d bytes, %v; want %d", seed, s, got, err, n)
		}
		start := rng.Int64N(n)
		for _, side := range []struct {
			Side
			want []int64
		}{{s.LocalSide(), local}, {s.RemoteSide(), remote}} {
			if got := walked(rng, &side.Side, start, n-start); !slices.Equal(got, side.want[start:]) {
				t.Fatalf("seed %d: %+v from byte %d of %+v: %v, want %v", seed, side.Side, start, s, got, side.want[start:])
			}
			low, high, err := side.Extent()
			if err != nil || low != slices.Min(side.want) || high != slices.Max(side.want)+1 {
				t.Fatalf("seed %d: the extent of %+v is %d to %d, %v", seed, side.Side, low, high, err)
			}
		}
		merged := s
		merged.Merge()
		if merged.Levels > s.Levels {
			t.Fatalf("seed %d: %+v merged to %+v", seed, s, merged)
		}
		var l, r []int64
		merged.Each(func(x, y int64) bool {
			for k := range merged.Block {
				l, r = append(l, x+k), append(r, y+k)
			}
			return true
		})
		if !slices.Equal(l, local) || !slices.Equal(r, remote) {
			t.Fatalf("seed %d: %+v merged to %+v", seed, s, merged)
		}
	}
}

// TestMerge: blocks that are adjacent on both sides become one block.
func TestMerge(t *testing.T) {
	s := Strided{Block: 8, Levels: 3, Count: [MaxLevels]int64{4, 1, 5}, Local: [MaxLevels]int64{8, 999, 32}, Remote: [MaxLevels]int64{8, -7, 32}}
	s.Merge()
	if s != Contiguous(160) {
		t.Errorf("%+v", s)
	}
}

func TestNew(t *testing.T) {
	strides := make([]int, MaxLevels+1)
	for _, c := range []struct {
		name          string
		count, stride []int
		levels        int
		want          error
	}{
		{"contiguous", []int{7}, nil, 0, nil},
		{"empty", []int{0, 5}, strides, 1, nil},
		{"negative levels", []int{7}, strides, -1, ErrLevels},
		{"too many levels", make([]int, MaxLevels+2), strides, MaxLevels + 1, ErrLevels},
		{"short counts", []int{7}, strides, 1, ErrArray},
		{"short strides", []int{7, 1}, nil, 1, ErrArray},
		{"negative bytes", []int{-1}, nil, 0, ErrCount},
		{"negative blocks", []int{0, -1}, strides, 1, ErrCount},
		{"too large", []int{math.MaxInt32, math.MaxInt32, math.MaxInt32}, strides, 2, ErrCount},
		{"large and empty", []int{math.MaxInt32, math.MaxInt32, math.MaxInt32, 0}, strides, 3, nil},
	} {
		if _, err := New(c.count, c.stride, c.stride, c.levels); !errors.Is(err, c.want) || c.want == nil && err != nil {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

// TestExtentOverflows: a side that does not fit in an address space is an error.
func TestExtentOverflows(t *testing.T) {
	for _, stride := range []int64{math.MaxInt64, math.MinInt64, math.MaxInt64 / 2} {
		s := Side{Block: 1, Levels: 1, Count: [MaxLevels]int64{4}, Stride: [MaxLevels]int64{stride}}
		if low, high, err := s.Extent(); !errors.Is(err, ErrExtent) {
			t.Errorf("stride %d: %d to %d, %v", stride, low, high, err)
		}
	}
}
