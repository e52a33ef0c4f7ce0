package weights

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/ground/netcdf"
)

// meshFile writes a file with a square of 2 x 2 and a triangle beside it, whose nodes begin with start.
func meshFile(t *testing.T, start int32, numbers map[string]int32, change func(mesh map[string]string, faces []int32)) string {
	t.Helper()
	mesh := map[string]string{"cf_role": "mesh_topology", "node_coordinates": "node_y node_x", "face_node_connectivity": "faces"}
	missing := int32(-1)
	if fill, ok := numbers["_FillValue"]; ok {
		missing = fill
	}
	faces := []int32{start, start + 1, start + 2, start + 3, start + 1, start + 4, start + 2, missing}
	change(mesh, faces)
	var b bytes.Buffer
	nodes := []string{"nodes"}
	if err := netcdf.Write(&b, []netcdf.Dimension{{Name: "nodes", Length: 5}, {Name: "faces", Length: 2}, {Name: "most", Length: 4}}, nil, []netcdf.Content{
		{Name: "mesh", Attributes: mesh, Values: []int32{0}},
		{Name: "faces", Dimensions: []string{"faces", "most"}, Numbers: numbers, Values: faces},
		{Name: "node_x", Dimensions: nodes, Attributes: map[string]string{"standard_name": "projection_x_coordinate"}, Values: []float64{0, 2, 2, 0, 5}},
		{Name: "node_y", Dimensions: nodes, Attributes: map[string]string{"standard_name": "projection_y_coordinate"}, Values: []float64{0, 0, 2, 2, 1}},
	}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "mesh.nc")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestMesh reads the faces of a mesh, whose nodes begin with 0 or 1.
func TestMesh(t *testing.T) {
	for start, numbers := range []map[string]int32{nil, {"start_index": 1, "_FillValue": 999}} {
		g, err := ReadGrid(meshFile(t, int32(start), numbers, func(map[string]string, []int32) {}), "")
		if err != nil {
			t.Fatal(err)
		}
		if !g.Plane || !reflect.DeepEqual(g.X, []float64{1, 3}) || !reflect.DeepEqual(g.Y, []float64{1, 1}) {
			t.Errorf("the points are %v, %v, %v", g.Plane, g.X, g.Y)
		}
		c, err := cellsOf(g, g.Len(), func(i int) int { return i })
		if err != nil || math.Abs(c.areas[0]-4) > 1e-15 || math.Abs(c.areas[1]-3) > 1e-15 {
			t.Errorf("the areas are %v, %v", c.areas, err)
		}
	}
}

// TestMeshMistakes: invalid meshes.
func TestMeshMistakes(t *testing.T) {
	for want, change := range map[string]func(mesh map[string]string, faces []int32){
		"variable faces has 7 at index 1; expected 0 to 4":                  func(_ map[string]string, faces []int32) { faces[1] = 7 },
		"variable faces has -1 at index 1; expected 0 to 4":                 func(_ map[string]string, faces []int32) { faces[1] = -1 },
		"it has no variable nothing with the nodes of each face":            func(mesh map[string]string, _ []int32) { mesh["face_node_connectivity"] = "nothing" },
		`node_coordinates of variable mesh is "node_x"; expected the names`: func(mesh map[string]string, _ []int32) { mesh["node_coordinates"] = "node_x" },
		`face_coordinates of variable mesh is "a b"; expected the names`:    func(mesh map[string]string, _ []int32) { mesh["face_coordinates"] = "a b" },
	} {
		if _, err := ReadGrid(meshFile(t, 0, nil, change), ""); !errors.Is(err, ErrGrid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestMeshNumbers: nodes begin with 0 or 1.
func TestMeshNumbers(t *testing.T) {
	for _, start := range []int32{math.MinInt32, -1, 2, math.MaxInt32} {
		path := meshFile(t, 0, map[string]int32{"start_index": start}, func(map[string]string, []int32) {})
		want := fmt.Sprintf("attribute start_index of variable faces is %g; expected 0 or 1", float64(start))
		if _, err := ReadGrid(path, ""); !errors.Is(err, ErrGrid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// FuzzReadGrid reads any file as a grid. A grid that is read can be used.
func FuzzReadGrid(f *testing.F) {
	for _, b := range gridFiles() {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if netcdf.IsHDF5(b[:min(8, len(b))]) {
			return // libnetcdf reads these files
		}
		path := filepath.Join(t.TempDir(), "grid.nc")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		g, err := ReadGrid(path, "")
		switch {
		case errors.Is(err, ErrGrid), errors.Is(err, netcdf.ErrFormat), errors.Is(err, netcdf.ErrType):
		case err != nil:
			t.Error(err)
		case g.Len() < 100:
			if _, err := Make(g, g, Options{Method: Nearest}); err != nil {
				t.Error(err)
			}
		}
	})
}

// gridFiles returns small files with grids: one in the format of SCRIP, one with rows and columns, and one with a mesh.
func gridFiles() (files [][]byte) {
	size, corners := []string{"n"}, []string{"n", "c"}
	two, eight := []float64{1, 2}, []float64{0, 1, 1, 0, 1, 2, 2, 1}
	for _, variables := range [][]netcdf.Content{
		{
			{Name: "grid_center_lat", Dimensions: size, Values: two}, {Name: "grid_center_lon", Dimensions: size, Values: two},
			{Name: "grid_imask", Dimensions: size, Values: []int32{1, 0}}, {Name: "grid_dims", Values: []int32{2}},
			{Name: "grid_corner_lat", Dimensions: corners, Values: eight}, {Name: "grid_corner_lon", Dimensions: corners, Values: eight},
		},
		{
			{Name: "x", Dimensions: []string{"n"}, Attributes: map[string]string{"units": "degrees_east"}, Values: two},
			{Name: "y", Dimensions: []string{"c"}, Attributes: map[string]string{"units": "degrees_north", "bounds": "b"}, Values: []float64{1, 2, 3, 4}},
			{Name: "b", Dimensions: []string{"c", "n"}, Values: eight},
		},
		{
			{Name: "m", Attributes: map[string]string{"cf_role": "mesh_topology", "node_coordinates": "x y", "face_node_connectivity": "f"}, Values: []int32{0}},
			{Name: "f", Dimensions: corners, Numbers: map[string]int32{"start_index": 1, "_FillValue": 9}, Values: []int32{1, 2, 3, 4, 1, 2, 3, 9}},
			{Name: "x", Dimensions: []string{"c"}, Values: []float64{0, 1, 1, 0}}, {Name: "y", Dimensions: []string{"c"}, Values: []float64{0, 0, 1, 1}},
		},
	} {
		var b bytes.Buffer
		if err := netcdf.Write(&b, []netcdf.Dimension{{Name: "n", Length: 2}, {Name: "c", Length: 4}}, nil, variables); err != nil {
			panic(err)
		}
		files = append(files, b.Bytes())
	}
	return files
}
