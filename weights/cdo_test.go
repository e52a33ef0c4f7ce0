package weights

import (
	"context"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/ground/netcdf"
	"github.com/goacp/goacp/internal/system/couple/weightfile"
)

// cdo runs cdo in a folder. The test is skipped without it.
func cdo(t *testing.T, folder, env string, arguments ...string) {
	t.Helper()
	path, err := exec.LookPath("cdo")
	if err != nil {
		t.Skip("no cdo, of the package cdo")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, append([]string{"-s", "-O"}, arguments...)...)
	cmd.Dir, cmd.Env = folder, append(os.Environ(), "OMP_NUM_THREADS=1", env)
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("cdo %v: %v\n%s", arguments, err, output)
	}
}

// place is an entry without its value.
type place struct{ row, column int }

// entriesOf reads a file with weights.
func entriesOf(t *testing.T, file string) map[place]float64 {
	t.Helper()
	all := make(map[place]float64)
	if _, err := weightfile.Read(file, func(row, column int64, value float64) error {
		all[place{int(row), int(column)}] += value
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// compare compares the entries of a matrix with others. An entry that one of them does not have is 0.
func compare(t *testing.T, m *Matrix, want map[place]float64, tolerance float64) {
	t.Helper()
	worst, errors := 0.0, 0
	got := make(map[place]float64)
	for _, e := range m.Entries {
		got[place{e.Row, e.Column}] = e.Value
	}
	look := func(p place) {
		d := math.Abs(got[p] - want[p])
		worst = max(worst, d)
		if !(d <= tolerance) {
			if errors++; errors < 5 {
				t.Errorf("row %d, column %d: %.17g, want %.17g", p.row, p.column, got[p], want[p])
			}
		}
	}
	for p := range want {
		look(p)
	}
	for p := range got {
		if _, ok := want[p]; !ok {
			look(p)
		}
	}
	t.Logf("%d entries, %d wanted, greatest difference %.2g", len(got), len(want), worst)
}

// gridFile makes a file with a grid of cdo, and reads it.
func gridFile(t *testing.T, folder, name string, operators ...string) *Grid {
	t.Helper()
	cdo(t, folder, "", append(append([]string{"-f", "nc", "-b", "F64"}, operators...), name+".nc")...)
	g, err := ReadGrid(filepath.Join(folder, name+".nc"), "topo")
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// grids are operators of cdo that make grids.
var grids = map[string][]string{
	"regular":     {"-topo,r24x12"},
	"curvilinear": {"-setgridtype,curvilinear", "-topo,r24x12"},
	"fine":        {"-setgridtype,curvilinear", "-topo,r40x21"},
	"gaussian":    {"-setgridtype,curvilinear", "-topo,n8"},
	"triangles":   {"-topo,icor2b0"},
	"more":        {"-topo,icor2b1"},
}

// turned returns a grid that is turned about two axes. Then no edge of its cells lies on a circle of latitude: cdo takes edges between
// corners of equal latitude as parts of such circles, and others as great circles.
func turned(g *Grid, first, second float64) *Grid {
	all := *g
	turn := func(x, y []float64) (newX, newY []float64) {
		for i := range x {
			v := onSphere(x[i]+first, y[i])
			sin, cos := math.Sincos(second)
			v = vector{v[0]*cos - v[2]*sin, v[1], v[0]*sin + v[2]*cos}
			newX, newY = append(newX, math.Atan2(v[1], v[0])*180/math.Pi), append(newY, math.Asin(v[2])*180/math.Pi)
		}
		return newX, newY
	}
	all.X, all.Y = turn(g.X, g.Y)
	all.CornerX, all.CornerY = turn(g.CornerX, g.CornerY)
	return &all
}

// writeSCRIP writes a grid in the format of SCRIP.
func writeSCRIP(t *testing.T, path string, g *Grid) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	mask := make([]int32, g.Len())
	for i := range mask {
		if g.valid(i) {
			mask[i] = 1
		}
	}
	degrees := map[string]string{"units": "degrees"}
	size, corners := []string{"grid_size"}, []string{"grid_size", "grid_corners"}
	if err := netcdf.Write(file, []netcdf.Dimension{{Name: "grid_size", Length: int64(g.Len())}, {Name: "grid_corners", Length: int64(g.Corners)}, {Name: "grid_rank", Length: 1}},
		map[string]string{"title": "a grid"}, []netcdf.Content{
			{Name: "grid_dims", Dimensions: []string{"grid_rank"}, Values: []int32{int32(g.Len())}},
			{Name: "grid_center_lat", Dimensions: size, Attributes: degrees, Values: g.Y},
			{Name: "grid_center_lon", Dimensions: size, Attributes: degrees, Values: g.X},
			{Name: "grid_imask", Dimensions: size, Attributes: map[string]string{"units": "unitless"}, Values: mask},
			{Name: "grid_corner_lat", Dimensions: corners, Attributes: degrees, Values: g.CornerY},
			{Name: "grid_corner_lon", Dimensions: corners, Attributes: degrees, Values: g.CornerX},
		}); err != nil {
		t.Fatal(err)
	}
}

// TestConservativeAsCDO compares weights with those of cdo, between grids whose edges it takes as great circles.
func TestConservativeAsCDO(t *testing.T) {
	folder := t.TempDir()
	for _, pair := range [][2]string{{"curvilinear", "fine"}, {"fine", "gaussian"}, {"gaussian", "triangles"}, {"triangles", "curvilinear"}, {"triangles", "more"}} {
		for _, norm := range []Normalization{CoveredArea, CellArea} {
			t.Run(strings.Join(pair[:], " to ")+" "+norm.String(), func(t *testing.T) {
				for i, name := range pair {
					g := turned(gridFile(t, folder, name, grids[name]...), 17.3+float64(i), 0.7123)
					writeSCRIP(t, filepath.Join(folder, name+"_turned.nc"), g)
				}
				from, to := readGrid(t, filepath.Join(folder, pair[0]+"_turned.nc")), readGrid(t, filepath.Join(folder, pair[1]+"_turned.nc"))
				cdo(t, folder, "CDO_REMAP_NORM="+norm.String(), "gencon,"+pair[1]+"_turned.nc", "-const,1,"+pair[0]+"_turned.nc", "w.nc")
				m, err := Make(from, to, Options{Method: Conservative, Normalization: norm})
				if err != nil {
					t.Fatal(err)
				}
				compare(t, m, entriesOf(t, filepath.Join(folder, "w.nc")), 1e-10)
			})
		}
	}
}

// TestRectanglesAsCDO compares weights between grids whose cells lie between circles of latitude.
func TestRectanglesAsCDO(t *testing.T) {
	folder := t.TempDir()
	for _, pair := range [][2]string{{"-topo,r24x12", "-topo,r40x21"}, {"-topo,n16", "-topo,r7x5"}, {"-topo,global_10", "-topo,n16"}} {
		t.Run(strings.Join(pair[:], " to "), func(t *testing.T) {
			from, to := gridFile(t, folder, "from", pair[0]), gridFile(t, folder, "to", pair[1])
			cdo(t, folder, "", "gencon,to.nc", "from.nc", "w.nc")
			m, err := Make(from, to, Options{Method: Conservative})
			if err != nil {
				t.Fatal(err)
			}
			compare(t, m, entriesOf(t, filepath.Join(folder, "w.nc")), 1e-10)
		})
	}
}

// TestMasksAsCDO compares weights from a grid with masked points, which cdo takes from the values of a field.
func TestMasksAsCDO(t *testing.T) {
	folder := t.TempDir()
	to := gridFile(t, folder, "to", "-topo,r40x21")
	from := gridFile(t, folder, "from", "-setmissval,-9e33", "-setrtomiss,-20000,0", "-topo,r24x12")
	f, err := netcdf.Open(filepath.Join(folder, "from.nc"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	values := make([]float64, from.Len())
	if err := f.Reals(f.Variable("topo"), 0, values); err != nil {
		t.Fatal(err)
	}
	from.Mask = make([]bool, len(values))
	for i, v := range values {
		from.Mask[i] = v != -9e33
	}
	for _, norm := range []Normalization{CoveredArea, CellArea} {
		cdo(t, folder, "CDO_REMAP_NORM="+norm.String(), "gencon,to.nc", "from.nc", "w.nc")
		m, err := Make(from, to, Options{Method: Conservative, Normalization: norm})
		if err != nil {
			t.Fatal(err)
		}
		compare(t, m, entriesOf(t, filepath.Join(folder, "w.nc")), 1e-10)
	}
}

// readGrid reads a grid.
func readGrid(t *testing.T, file string) *Grid {
	t.Helper()
	g, err := ReadGrid(file, "")
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestNearestAsCDO compares the nearest points, and those that weigh by their distances.
func TestNearestAsCDO(t *testing.T) {
	folder := t.TempDir()
	for _, pair := range [][2]string{{"fine", "gaussian"}, {"triangles", "gaussian"}} {
		for k, operator := range map[int]string{1: "gennn", 4: "gendis"} {
			t.Run(strings.Join(pair[:], " to ")+" "+operator, func(t *testing.T) {
				from := turned(gridFile(t, folder, pair[0], grids[pair[0]]...), 17.3, 0.7123) // so that no two points have the same distance
				writeSCRIP(t, filepath.Join(folder, "turned.nc"), from)
				to := gridFile(t, folder, pair[1], grids[pair[1]]...)
				cdo(t, folder, "", operator+","+pair[1]+".nc", "-const,1,turned.nc", "w.nc")
				m, err := Make(from, to, Options{Method: Nearest, Neighbours: k})
				if err != nil {
					t.Fatal(err)
				}
				byChord(m)
				compare(t, m, entriesOf(t, filepath.Join(folder, "w.nc")), 1e-7) // the distances of cdo have fewer digits
			})
		}
	}
}

// byChord makes the weights proportional to 1 divided by the straight distance, as cdo does, and not the distance on the sphere.
func byChord(m *Matrix) {
	sums := make([]float64, m.To.Len())
	for i := range m.Entries {
		e := &m.Entries[i]
		a, b := m.To.centre(e.Row), m.From.centre(e.Column)
		e.Value *= sphere.distance(a, b) / a.minus(b).length()
		sums[e.Row] += e.Value
	}
	for i := range m.Entries {
		m.Entries[i].Value /= sums[m.Entries[i].Row]
	}
}

// TestBilinearAsCDO compares the weights in quadrilaterals.
func TestBilinearAsCDO(t *testing.T) {
	folder := t.TempDir()
	for _, pair := range [][2]string{{"regular", "gaussian"}, {"fine", "gaussian"}, {"fine", "triangles"}} {
		t.Run(strings.Join(pair[:], " to "), func(t *testing.T) {
			from, to := gridFile(t, folder, pair[0], grids[pair[0]]...), gridFile(t, folder, pair[1], grids[pair[1]]...)
			cdo(t, folder, "", "genbil,"+pair[1]+".nc", pair[0]+".nc", "w.nc")
			m, err := Make(from, to, Options{Method: Bilinear})
			if err != nil {
				t.Fatal(err)
			}
			compare(t, m, entriesOf(t, filepath.Join(folder, "w.nc")), 1e-10)
		})
	}
}
