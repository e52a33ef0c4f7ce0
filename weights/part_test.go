package weights

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// randomGrids returns two random grids with masks, in the plane or on the sphere, of which the receiving one has rows for several ranks.
func randomGrids(r *rand.Rand, plane bool) (from, to *Grid) {
	angle := 0.0
	if plane {
		angle = 0.3
	}
	from = masked(r, lattice(plane, steps(r, 20, 0, 80), steps(r, 10, -60, 60), angle))
	to = masked(r, lattice(plane, steps(r, 60, 0, 80), steps(r, 30, -60, 60), 0))
	return from, to
}

// choices are the options of the tests.
var choices = []Options{
	{Method: Nearest}, {Method: Nearest, Neighbours: 3}, {Method: Bilinear, FillNearest: true}, {Method: Bilinear},
	{Method: Conservative}, {Method: Conservative, Normalization: CellArea},
}

// TestRows: the weights of some rows are those of the whole matrix.
func TestRows(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, plane := range []bool{true, false} {
		from, to := randomGrids(r, plane)
		for _, o := range choices {
			whole, err := Make(from, to, o)
			if err != nil {
				t.Fatal(err)
			}
			o.Rows = r.Perm(to.Len())[:r.IntN(to.Len())]
			part, err := Make(from, to, o)
			if err != nil {
				t.Fatal(err)
			}
			want := slices.DeleteFunc(slices.Clone(whole.Entries), func(e Entry) bool { return !slices.Contains(o.Rows, e.Row) })
			if !slices.Equal(part.Entries, want) {
				t.Errorf("plane %v, %+v: %d entries, want %d", plane, o.Method, len(part.Entries), len(want))
			}
			for i := range to.Len() {
				if in := slices.Contains(o.Rows, i); in && (part.ToArea[i] != whole.ToArea[i] || part.ToFraction[i] != whole.ToFraction[i]) || !in && part.ToArea[i] != 0 {
					t.Errorf("plane %v, %v: row %d, in the list %v: area %g and fraction %g, and in the whole matrix %g and %g",
						plane, o.Method, i, in, part.ToArea[i], part.ToFraction[i], whole.ToArea[i], whole.ToFraction[i])
				}
			}
		}
		for _, rows := range [][]int{{-1}, {to.Len()}, {3, 4, 3}} {
			if _, err := Make(from, to, Options{Rows: rows}); !errors.Is(err, ErrOptions) {
				t.Errorf("rows %v: %v", rows, err)
			}
		}
	}
}

// FuzzJoin joins bytes that are no part of a matrix.
func FuzzJoin(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	from, to := lattice(true, steps(r, 3, 0, 1), steps(r, 2, 0, 1), 0), lattice(true, steps(r, 2, 0, 1), steps(r, 3, 0, 1), 0)
	for _, o := range choices {
		part, err := MakePart(from, to, o)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(part)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, o := range choices {
			m, err := Join(from, to, o, b)
			if err != nil && !errors.Is(err, ErrPart) {
				t.Error(err)
			}
			if err == nil && len(m.Entries)*entryBytes != len(b) {
				t.Errorf("%d bytes become %d entries", len(b), len(m.Entries))
			}
		}
	})
}
