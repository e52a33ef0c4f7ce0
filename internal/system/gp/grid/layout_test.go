package grid

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// brute returns the best grid by the rule in the comment of divide, implemented in another way:
// it examines every grid.
func brute(dims, chunk []int, ranks int) []int {
	var best, grid []int
	var score []int
	var try func(d, blocks int)
	try = func(d, blocks int) {
		if d == len(dims) {
			volume := 1
			for i, n := range dims {
				volume *= (n + grid[i] - 1) / grid[i]
			}
			surface := 0
			for i, n := range dims {
				surface += volume / ((n + grid[i] - 1) / grid[i])
			}
			s := append([]int{-blocks, volume, surface}, grid...)
			for i := range grid {
				s[3+i] = -s[3+i]
			}
			if best == nil || slices.Compare(s, score) < 0 {
				best, score = slices.Clone(grid), s
			}
			return
		}
		limit := dims[d]
		if chunk != nil && chunk[d] > 0 {
			limit = max(1, dims[d]/chunk[d])
		}
		for p := 1; p <= limit && p*blocks <= ranks; p++ {
			grid = append(grid, p)
			try(d+1, p*blocks)
			grid = grid[:d]
		}
	}
	try(0, 1)
	return best
}

// TestRule compares the grids for 1 to 64 ranks with a search through all grids.
func TestRule(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for ranks := 1; ranks <= 64; ranks++ {
		for range 12 {
			dims := make([]int, 1+random.IntN(MaxDims))
			var chunk []int
			if random.IntN(2) == 0 {
				chunk = make([]int, len(dims))
			}
			for d := range dims {
				dims[d] = 1 + random.IntN(20)
				if chunk != nil {
					chunk[d] = random.IntN(dims[d]+3) - 2
				}
			}
			if got, want := divide(dims, chunk, ranks), brute(dims, chunk, ranks); !slices.Equal(got, want) {
				t.Errorf("%v with chunk %v on %d ranks: %v, want %v", dims, chunk, ranks, got, want)
			}
		}
	}
}

// TestRuleExamples shows the rule by examples.
func TestRuleExamples(t *testing.T) {
	for _, c := range []struct {
		dims, chunk []int
		ranks       int
		want        []int
	}{
		{[]int{10}, nil, 4, []int{4}},
		{[]int{3}, nil, 4, []int{3}},
		{[]int{100, 100}, nil, 6, []int{3, 2}},
		{[]int{10, 1000}, nil, 6, []int{1, 6}},
		{[]int{100, 100}, []int{0, 100}, 6, []int{6, 1}},
		{[]int{100, 100}, []int{60, 60}, 6, []int{1, 1}},
		{[]int{4, 4}, nil, 7, []int{3, 2}}, // 7 blocks are not possible
		{[]int{math.MaxInt32}, nil, 1 << 20, []int{1 << 20}},
		{[]int{1 << 20, 1 << 20, 1 << 10}, nil, 65536, []int{256, 256, 1}},
	} {
		if got := divide(c.dims, c.chunk, c.ranks); !slices.Equal(got, c.want) {
			t.Errorf("%v with chunk %v on %d ranks: %v, want %v", c.dims, c.chunk, c.ranks, got, c.want)
		}
	}
}

// layouts calls f with random layouts of all kinds.
func layouts(t *testing.T, n int, f func(l *Layout, ranks int)) {
	random := rand.New(rand.NewPCG(3, 4))
	for range n {
		ranks := 1 + random.IntN(64)
		s := Shape{Dims: make([]int, 1+random.IntN(MaxDims))}
		for d := range s.Dims {
			s.Dims[d] = 1 + random.IntN(6)
		}
		switch random.IntN(3) {
		case 0:
			for _, n := range s.Dims {
				s.Chunk = append(s.Chunk, random.IntN(n+2)-1)
			}
		case 1:
			left := ranks
			for _, n := range s.Dims {
				starts := make([]int, 1+random.IntN(min(n, left)))
				for b := range starts[1:] {
					starts[b+1] = random.IntN(n + 1)
				}
				slices.Sort(starts)
				left /= len(starts)
				s.Starts = append(s.Starts, starts)
			}
		}
		l, err := New(s, ranks)
		if err != nil {
			t.Fatalf("%+v on %d ranks: %v", s, ranks, err)
		}
		f(l, ranks)
	}
}

// TestOwners: every place has one owner, its blocks have it at the index that Find says, and
// ranks are numbered in C order of the grid.
func TestOwners(t *testing.T) {
	layouts(t, 300, func(l *Layout, ranks int) {
		all := Section{make([]int, len(l.dims)), nil}
		for _, n := range l.dims {
			all.Hi = append(all.Hi, n-1)
		}
		found := 0
		for rank := range ranks {
			block, ok := l.Block(rank)
			if !ok {
				continue
			}
			found += block.Places()
			if n := l.Places(rank); n != block.Places() {
				t.Fatalf("%d places in %v", n, block)
			}
			for i := range block.Places() {
				if r, index := l.Find(block.Place(i)); r != rank || index != i {
					t.Fatalf("layout %+v: place %v of rank %d is found as %d of rank %d", l, block.Place(i), rank, index, r)
				}
			}
		}
		if found != all.Places() {
			t.Errorf("layout %+v: the blocks of %d ranks have %d places, want %d", l, ranks, found, all.Places())
		}
	})
}

// TestSections: a selection has every place of a section once, with its entry in C order.
func TestSections(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	layouts(t, 300, func(l *Layout, ranks int) {
		s := Section{make([]int, len(l.dims)), make([]int, len(l.dims))}
		for d, n := range l.dims {
			s.Lo[d] = random.IntN(n)
			s.Hi[d] = s.Lo[d] + random.IntN(n-s.Lo[d])
		}
		if err := l.Check(s); err != nil {
			t.Fatal(err)
		}
		check(t, l, l.Section(s), s.Places(), s.Place)
	})
}

// TestLists: a selection has every place of a list as often as it is named.
func TestLists(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	layouts(t, 300, func(l *Layout, ranks int) {
		places := make([][]int, random.IntN(30))
		for i := range places {
			for _, n := range l.dims {
				places[i] = append(places[i], random.IntN(n))
			}
		}
		at := func(i int) []int { return places[i] }
		sel, err := l.List(len(places), at)
		if err != nil {
			t.Fatal(err)
		}
		check(t, l, sel, len(places), at)
	})
}

// check compares a selection with the places of its entries.
func check(t *testing.T, l *Layout, sel Selection, n int, place func(i int) []int) {
	t.Helper()
	seen := make([]bool, n)
	for k, p := range sel.Parts {
		places := 0
		for _, r := range p.Runs {
			places += r.N
			for i := range r.N {
				rank, index := l.Find(place(r.Entry + i))
				if seen[r.Entry+i] || rank != p.Rank || index != r.Index+i {
					t.Fatalf("layout %+v: entry %d is %d of rank %d, want %d of rank %d", l, r.Entry+i, r.Index+i, p.Rank, index, rank)
				}
				seen[r.Entry+i] = true
			}
		}
		if places != p.N || places == 0 {
			t.Errorf("a part of %d places has %d", p.N, places)
		}
		if slices.ContainsFunc(sel.Parts[:k], func(q Part) bool { return q.Rank == p.Rank }) {
			t.Errorf("rank %d has two parts", p.Rank)
		}
	}
	if sel.N != n || slices.Contains(seen, false) {
		t.Errorf("layout %+v: a selection of %d entries has %v of %d", l, sel.N, seen, n)
	}
}

// TestRunsJoin: whole rows of a block are one run.
func TestRunsJoin(t *testing.T) {
	l, err := New(Shape{Dims: []int{100, 8}, Chunk: []int{0, 8}}, 4)
	if err != nil {
		t.Fatal(err)
	}
	sel := l.Section(Section{[]int{0, 0}, []int{99, 7}})
	for _, p := range sel.Parts {
		if len(p.Runs) != 1 || p.N != 200 {
			t.Errorf("rank %d has %v", p.Rank, p.Runs)
		}
	}
}

// TestBadShapes: messages name the error.
func TestBadShapes(t *testing.T) {
	starts := func(s ...[]int) [][]int { return s }
	for _, c := range []struct {
		shape Shape
		ranks int
		is    error
		want  string
	}{
		{Shape{}, 1, ErrShape, "0 dimensions, expected 1 to 7"},
		{Shape{Dims: make([]int, 8)}, 1, ErrShape, "8 dimensions, expected 1 to 7"},
		{Shape{Dims: []int{3, 0}}, 1, ErrShape, "dimension 1 has 0 places"},
		{Shape{Dims: []int{math.MaxInt32 + 1}}, 1, ErrShape, "dimension 0 has 2147483648 places"},
		{Shape{Dims: []int{math.MaxInt32, math.MaxInt32}}, 1, ErrTooLarge, "too many places"},
		{Shape{Dims: []int{3, 3}, Chunk: []int{1}}, 1, ErrShape, "1 chunk sizes for 2 dimensions"},
		{Shape{Dims: []int{3, 3}, Starts: starts([]int{0})}, 1, ErrShape, "starts of blocks for 1 of 2 dimensions"},
		{Shape{Dims: []int{3}, Starts: starts([]int{})}, 4, ErrShape, "0 blocks in dimension 0 of 3 places"},
		{Shape{Dims: []int{3}, Starts: starts([]int{0, 1, 2, 3})}, 4, ErrShape, "4 blocks in dimension 0 of 3 places"},
		{Shape{Dims: []int{3}, Starts: starts([]int{1})}, 4, ErrShape, "block 0 of dimension 0 begins at 1"},
		{Shape{Dims: []int{3}, Starts: starts([]int{0, 2, 1})}, 4, ErrShape, "block 2 of dimension 0 begins at 1"},
		{Shape{Dims: []int{3}, Starts: starts([]int{0, 4})}, 4, ErrShape, "block 1 of dimension 0 begins at 4"},
		{Shape{Dims: []int{3, 3}, Starts: starts([]int{0, 1}, []int{0, 1})}, 3, ErrShape, "more than the 3 ranks"},
	} {
		if _, err := New(c.shape, c.ranks); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.shape, err, c.want)
		}
	}
}

// TestBadSections: sections and places outside of the array are refused; empty sections are
// not, whatever their bounds are.
func TestBadSections(t *testing.T) {
	l, err := New(Shape{Dims: []int{4, 5}}, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		lo, hi []int
		ok     bool
	}{
		{[]int{0, 0}, []int{3, 4}, true},
		{[]int{0, 0}, []int{4, 4}, false},
		{[]int{0, -1}, []int{3, 4}, false},
		{[]int{0}, []int{3}, false},
		{[]int{0, 0}, []int{3}, false},
		{[]int{-7, 3}, []int{9, 2}, true},
	} {
		if err := l.Check(Section{c.lo, c.hi}); (err == nil) != c.ok || err != nil && !errors.Is(err, ErrBounds) {
			t.Errorf("%v to %v: %v", c.lo, c.hi, err)
		}
	}
	if sel := l.Section(Section{[]int{-7, 3}, []int{9, 2}}); sel.N != 0 || len(sel.Parts) != 0 {
		t.Errorf("an empty section has %+v", sel)
	}
	for _, place := range [][]int{{0}, {4, 0}, {0, -1}, {1, 2, 3}} {
		_, err := l.List(1, func(int) []int { return place })
		if !errors.Is(err, ErrBounds) || !strings.Contains(err.Error(), fmt.Sprint(place)) {
			t.Errorf("place %v: %v", place, err)
		}
	}
}
