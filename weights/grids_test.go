package weights

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/ground/netcdf"
)

// writeGrid writes a file with variables. The dimensions x and y have these lengths.
func writeGrid(t *testing.T, x, y int64, variables ...netcdf.Content) string {
	t.Helper()
	var b bytes.Buffer
	if err := netcdf.Write(&b, []netcdf.Dimension{{Name: "x", Length: x}, {Name: "y", Length: y}}, nil, variables); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "grid.nc")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// coordinate is a coordinate of rows or columns.
func coordinate(axis, name, unit string, numbers map[string]int32, values ...float64) netcdf.Content {
	return netcdf.Content{Name: axis, Dimensions: []string{axis}, Attributes: map[string]string{"standard_name": name, "units": unit}, Numbers: numbers, Values: values}
}

// TestUnits: coordinates in degrees and radians, also packed and in single precision.
func TestUnits(t *testing.T) {
	pole := float64(float32(math.Pi / 2))
	for _, test := range []struct {
		unit      string
		numbers   map[string]int32
		latitudes [2]float64
		want      [2]float64
		fails     string
	}{
		{unit: "degrees_north", latitudes: [2]float64{-90, 30}, want: [2]float64{-90, 30}},
		{unit: "degrees", numbers: map[string]int32{"scale_factor": 10, "add_offset": 5}, latitudes: [2]float64{-2, 3}, want: [2]float64{-15, 35}},
		{unit: "degrees", numbers: map[string]int32{"add_offset": 45}, latitudes: [2]float64{-5, 5}, want: [2]float64{40, 50}},
		{unit: "rad", latitudes: [2]float64{-pole, 1}, want: [2]float64{-90, 180 / math.Pi}},
		{unit: "Radians", latitudes: [2]float64{-1, pole}, want: [2]float64{-180 / math.Pi, 90}},
		{unit: "m", latitudes: [2]float64{-1, 1}, fails: "variable y has the unit m; expected degrees or radians"},
	} {
		g, err := ReadGrid(writeGrid(t, 1, 2, coordinate("x", "longitude", "degrees", nil, 7), coordinate("y", "latitude", test.unit, test.numbers, test.latitudes[:]...)), "")
		switch {
		case test.fails != "":
			if !errors.Is(err, ErrGrid) || !strings.Contains(err.Error(), test.fails) {
				t.Errorf("%v, want %s", err, test.fails)
			}
		case err != nil:
			t.Error(err)
		case !slices.Equal(g.Y, test.want[:]):
			t.Errorf("unit %s, %v: %v, want %v", test.unit, test.numbers, g.Y, test.want)
		}
	}
}

// TestCellsAcrossTheDateLine: cells reach halfway to the next ones, also where longitudes step by 360 degrees. Cells of half of the sphere
// have no corners.
func TestCellsAcrossTheDateLine(t *testing.T) {
	grid := func(longitudes ...float64) *Grid {
		g, err := ReadGrid(writeGrid(t, int64(len(longitudes)), 2, coordinate("x", "longitude", "degrees", nil, longitudes...), coordinate("y", "latitude", "degrees", nil, 10, 20)), "")
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	want := grid(178, 179, 180, 181)
	for _, longitudes := range [][]float64{{178, 179, -180, -179}, {-182, -181, 180, 181}} {
		g := grid(longitudes...)
		m, err := Make(g, want, Options{Method: Conservative})
		if err != nil || len(m.Entries) != g.Len() {
			t.Fatalf("%v: %v, %v", longitudes, m, err)
		}
		for _, e := range m.Entries {
			if e.Row != e.Column || math.Abs(e.Value-1) > 1e-12 {
				t.Errorf("longitudes %v: %v", longitudes, e)
			}
		}
	}
	for _, longitudes := range [][]float64{{0, 180}, {0, 120, 300}} {
		if g := grid(longitudes...); g.Corners != 0 {
			t.Errorf("longitudes %v have cells with the corners %v", longitudes, g.CornerX)
		}
	}
}

// TestMeshOfColumns: the rows of the table of faces are its columns if face_dimension says so.
func TestMeshOfColumns(t *testing.T) {
	mesh := map[string]string{"cf_role": "mesh_topology", "node_coordinates": "nx ny", "face_node_connectivity": "faces", "face_dimension": "y"}
	plane := func(name string) map[string]string { return map[string]string{"standard_name": name} }
	path := writeGrid(t, 3, 4,
		netcdf.Content{Name: "mesh", Attributes: mesh, Values: []int32{0}},
		netcdf.Content{Name: "faces", Dimensions: []string{"x", "y"}, Values: []int32{0, 0, 1, 1, 1, 2, 2, 3, 2, 3, 3, 2}},
		netcdf.Content{Name: "nx", Dimensions: []string{"y"}, Attributes: plane("projection_x_coordinate"), Values: []float64{0, 1, 1, 0}},
		netcdf.Content{Name: "ny", Dimensions: []string{"y"}, Attributes: plane("projection_y_coordinate"), Values: []float64{0, 0, 1, 1}})
	g, err := ReadGrid(path, "")
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{0, 1, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1}; g.Len() != 4 || g.Corners != 3 || !slices.Equal(g.CornerX, want) {
		t.Errorf("%d faces with %d nodes: %v, want %v", g.Len(), g.Corners, g.CornerX, want)
	}
}

// TestGridOfVariable: a variable selects a grid of a file with a mesh and rows and columns.
func TestGridOfVariable(t *testing.T) {
	mesh := func(name string) netcdf.Content {
		return netcdf.Content{Name: name, Attributes: map[string]string{"cf_role": "mesh_topology", "node_coordinates": "lon lat", "face_node_connectivity": "faces"}, Values: []int32{0}}
	}
	node := func(name, standard string, values ...float64) netcdf.Content {
		return netcdf.Content{Name: name, Dimensions: []string{"x"}, Attributes: map[string]string{"standard_name": standard}, Values: values}
	}
	values := func(name string, attributes map[string]string, dimensions ...string) netcdf.Content {
		return netcdf.Content{Name: name, Dimensions: dimensions, Attributes: attributes, Values: make([]float64, map[int]int{1: 3, 2: 6}[len(dimensions)])}
	}
	path := writeGrid(t, 3, 2, mesh("one"), mesh("two"),
		netcdf.Content{Name: "faces", Dimensions: []string{"y", "x"}, Values: []int32{0, 1, 2, 2, 1, 0}},
		node("lon", "longitude", 0, 1, 1), node("lat", "latitude", 0, 0, 1),
		coordinate("x", "projection_x_coordinate", "m", nil, 5, 6, 7), coordinate("y", "projection_y_coordinate", "m", nil, 8, 9),
		values("rows", nil, "y", "x"), values("faced", map[string]string{"mesh": "two"}, "x"), values("astray", map[string]string{"mesh": "three"}, "x"))
	for variable, points := range map[string]int{"one": 2, "two": 2, "faced": 2, "rows": 6} {
		if g, err := ReadGrid(path, variable); err != nil || g.Len() != points || g.Plane != (variable == "rows") {
			t.Errorf("variable %s: %+v, %v, want %d points", variable, g, err, points)
		}
	}
	for variable, want := range map[string]string{
		"":        "variables one and two are both meshes with faces; name a variable that has one of them",
		"nothing": "it has no variable nothing",
		"astray":  "variable astray is on mesh three, which is no mesh with faces of the file",
	} {
		if _, err := ReadGrid(path, variable); !errors.Is(err, ErrGrid) || !strings.Contains(err.Error(), want) {
			t.Errorf("variable %q: %v, want %s", variable, err, want)
		}
	}
}
