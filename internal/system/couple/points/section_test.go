package points

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSection compares sections with positions that are written out.
func TestSection(t *testing.T) {
	for name, c := range map[string]struct {
		s                   Section
		positions, expected List
	}{
		"a row":       {Section{[]int64{5}, []int64{4}}, Of(0, 1, 2, 3, 4), Of(0, 4, 8, 12, 16)},
		"backwards":   {Section{[]int64{3}, []int64{-2}}, Of(0, 1, 2), Of(4, 2, 0)},
		"the inside":  {Section{[]int64{2, 3}, []int64{1, 4}}, Of(0, 1, 2, 3, 4, 5), Of(0, 1, 4, 5, 8, 9)},
		"mixed signs": {Section{[]int64{2, 2}, []int64{-1, 10}}, Of(0, 1, 2, 3), Of(1, 0, 11, 10)},
		"some":        {Section{[]int64{2, 3}, []int64{3, 10}}, Of(5, 0, 3), Of(23, 0, 13)},
		"a column":    {Section{[]int64{2, 3}, []int64{3, 10}}, Of(1, 3, 5), Of(3, 13, 23)},
		"nothing":     {Section{[]int64{0, 3}, []int64{3, 10}}, Of(), Of()},
	} {
		l := c.s.Layout(&Layout{Points: c.positions, Positions: c.positions})
		if got, want := expand(l.Positions), expand(c.expected); !slices.Equal(got, want) {
			t.Errorf("%s: %v, expected %v", name, got, want)
		}
		if !slices.Equal(expand(l.Points), expand(c.positions)) {
			t.Errorf("%s: points %v", name, expand(l.Points))
		}
	}
}

// TestRandomSections compares the positions of random layouts in random sections, of which some have several
// thousand points, with the positions of each point computed separately. The least position of a whole
// section is 0, and each position belongs to one point.
func TestRandomSections(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		var s Section
		all, stride := int64(1), 1+r.Int64N(3)
		for range 1 + r.IntN(4) {
			n := 1 + r.Int64N(8)
			s.Extents = append(s.Extents, n)
			s.Strides = append(s.Strides, stride*(1-2*r.Int64N(2)))
			all *= n
			stride = stride*n + r.Int64N(4)
		}
		var positions Builder
		for range r.IntN(6) {
			start := r.Int64N(all)
			step := 1 + r.Int64N(min(all, 9))
			positions.AddRun(Run{start, step, 1 + r.Int64N((all-1-start)/step+1)})
			for range r.IntN(4) {
				positions.Add(r.Int64N(all))
			}
		}
		l := &Layout{Positions: positions.List()}
		l.Points = l.Positions
		var want []int64
		for _, i := range expand(l.Positions) {
			want = append(want, s.position(s.First(), i))
		}
		if got := expand(s.Layout(l).Positions); !slices.Equal(got, want) {
			t.Errorf("seed %d: %v: %v, expected %v", seed, s, got, want)
		}
		for i := range all {
			if got := s.Index(s.position(s.First(), i)); got != i {
				t.Errorf("seed %d: %v: point %d is taken for %d", seed, s, i, got)
			}
		}
		var whole Builder
		whole.AddRun(Run{0, 1, all})
		dense := whole.List()
		if least := slices.Min(expand(s.Layout(&Layout{Points: dense, Positions: dense}).Positions)); least != 0 {
			t.Errorf("seed %d: %v begins at %d", seed, s, least)
		}
	}
}

// TestRowsOfSectionsCostLittle: the form of a section does not grow with the length of its rows.
func TestRowsOfSectionsCostLittle(t *testing.T) {
	var whole Builder
	whole.AddRun(Run{0, 1, 100 << 19})
	dense := whole.List()
	s := Section{[]int64{1 << 19, 100}, []int64{3, 1 << 22}}
	l := s.Layout(&Layout{Points: dense, Positions: dense})
	if n := len(l.Positions.Bytes()); n > 100*16 {
		t.Errorf("%d bytes for 100 rows", n)
	}
}
