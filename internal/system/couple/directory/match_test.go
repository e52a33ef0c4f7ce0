package directory

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/goacp/goacp/internal/system/couple/points"
)

// expand returns all numbers of a list.
func expand(l points.List) (all []int64) {
	for it := l.All(); ; {
		r, ok := it.Next()
		if !ok {
			return all
		}
		for i := range r.Count {
			all = append(all, r.Start+i*r.Stride)
		}
	}
}

// held is the points of some ranks, ascending.
type held [][]int64

func (h held) lists() (lists []points.List) {
	for _, all := range h {
		lists = append(lists, points.Of(all...))
	}
	return lists
}

// has returns the ranks that have a point.
func (h held) has(x int64) (ranks []int) {
	for i, all := range h {
		if _, ok := slices.BinarySearch(all, x); ok {
			ranks = append(ranks, i)
		}
	}
	return ranks
}

// TestMatch compares random points with a search for each of them.
func TestMatch(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		// Distances of points, so that a page has all of them, some, or one.
		distance := []int64{1, 3, pagePoints / 10, 3 * pagePoints}[r.IntN(4)]
		rng := Range{Lo: r.Int64N(1000)}
		const total = 60
		rng.Hi = rng.Lo + total*distance
		senders, receivers := make(held, 1+r.IntN(4)), make(held, 1+r.IntN(4))
		masked := make(held, r.IntN(3))
		faulty := r.IntN(3) == 0
		for i := range int64(total) {
			x := rng.Lo + i*distance
			missing := faulty && r.IntN(20) == 0
			if s := r.IntN(len(senders)); !missing {
				senders[s] = append(senders[s], x)
				if other := r.IntN(len(senders)); other != s && faulty && r.IntN(20) == 0 {
					senders[other] = append(senders[other], x)
				}
			}
			for k := range masked {
				if r.IntN(8) == 0 {
					masked[k] = append(masked[k], x)
				}
			}
			for k := range receivers {
				if r.IntN(2) == 0 {
					receivers[k] = append(receivers[k], x)
				}
			}
		}
		check(t, rng, distance, senders, masked, receivers)
	}
}

func check(t *testing.T, rng Range, distance int64, senders, masked, receivers held) {
	t.Helper()
	m := rng.Match(senders.lists(), masked.lists(), receivers.lists())
	missing, twice := int64(None), int64(None)
	want := make(map[Pair][]int64)
	for x := rng.Lo; x < rng.Hi; x += distance {
		from, to := senders.has(x), receivers.has(x)
		if len(from) > 1 && twice == None {
			twice = x
			if !slices.Equal(m.Senders[:], from[:2]) {
				t.Errorf("senders %v have point %d twice, found %v", from, x, m.Senders)
			}
		}
		if len(from) == 0 && len(to) > 0 && len(masked.has(x)) == 0 && missing == None {
			missing = x
		}
		if len(from) == 1 {
			for _, k := range to {
				p := Pair{from[0], k}
				want[p] = append(want[p], x)
			}
		}
	}
	if m.Missing != missing || m.Twice != twice {
		t.Fatalf("missing %d, twice %d, want %d and %d", m.Missing, m.Twice, missing, twice)
	}
	if twice != None {
		return // the points of the pairs are not used
	}
	if len(m.Pairs) != len(want) {
		t.Fatalf("%d pairs, want %d", len(m.Pairs), len(want))
	}
	for pair, l := range m.Pairs {
		if got := expand(l); !slices.Equal(got, want[pair]) {
			t.Fatalf("%v: %v, want %v", pair, got, want[pair])
		}
	}
}

func TestRanges(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		lo := r.Int64N(1 << 40)
		all := Ranges{Range{lo, lo + r.Int64N(1<<uint(1+r.IntN(40)))}, 1 + r.IntN(9)}
		end := lo
		for i := range all.Parts {
			part := all.Part(i)
			if part.Lo != end || part.Hi < part.Lo {
				t.Fatalf("part %d of %v is %v, behind %d", i, all, part, end)
			}
			end = part.Hi
		}
		if end != all.All.Hi {
			t.Fatalf("the parts of %v end at %d", all, end)
		}
	}
}

func TestCut(t *testing.T) {
	all := []int64{10, 12, 14, 16, 18, 20, 29}
	list := points.Of(all...)
	rs := Ranges{Range{10, 30}, 3}
	var got []int64
	err := rs.Cut(&list, func(part int, some points.List) error {
		for _, x := range expand(some) {
			if p := rs.Part(part); x < p.Lo || x >= p.Hi {
				t.Errorf("point %d in part %v", x, p)
			}
			got = append(got, x)
		}
		return nil
	})
	if err != nil || !slices.Equal(got, all) {
		t.Errorf("%v: %v", got, err)
	}
}

// TestMatchParts compares random points, which several senders may have, with a search for each of them.
func TestMatchParts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		rng := Range{Lo: 10, Hi: 10 + 60}
		sides := [2]held{make(held, 1+r.IntN(4)), make(held, 1+r.IntN(4))}
		for x := rng.Lo; x < rng.Hi; x++ {
			for _, h := range sides {
				for i := range h {
					if r.IntN(3) == 0 {
						h[i] = append(h[i], x)
					}
				}
			}
		}
		m := rng.MatchParts(sides[0].lists(), sides[1].lists())
		if m.Missing != None || m.Twice != None {
			t.Fatalf("missing %d, twice %d", m.Missing, m.Twice)
		}
		for s := range sides[0] {
			for to := range sides[1] {
				var want []int64
				for _, x := range sides[0][s] {
					if slices.Contains(sides[1].has(x), to) {
						want = append(want, x)
					}
				}
				l := m.Pairs[Pair{s, to}]
				if got := expand(l); !slices.Equal(got, want) {
					t.Fatalf("sender %d and receiver %d have %v in common, want %v", s, to, got, want)
				}
			}
		}
	}
}
