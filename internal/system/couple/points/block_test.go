package points

import (
	"errors"
	"slices"
	"testing"
)

// TestBlock compares blocks with layouts that are written out.
func TestBlock(t *testing.T) {
	for name, c := range map[string]struct {
		b                 Block
		fill              bool
		points, positions []int64
		memory            int64
	}{
		"C":        {Block{Grid: []int{3, 4}, First: []int{1, 1}, Extent: []int{2, 2}}, false, []int64{5, 6, 9, 10}, []int64{0, 1, 2, 3}, 4},
		"Fortran":  {Block{Grid: []int{3, 4}, First: []int{1, 1}, Extent: []int{2, 2}, Fortran: true}, false, []int64{4, 5, 7, 8}, []int64{0, 1, 2, 3}, 4},
		"halo":     {Block{Grid: []int{3, 4}, First: []int{1, 1}, Extent: []int{1, 2}, Halo: []int{0, 1}}, false, []int64{5, 6}, []int64{1, 2}, 4},
		"filled":   {Block{Grid: []int{3, 4}, First: []int{1, 1}, Extent: []int{1, 2}, Halo: []int{0, 1}}, true, []int64{4, 5, 6, 7}, []int64{0, 1, 2, 3}, 4},
		"the edge": {Block{Grid: []int{4}, First: []int{0}, Extent: []int{2}, Halo: []int{1}}, true, []int64{0, 1, 2}, []int64{1, 2, 3}, 4},
		"nothing":  {Block{Grid: []int{4}, First: []int{4}, Extent: []int{0}}, false, nil, nil, 0},
	} {
		l, memory, err := c.b.Layout(c.fill)
		if err != nil || memory != c.memory || !slices.Equal(expand(l.Points), c.points) || !slices.Equal(expand(l.Positions), c.positions) {
			t.Errorf("%s: points %v at %v of %d: %v", name, expand(l.Points), expand(l.Positions), memory, err)
		}
	}
}

func TestBadBlocks(t *testing.T) {
	for name, b := range map[string]Block{
		"no dimensions":    {},
		"few subscripts":   {Grid: []int{3, 4}, First: []int{1}, Extent: []int{2, 2}},
		"few extents":      {Grid: []int{3}, First: []int{1}},
		"long halo":        {Grid: []int{3}, First: []int{1}, Extent: []int{1}, Halo: []int{1, 1}},
		"outside":          {Grid: []int{3}, First: []int{2}, Extent: []int{2}},
		"before":           {Grid: []int{3}, First: []int{-1}, Extent: []int{2}},
		"negative extent":  {Grid: []int{3}, First: []int{1}, Extent: []int{-1}},
		"negative halo":    {Grid: []int{3}, First: []int{1}, Extent: []int{1}, Halo: []int{-1}},
		"too many points":  {Grid: []int{1 << 31, 1 << 31}, First: []int{0, 0}, Extent: []int{1, 1}},
		"too much of halo": {Grid: []int{3, 3}, First: []int{0, 0}, Extent: []int{1, 1}, Halo: []int{1 << 40, 1 << 40}},
	} {
		if _, _, err := b.Layout(true); !errors.Is(err, ErrShape) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRowsCostLittle: the form of a block does not grow with the length of its rows.
func TestRowsCostLittle(t *testing.T) {
	b := Block{Grid: []int{100, 1 << 20}, First: []int{0, 7}, Extent: []int{100, 1 << 19}, Halo: []int{1, 1}}
	l, _, err := b.Layout(true)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(l.Points.Bytes()) + len(l.Positions.Bytes()); n > 100*16 {
		t.Errorf("%d bytes for 100 rows", n)
	}
}
