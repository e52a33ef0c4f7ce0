package weights

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/ground/netcdf"
)

// lattice returns a grid in rows with cells between bounds, turned by an angle in the plane.
func lattice(plane bool, xs, ys []float64, angle float64) *Grid {
	g := &Grid{Plane: plane, Sizes: []int{len(ys) - 1, len(xs) - 1}, Corners: 4}
	sin, cos := math.Sincos(angle)
	turn := func(x, y float64) (float64, float64) { return x*cos - y*sin, x*sin + y*cos }
	for j := range len(ys) - 1 {
		for i := range len(xs) - 1 {
			x, y := turn((xs[i]+xs[i+1])/2, (ys[j]+ys[j+1])/2)
			g.X, g.Y = append(g.X, x), append(g.Y, y)
			for _, c := range [4][2]float64{{xs[i], ys[j]}, {xs[i+1], ys[j]}, {xs[i+1], ys[j+1]}, {xs[i], ys[j+1]}} {
				x, y := turn(c[0], c[1])
				g.CornerX, g.CornerY = append(g.CornerX, x), append(g.CornerY, y)
			}
		}
	}
	return g
}

// steps returns n+1 random ascending numbers from low to high.
func steps(r *rand.Rand, n int, low, high float64) []float64 {
	all := []float64{low, high}
	for range n - 1 {
		all = append(all, low+(high-low)*r.Float64())
	}
	slices.Sort(all)
	return all
}

// masked masks some points of a grid.
func masked(r *rand.Rand, g *Grid) *Grid {
	g.Mask = make([]bool, g.Len())
	for i := range g.Mask {
		g.Mask[i] = r.IntN(4) > 0
	}
	return g
}

// conserved checks that the sum of value times area is the same on both grids, over the cells that the other grid covers, and that
// constant fields stay the same with CoveredArea.
func conserved(t *testing.T, r *rand.Rand, from, to *Grid) {
	t.Helper()
	for _, norm := range []Normalization{CoveredArea, CellArea} {
		m, err := Make(from, to, Options{Method: Conservative, Normalization: norm})
		if err != nil {
			t.Fatal(err)
		}
		values, got, rows := make([]float64, from.Len()), make([]float64, to.Len()), make([]float64, to.Len())
		for i := range values {
			values[i] = r.Float64()
		}
		for _, e := range m.Entries {
			if !from.valid(e.Column) || !to.valid(e.Row) {
				t.Fatalf("%v has a masked point", e)
			}
			got[e.Row] += e.Value * values[e.Column]
			rows[e.Row] += e.Value
		}
		sent, received := 0.0, 0.0
		for i, v := range values {
			sent += v * m.FromArea[i] * m.FromFraction[i]
		}
		for i, v := range got {
			share := m.ToFraction[i]
			if norm == CellArea {
				share = 1
			}
			received += v * m.ToArea[i] * share
			if want := 1.0; rows[i] != 0 && norm == CoveredArea && math.Abs(rows[i]-want) > 1e-12 {
				t.Errorf("the weights of row %d add up to %.17g", i, rows[i])
			}
			if norm == CellArea && math.Abs(rows[i]-m.ToFraction[i]) > 1e-12 {
				t.Errorf("the weights of row %d add up to %.17g; its fraction is %.17g", i, rows[i], m.ToFraction[i])
			}
		}
		if math.Abs(sent-received) > 1e-12*sent {
			t.Errorf("%v: the sum is %.17g, and becomes %.17g", norm, sent, received)
		}
	}
}

// TestConserved conserves sums between random grids in the plane and on the sphere, with masks.
func TestConserved(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		conserved(t, r, lattice(true, steps(r, 7, 0, 3), steps(r, 5, 0, 2), 0), lattice(true, steps(r, 4, 0, 3), steps(r, 9, 0, 2), 0))
		conserved(t, r, masked(r, lattice(true, steps(r, 7, -1, 3), steps(r, 5, 0, 2), 0.3)), masked(r, lattice(true, steps(r, 4, 0, 3), steps(r, 9, 0, 2), -1)))
		globe := func(nx, ny int) *Grid { return lattice(false, steps(r, nx, -180, 180), steps(r, ny, -90, 90), 0) }
		conserved(t, r, globe(12, 8), globe(10, 14))
		conserved(t, r, masked(r, turned(globe(12, 8), 30*r.Float64(), r.Float64())), masked(r, turned(globe(16, 5), 30*r.Float64(), r.Float64())))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// TestWholeSphere: cells of one grid cover each cell of another one, also at the poles and the date line.
func TestWholeSphere(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	from := turned(lattice(false, steps(r, 20, -180, 180), steps(r, 15, -90, 90), 0), 11, 1.1)
	to := lattice(false, steps(r, 17, 100, 460), steps(r, 12, -90, 90), 0)
	m, err := Make(from, to, Options{Method: Conservative})
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i, f := range m.ToFraction {
		if math.Abs(f-1) > 1e-12 {
			t.Errorf("cell %d is covered to %.17g", i, f)
		}
		sum += m.ToArea[i]
	}
	if math.Abs(sum-4*math.Pi) > 1e-12*4*math.Pi {
		t.Errorf("the areas add up to %.17g, want 4 pi", sum)
	}
}

// TestConcave: a cell that is not convex.
func TestConcave(t *testing.T) {
	// An L and a rectangle, with the area 2 in common.
	from := &Grid{Plane: true, X: []float64{0.5}, Y: []float64{0.5}, Corners: 6, CornerX: []float64{0, 2, 2, 1, 1, 0}, CornerY: []float64{0, 0, 1, 1, 2, 2}}
	to := &Grid{Plane: true, X: []float64{1}, Y: []float64{1}, Corners: 6, CornerX: []float64{0, 2, 2, 0, 0, 0}, CornerY: []float64{0.5, 0.5, 2, 2, 2, 2}}
	for _, pair := range [][2]*Grid{{from, to}, {to, from}} {
		m, err := Make(pair[0], pair[1], Options{Method: Conservative, Normalization: CellArea})
		if err != nil || len(m.Entries) != 1 {
			t.Fatal(m, err)
		}
		if common := m.Entries[0].Value * m.ToArea[0]; math.Abs(common-2) > 1e-15 {
			t.Errorf("the area in common is %.17g, want 2", common)
		}
	}
}

// TestShortEdges: corners that are a little beside each other, as those of Voronoi cells of four points on a circle.
func TestShortEdges(t *testing.T) {
	square := &Grid{Plane: true, X: []float64{0.5}, Y: []float64{0.5}, Corners: 4, CornerX: []float64{0, 1, 1, 0}, CornerY: []float64{0, 0, 1, 1}}
	for turn := range 16 {
		for _, length := range []float64{1e-14, 1e-13, 1e-12, 1e-11} {
			sin, cos := math.Sincos(float64(turn) * math.Pi / 8)
			short := &Grid{Plane: true, X: []float64{0.5}, Y: []float64{0.5}, Corners: 5, CornerX: []float64{0, 1, 1 + length*cos, 1, 0}, CornerY: []float64{0, 0, length * sin, 1, 1}}
			for _, pair := range [][2]*Grid{{square, short}, {short, square}} {
				m, err := Make(pair[0], pair[1], Options{Method: Conservative, Normalization: CellArea})
				if err != nil || len(m.Entries) != 1 || math.Abs(m.Entries[0].Value-1) > 1e-10 {
					t.Errorf("turn %d, length %g: %v, %v", turn, length, m.Entries, err)
				}
			}
		}
	}
}

// TestNearest compares with all distances.
func TestNearest(t *testing.T) {
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 2))
		scatter := func(n int) *Grid {
			g := &Grid{}
			for range n {
				g.X, g.Y = append(g.X, 360*r.Float64()), append(g.Y, 90-180*r.Float64())
			}
			return g
		}
		from, to, k := masked(r, scatter(100)), scatter(40), 1+r.IntN(6)
		to.X[3], to.Y[3] = from.X[5], from.Y[5]
		from.Mask[5] = true
		m, err := Make(from, to, Options{Method: Nearest, Neighbours: k})
		if err != nil {
			t.Fatal(err)
		}
		for row := range to.Len() {
			var all []near
			for i := range from.Len() {
				if from.Mask[i] {
					all = append(all, near{i, sphere.distance(to.centre(row), from.centre(i))})
				}
			}
			slices.SortFunc(all, closer)
			want, sum := make(map[int]float64), 0.0
			for _, n := range all[:k] {
				want[n.number] = 1 / n.distance
				sum += 1 / n.distance
			}
			if row == 3 {
				want, sum = map[int]float64{5: 1}, 1
			}
			for _, e := range m.Entries {
				if e.Row == row {
					if d := e.Value - want[e.Column]/sum; !(math.Abs(d) < 1e-12) {
						t.Errorf("seed %d: %v, want %g", seed, e, want[e.Column]/sum)
					}
					delete(want, e.Column)
				}
			}
			if len(want) > 0 {
				t.Errorf("seed %d: row %d lacks %v", seed, row, want)
			}
		}
	}
}

// TestBilinear: a linear field stays the same within the quadrilaterals, and points outside have no row, or the nearest point.
func TestBilinear(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	from := lattice(true, steps(r, 6, 0, 3), steps(r, 8, 0, 2), 0.4)
	to := lattice(true, steps(r, 12, -1, 3), steps(r, 12, -1, 3), 0)
	for _, fill := range []bool{false, true} {
		m, err := Make(from, to, Options{Method: Bilinear, FillNearest: fill})
		if err != nil {
			t.Fatal(err)
		}
		count, sums, gotX, gotY := make([]int, to.Len()), make([]float64, to.Len()), make([]float64, to.Len()), make([]float64, to.Len())
		for _, e := range m.Entries {
			count[e.Row]++
			sums[e.Row] += e.Value
			gotX[e.Row] += e.Value * from.X[e.Column]
			gotY[e.Row] += e.Value * from.Y[e.Column]
		}
		inside := 0
		for i, n := range count {
			switch {
			case n == 4:
				inside++
				if math.Abs(sums[i]-1) > 1e-12 || math.Abs(gotX[i]-to.X[i]) > 1e-9 || math.Abs(gotY[i]-to.Y[i]) > 1e-9 {
					t.Errorf("point %d at %g, %g gets %g, %g", i, to.X[i], to.Y[i], gotX[i], gotY[i])
				}
			case n != 0 && !fill, n != 1 && fill:
				t.Errorf("point %d has %d weights", i, n)
			}
		}
		if inside < 10 {
			t.Errorf("%d points are inside", inside)
		}
	}
}

// TestBilinearOutside: points beyond the fold of a quadrilateral have no weights.
func TestBilinearOutside(t *testing.T) {
	from := &Grid{Plane: true, Sizes: []int{2, 2}, X: []float64{0, 1, 0, 0.55}, Y: []float64{0, 0, 1, 0.55}}
	to := &Grid{Plane: true}
	for x := 0.551; x < 1; x += 0.001 {
		to.X, to.Y = append(to.X, x), append(to.Y, x)
	}
	if m, err := Make(from, to, Options{Method: Bilinear}); err != nil || len(m.Entries) != 0 {
		t.Errorf("%v, %v", m.Entries, err)
	}
}

// TestBilinearMask distributes the weights of masked corners.
func TestBilinearMask(t *testing.T) {
	from := &Grid{Plane: true, Sizes: []int{2, 2}, X: []float64{0, 1, 0, 1}, Y: []float64{0, 0, 1, 1}, Mask: []bool{true, false, true, true}}
	to := &Grid{Plane: true, X: []float64{0.5, 1}, Y: []float64{0.5, 0}}
	m, err := Make(from, to, Options{Method: Bilinear, FillNearest: true})
	third := 0.25 / 0.75
	want := []Entry{{0, 0, third}, {0, 2, third}, {0, 3, third}, {1, 0, 0.5}, {1, 3, 0.5}}
	if err != nil || len(m.Entries) != 4 || !slices.Equal(m.Entries[:3], want[:3]) || m.Entries[3].Value != 1 {
		t.Errorf("%v, %v", m, err)
	}
}

// withoutCoordinates takes the coordinates of masked points away.
func withoutCoordinates(g *Grid) {
	for i := range g.X {
		if g.valid(i) {
			continue
		}
		g.X[i], g.Y[i] = math.NaN(), 1e36
		for c := i * g.Corners; c < (i+1)*g.Corners; c++ {
			g.CornerX[c], g.CornerY[c] = math.Inf(1), math.NaN()
		}
	}
}

// TestMaskedWithoutCoordinates: masked points have no place in files of oceans. The weights are those of any place of theirs. Bilinear
// weights take no quadrilaterals with such points.
func TestMaskedWithoutCoordinates(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, plane := range []bool{true, false} {
		for _, angle := range []float64{0, 0.1} {
			from := masked(r, lattice(plane, steps(r, 9, 0, 60), steps(r, 8, 0, 40), angle))
			to := masked(r, lattice(plane, steps(r, 5, 5, 50), steps(r, 4, 10, 30), angle))
			from.Mask[0], to.Mask[0] = false, false
			options := []Options{{Method: Nearest, Neighbours: 3}, {Method: Conservative}, {Method: Conservative, Normalization: CellArea}}
			var made []*Matrix
			for k := range 2 * len(options) {
				if k == len(options) {
					withoutCoordinates(from)
					withoutCoordinates(to)
				}
				m, err := Make(from, to, options[k%len(options)])
				if err != nil {
					t.Fatal(err)
				}
				made = append(made, m)
			}
			for k, o := range options {
				if with, without := made[k].Entries, made[k+len(options)].Entries; len(with) == 0 || !slices.Equal(with, without) {
					t.Errorf("plane %v, angle %v, %+v: %d entries with coordinates, %d others without", plane, angle, o, len(with), len(without))
				}
			}
			m, err := Make(from, to, Options{Method: Bilinear, FillNearest: true})
			if err != nil {
				t.Fatal(err)
			}
			sums := map[int]float64{}
			for _, e := range m.Entries {
				if !from.Mask[e.Column] || !to.Mask[e.Row] {
					t.Errorf("%v is an entry of a masked point", e)
				}
				sums[e.Row] += e.Value
			}
			for row, sum := range sums {
				if math.Abs(sum-1) > 1e-12 {
					t.Errorf("the weights of point %d have the sum %v", row, sum)
				}
			}
		}
	}
}

// TestMistakes: invalid grids and options.
func TestMistakes(t *testing.T) {
	good := func() *Grid { return lattice(true, []float64{0, 1, 2}, []float64{0, 1, 2}, 0) }
	for want, change := range map[string]func(from, to *Grid, o *Options){
		"it has no points":                                  func(from, _ *Grid, _ *Options) { from.X = nil },
		"it has 4 coordinates X and 3 coordinates Y":        func(from, _ *Grid, _ *Options) { from.Y = from.Y[:3] },
		"its mask has 1 elements for 4 points":              func(_, to *Grid, _ *Options) { to.Mask = []bool{true} },
		"the sizes are [3 2] for 4 points":                  func(_, to *Grid, _ *Options) { to.Sizes = []int{3, 2} },
		"the coordinates of point 2 are NaN and":            func(_, to *Grid, _ *Options) { to.X[2] = math.NaN() },
		"for 4 cells with 2 corners; a cell has at least 3": func(_, to *Grid, _ *Options) { to.Corners = 2 },
		"4 and 0 coordinates of corners for 4 cells with 0 corners": func(from, _ *Grid, _ *Options) {
			from.Corners, from.CornerX, from.CornerY = 0, from.X, nil
		},
		"bad options: normalization 2":                         func(_, _ *Grid, o *Options) { o.Normalization = 2 },
		"one grid is in the plane, and the other on the spher": func(_, to *Grid, _ *Options) { to.Plane = false },
		"its cells have no corners":                            func(_, to *Grid, _ *Options) { to.Corners, to.CornerX, to.CornerY = 0, nil, nil },
		"bad options: method 7":                                func(_, _ *Grid, o *Options) { o.Method = 7 },
		"bad options: -1 neighbours":                           func(_, _ *Grid, o *Options) { o.Method, o.Neighbours = Nearest, -1 },
		"it has 0 sizes; bilinear weights need a grid with 2":  func(from, _ *Grid, o *Options) { o.Method, from.Sizes = Bilinear, nil },
		"bilinear weights need at least 2 points in each":      func(from, _ *Grid, o *Options) { o.Method, from.Sizes = Bilinear, []int{1, 4} },
		"longitude 0.5 and latitude 91; expected degrees":      func(from, to *Grid, _ *Options) { from.Plane, to.Plane, from.Y[0] = false, false, 91 },
		"cell 1 goes round the sphere, from longitude 0 to 360; expected less than 180 degrees": func(from, to *Grid, _ *Options) {
			from.Plane, *to = false, *lattice(false, []float64{0, 360}, []float64{-90, -80, -70}, 0)
			to.Mask = []bool{false, true}
		},
		"cell 0 has an edge of 180 degrees": func(from, to *Grid, _ *Options) {
			from.Plane, to.Plane, from.CornerX[1], from.CornerY[0], from.CornerY[1] = false, false, 180, 0, 0
		},
	} {
		from, to, o := good(), good(), Options{Method: Conservative}
		change(from, to, &o)
		if _, err := Make(from, to, o); !errors.Is(err, ErrGrid) && !errors.Is(err, ErrOptions) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestFiles writes a matrix in both formats, and reads it.
func TestFiles(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	from, to := masked(r, lattice(false, steps(r, 7, 0, 60), steps(r, 5, 0, 40), 0)), lattice(false, steps(r, 4, 5, 50), steps(r, 3, 10, 50), 0)
	m, err := Make(from, to, Options{Method: Conservative, Normalization: CellArea})
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(b *bytes.Buffer) error{
		"w.nc": func(b *bytes.Buffer) error { return m.WriteNetCDF(b) }, "w.mtx": func(b *bytes.Buffer) error { return m.WriteMatrixMarket(b) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		compare(t, m, entriesOf(t, path), 0)
	}
	if err := (&Matrix{From: from, To: to}).WriteNetCDF(new(bytes.Buffer)); !errors.Is(err, ErrEmpty) {
		t.Error(err)
	}
}

// TestReadMistakes: files without a grid.
func TestReadMistakes(t *testing.T) {
	rows, columns := []string{"y"}, []string{"x"}
	east, north := map[string]string{"units": "degrees_east"}, map[string]string{"units": "degrees_north"}
	two := []float64{1, 2}
	for want, variables := range map[string][]netcdf.Content{
		"it has neither grid_center_lat (SCRIP) nor two coordinates": {{Name: "lon", Dimensions: columns, Attributes: east, Values: two}},
		"variables lon and other are both a longitude; name a variable": {
			{Name: "lon", Dimensions: columns, Attributes: east, Values: two}, {Name: "other", Dimensions: columns, Attributes: east, Values: two}},
		"it has no variable grid_center_lon": {{Name: "grid_center_lat", Dimensions: rows, Values: two}},
		"it has no variable nothing": {
			{Name: "lon", Dimensions: columns, Attributes: map[string]string{"units": "degrees_east", "bounds": "nothing"}, Values: two}, {Name: "lat", Dimensions: rows, Attributes: north, Values: two}},
		"lon has the dimensions (x) and lat (y, x); expected": {
			{Name: "lon", Dimensions: columns, Attributes: east, Values: two}, {Name: "lat", Dimensions: []string{"y", "x"}, Attributes: north, Values: []float64{1, 2, 3, 4}}},
		"variable grid_center_lat has the dimensions (y, x); expected 1": {{Name: "grid_center_lat", Dimensions: []string{"y", "x"}, Values: []float64{1, 2, 3, 4}}},
	} {
		var b bytes.Buffer
		if err := netcdf.Write(&b, []netcdf.Dimension{{Name: "x", Length: 2}, {Name: "y", Length: 2}}, nil, variables); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "grid.nc")
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadGrid(path, ""); !errors.Is(err, ErrGrid) || !strings.Contains(err.Error(), path+": ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestFlatCells: cells that are wide and flat, whose edges are circles of latitude, are found at all of their places, also near the
// poles.
func TestFlatCells(t *testing.T) {
	even := func(n int, low, high float64) []float64 {
		all := make([]float64, n+1)
		for i := range all {
			all[i] = low + (high-low)*float64(i)/float64(n)
		}
		return all
	}
	from := lattice(false, even(7, 0, 360), even(180, -90, 90), 0)
	to := lattice(false, even(50, 3, 363), even(77, -90, 90), 0)
	m, err := Make(from, to, Options{Method: Conservative})
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range m.ToFraction {
		if math.Abs(f-1) > 1e-12 {
			t.Errorf("cell %d at %g, %g is covered to %.17g", i, to.X[i], to.Y[i], f)
		}
	}
	if m, err = Make(from, to, Options{Method: Bilinear}); err != nil {
		t.Fatal(err)
	}
	for i, f := range m.ToFraction {
		if f == 0 && math.Abs(to.Y[i]) < 89 {
			t.Errorf("point %d at %g, %g has no quadrilateral", i, to.X[i], to.Y[i])
		}
	}
}
