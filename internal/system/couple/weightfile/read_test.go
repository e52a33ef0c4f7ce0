package weightfile

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/ground/netcdf"
	"github.com/goacp/goacp/internal/system/couple/matrixmarket"
)

type entry struct {
	row, column int64
	value       float64
}

// file is a netCDF file.
type file struct {
	dimensions []netcdf.Dimension
	attributes map[string]string
	variables  []netcdf.Content
}

// bytes returns the bytes of the file.
func (f *file) bytes() []byte {
	var b bytes.Buffer
	if err := netcdf.Write(&b, f.dimensions, f.attributes, f.variables); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// store stores the bytes of a file, and returns its path.
func store(t testing.TB, b []byte) string {
	path := filepath.Join(t.TempDir(), "w.nc")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// read reads all entries of a file.
func read(name string) (all []entry, c Contents, err error) {
	c, err = Read(name, func(row, column int64, value float64) error {
		all = append(all, entry{row, column, value})
		return nil
	})
	return all, c, err
}

// scripFile is a file with the entries of a matrix of 2 rows and 3 columns, as SCRIP writes it.
func scripFile() *file {
	links := []string{"num_links"}
	return &file{
		dimensions: []netcdf.Dimension{{Name: "src_grid_size", Length: 3}, {Name: "dst_grid_size", Length: 2}, {Name: "num_links", Length: 4}, {Name: "num_wgts", Length: 1}, {Name: "three", Length: 3}},
		attributes: map[string]string{"normalization": "fracarea", "map_method": "Conservative remapping"},
		variables: []netcdf.Content{
			{Name: "src_address", Dimensions: links, Values: []int32{1, 2, 3, 1}},
			{Name: "dst_address", Dimensions: links, Values: []int32{1, 1, 2, 2}},
			{Name: "remap_matrix", Dimensions: []string{"num_links", "num_wgts"}, Values: []float64{0.5, 0.25, 2, -1}},
			{Name: "src_grid_imask", Dimensions: []string{"src_grid_size"}, Values: []int32{1, 1, 1}},
			{Name: "dst_grid_imask", Dimensions: []string{"dst_grid_size"}, Values: []int32{1, 1}},
			{Name: "dst_grid_area", Dimensions: []string{"dst_grid_size"}, Values: []float64{2, 4}},
			{Name: "dst_grid_frac", Dimensions: []string{"dst_grid_size"}, Values: []float64{1, 0.5}},
		},
	}
}

// variable returns a variable of the file.
func (f *file) variable(name string) *netcdf.Content {
	for i := range f.variables {
		if f.variables[i].Name == name {
			return &f.variables[i]
		}
	}
	return nil
}

// without removes a variable.
func (f *file) without(name string) {
	f.variables = slices.DeleteFunc(f.variables, func(v netcdf.Content) bool { return v.Name == name })
}

// plain is the matrix of scripFile.
var plain = []entry{{0, 0, 0.5}, {0, 1, 0.25}, {1, 2, 2}, {1, 0, -1}}

// TestFormats reads one matrix in each format.
func TestFormats(t *testing.T) {
	links := []string{"n_s"}
	asESMF := &file{
		dimensions: []netcdf.Dimension{{Name: "n_a", Length: 3}, {Name: "n_b", Length: 2}, {Name: "n_s", Length: 4}},
		variables: []netcdf.Content{
			{Name: "col", Dimensions: links, Values: []int64{1, 2, 3, 1}},
			{Name: "row", Dimensions: links, Values: []int32{1, 1, 2, 2}},
			{Name: "S", Dimensions: links, Values: []float64{0.5, 0.25, 2, -1}},
		},
	}
	asYAC := scripFile()
	asYAC.attributes = map[string]string{"version": "yac weight file 1.0", "contains_links": "TRUE", "contains_fixed_dst": "FALSE"}
	asYAC.dimensions[0].Name, asYAC.dimensions[1].Name = "a", "b"
	asYAC.variables = asYAC.variables[:3]
	text := "%%MatrixMarket matrix coordinate real general\n2 3 4\n1 1 0.5\n1 2 0.25\n2 3 2\n2 1 -1\n"
	for name, b := range map[string][]byte{"SCRIP": scripFile().bytes(), "ESMF": asESMF.bytes(), "YAC": asYAC.bytes(), "text": []byte(text)} {
		path := store(t, b)
		if all, c, err := read(path); err != nil || c.Entries != 4 || len(c.Notes) > 0 || !reflect.DeepEqual(all, plain) {
			t.Errorf("%s: %v, %v, %v", name, all, c, err)
		}
		if err := Check(path); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestParts reads more entries than are read at once.
func TestParts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	n := most + 1 + r.IntN(most)
	rows, columns, values := make([]int32, n), make([]int32, n), make([]float64, n)
	var want []entry
	for i := range n {
		rows[i], columns[i], values[i] = 1+r.Int32N(1000), 1+r.Int32N(2000), r.NormFloat64()
		want = append(want, entry{int64(rows[i] - 1), int64(columns[i] - 1), values[i]})
	}
	links := []string{"n_s"}
	f := &file{
		dimensions: []netcdf.Dimension{{Name: "n_a", Length: 2000}, {Name: "n_b", Length: 1000}, {Name: "n_s", Length: int64(n)}},
		variables:  []netcdf.Content{{Name: "col", Dimensions: links, Values: columns}, {Name: "row", Dimensions: links, Values: rows}, {Name: "S", Dimensions: links, Values: values}},
	}
	if all, c, err := read(store(t, f.bytes())); err != nil || c.Entries != int64(n) || !slices.Equal(all, want) {
		t.Errorf("%d entries of %d, %v", len(all), n, err)
	}
}

// TestMasks leaves out entries with masked points.
func TestMasks(t *testing.T) {
	f := scripFile()
	f.variable("src_grid_imask").Values = []int32{1, 0, 1}
	all, c, err := read(store(t, f.bytes()))
	if want := []entry{plain[0], plain[2], plain[3]}; err != nil || c.Entries != 3 || !reflect.DeepEqual(all, want) {
		t.Errorf("a masked column: %v, %v, %v", all, c, err)
	}
	if len(c.Notes) != 1 || c.Notes[0] != "1 of 4 entries have a point that the file masks; they are left out" {
		t.Errorf("%q", c.Notes)
	}
	f.variable("dst_grid_imask").Values = []int32{1, 0}
	if all, c, err := read(store(t, f.bytes())); err != nil || c.Entries != 1 || !reflect.DeepEqual(all, plain[:1]) {
		t.Errorf("a masked row, too: %v, %v, %v", all, c, err)
	}
}

// TestSeveralWeights takes the first weight of each entry.
func TestSeveralWeights(t *testing.T) {
	f := scripFile()
	*f.variable("remap_matrix") = netcdf.Content{Name: "remap_matrix", Dimensions: []string{"num_links", "three"}, Values: []float64{0.5, 7, 7, 0.25, 7, 7, 2, 7, 7, -1, 7, 7}}
	all, c, err := read(store(t, f.bytes()))
	if err != nil || !reflect.DeepEqual(all, plain) || len(c.Notes) != 1 || !strings.HasPrefix(c.Notes[0], "remap_matrix has 3 weights for each entry; the first one is used") {
		t.Errorf("%v, %v, %v", all, c, err)
	}
}

// TestNormalization divides areas by the covered areas of the receiving cells, if the method is conservative.
func TestNormalization(t *testing.T) {
	f := scripFile()
	f.attributes["normalization"] = "none"
	want := []entry{{0, 0, 0.25}, {0, 1, 0.125}, {1, 2, 1}, {1, 0, -0.5}}
	if all, _, err := read(store(t, f.bytes())); err != nil || !reflect.DeepEqual(all, want) {
		t.Errorf("%v, %v", all, err)
	}
	f.attributes["map_method"] = "Bilinear remapping"
	if all, _, err := read(store(t, f.bytes())); err != nil || !reflect.DeepEqual(all, plain) {
		t.Errorf("%v, %v", all, err)
	}
}

// TestFixedValues: a YAC file may have points with fixed values, and may have nothing else.
func TestFixedValues(t *testing.T) {
	for _, links := range []string{"TRUE", "FALSE"} {
		f := scripFile()
		f.attributes = map[string]string{"version": "yac weight file 1.0", "contains_links": links}
		f.dimensions = append(f.dimensions, netcdf.Dimension{Name: "num_fixed_dst", Length: 5})
		want := plain
		if links == "FALSE" {
			f.variables, want = nil, nil
		}
		all, c, err := read(store(t, f.bytes()))
		if err != nil || !reflect.DeepEqual(all, want) || len(c.Notes) != 1 || !strings.HasPrefix(c.Notes[0], "5 points have fixed values") {
			t.Errorf("contains_links %s: %v, %v, %v", links, all, c, err)
		}
	}
}

// TestMistakes: the message names the file, the variable, and what was expected.
func TestMistakes(t *testing.T) {
	for want, change := range map[string]func(f *file){
		"w.nc: not a file with weights: it has neither a variable remap_matrix (SCRIP, YAC) nor S (ESMF)": func(f *file) { f.without("remap_matrix") },
		"w.nc: not a file with weights: it has no variable src_address, as SCRIP files have":              func(f *file) { f.without("src_address") },
		"it has no dimension src_grid_size, as SCRIP files have": func(f *file) {
			f.dimensions[0].Name = "n"
			f.without("src_grid_imask")
		},
		"variable dst_address has the type double; expected integers": func(f *file) { f.variable("dst_address").Values = []float64{1, 1, 2, 2} },
		"variable remap_matrix has the type char; expected numbers":   func(f *file) { f.variable("remap_matrix").Values = "abcd" },
		"variable src_address has the shape [3] (three); expected 4 values": func(f *file) {
			f.variable("src_address").Dimensions, f.variable("src_address").Values = []string{"three"}, []int32{1, 2, 3}
		},
		"variable remap_matrix has the shape [] (); expected one or several weights for each entry": func(f *file) {
			f.variable("remap_matrix").Dimensions, f.variable("remap_matrix").Values = nil, []float64{1}
		},
		"variable src_address has 0 at index 2; expected 1 to 3 (dimension src_grid_size)":  func(f *file) { f.variable("src_address").Values = []int32{1, 2, 0, 1} },
		"variable dst_address has 3 at index 3; expected 1 to 2 (dimension dst_grid_size)":  func(f *file) { f.variable("dst_address").Values = []int32{1, 1, 2, 3} },
		"variable src_address has -7 at index 0; expected 1 to 3 (dimension src_grid_size)": func(f *file) { f.variable("src_address").Values = []int32{-7, 1, 2, 3} },
		"variable remap_matrix has NaN at index 1; expected a finite number":                func(f *file) { f.variable("remap_matrix").Values = []float64{1, math.NaN(), 1, 1} },
		"variable remap_matrix has +Inf at index 3; expected a finite number":               func(f *file) { f.variable("remap_matrix").Values = []float64{1, 1, 1, math.Inf(1)} },
		"variable src_grid_imask has the type double; expected integers":                    func(f *file) { f.variable("src_grid_imask").Values = []float64{1, 1, 1} },
		"it has no variable dst_grid_area, as SCRIP files have, since the weights are areas (normalization is none)": func(f *file) {
			f.attributes["normalization"] = "none"
			f.without("dst_grid_area")
		},
		"no variable dst_grid_area, as SCRIP files have, since": func(f *file) {
			f.attributes["normalization"], f.dimensions[1].Length = "none", 1<<60
			for _, name := range []string{"dst_grid_imask", "dst_grid_area", "dst_grid_frac"} {
				f.without(name)
			}
		},
		"dst_grid_area times dst_grid_frac is 0 at index 1, which the weight at index 2 is divided by; expected a positive number": func(f *file) {
			f.attributes["normalization"] = "none"
			f.variable("dst_grid_frac").Values = []float64{1, 0}
		},
		"variable src_address has 0 at index 1; expected at least 1": func(f *file) {
			f.attributes["version"] = "yac weight file 1.0"
			f.variable("src_address").Values = []int32{1, 0, 1, 1}
		},
		"its weights belong to 3 sending fields (dimension num_src_fields); expected 1": func(f *file) {
			f.attributes["version"], f.dimensions[4].Name = "yac weight file 1.0", "num_src_fields"
		},
	} {
		f := scripFile()
		change(f)
		if _, _, err := read(store(t, f.bytes())); !errors.Is(err, ErrWeightFile) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	b := scripFile().bytes()
	unused := 2 * 8 * 2 // bytes of the last two variables
	for n := range len(b) - unused {
		path := store(t, b[:n])
		if _, _, err := read(path); err == nil || !strings.HasPrefix(err.Error(), path+": ") {
			t.Errorf("the first %d bytes: %v", n, err)
		}
	}
}

// TestCheck reads no entries, but finds a file that cannot be one with weights.
func TestCheck(t *testing.T) {
	f := scripFile()
	f.without("dst_address")
	for want, path := range map[string]string{
		"no variable dst_address":       store(t, f.bytes()),
		"not in the Matrix Market form": store(t, []byte("hello\n")),
		"is no file, but d":             t.TempDir(),
		"no such file":                  filepath.Join(t.TempDir(), "absent"),
	} {
		if err := Check(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if err := Check(store(t, []byte("\x89HDF\r\n\x1a\n"))); err != nil {
		t.Errorf("a netCDF-4 file: %v", err)
	}
}

// TestCaller: an error of the caller ends reading.
func TestCaller(t *testing.T) {
	stop, calls := errors.New("stop"), 0
	_, err := Read(store(t, scripFile().bytes()), func(int64, int64, float64) error {
		calls++
		return stop
	})
	if !errors.Is(err, stop) || calls != 1 || !strings.Contains(err.Error(), "w.nc: entry 0: stop") {
		t.Errorf("%d calls, %v", calls, err)
	}
}

// FuzzRead reads any file. Its errors are those of the formats, and all entries are within the matrix.
func FuzzRead(f *testing.F) {
	f.Add(scripFile().bytes())
	none := scripFile()
	none.attributes["normalization"] = "none"
	f.Add(none.bytes())
	f.Add([]byte("%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 0.5\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if netcdf.IsHDF5(b[:min(8, len(b))]) {
			return // libnetcdf reads these files
		}
		all, c, err := read(store(t, b))
		if err != nil {
			for _, known := range []error{ErrWeightFile, netcdf.ErrFormat, netcdf.ErrType, matrixmarket.ErrFormat} {
				if errors.Is(err, known) {
					return
				}
			}
			t.Error(err)
			return
		}
		if int64(len(all)) != c.Entries {
			t.Errorf("%d entries, said to be %d", len(all), c.Entries)
		}
		for _, e := range all {
			if e.row < 0 || e.column < 0 || math.IsNaN(e.value) || math.IsInf(e.value, 0) {
				t.Error(fmt.Errorf("%v", e))
			}
		}
	})
}
