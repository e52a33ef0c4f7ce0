package netcdf

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// content is a file in memory.
type content struct {
	dimensions []Dimension
	attributes map[string]string
	variables  []Content
}

// random returns a random file.
func random(r *rand.Rand) content {
	c := content{attributes: map[string]string{"title": strings.Repeat("x", r.IntN(9)), "conventions": "SCRIP"}}
	for i := range 1 + r.IntN(4) {
		c.dimensions = append(c.dimensions, Dimension{string(rune('a' + i)), 1 + r.Int64N(6)})
	}
	for i := range r.IntN(6) {
		v := Content{Name: strings.Repeat(string(rune('p'+i)), 1+r.IntN(5))}
		if r.IntN(2) == 0 {
			v.Attributes, v.Numbers = map[string]string{"units": "degrees"}, map[string]int32{"start": int32(r.Uint32())}
		}
		n := int64(1)
		for range r.IntN(4) {
			d := c.dimensions[r.IntN(len(c.dimensions))]
			v.Dimensions, n = append(v.Dimensions, d.Name), n*d.Length
		}
		switch r.IntN(4) {
		case 0:
			values := make([]int32, n)
			for i := range values {
				values[i] = int32(r.Uint32())
			}
			v.Values = values
		case 1:
			values := make([]int64, n)
			for i := range values {
				values[i] = int64(r.Uint64())
			}
			v.Values = values
		case 2:
			values := make([]float64, n)
			for i := range values {
				values[i] = r.NormFloat64()
			}
			v.Values = values
		default:
			v.Values = strings.Repeat("t", int(n))
		}
		c.variables = append(c.variables, v)
	}
	return c
}

// file writes a file, and returns its path.
func (c content) file(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, c.dimensions, c.attributes, c.variables); err != nil {
		t.Fatal(err)
	}
	return store(t, b.Bytes())
}

// store stores the bytes of a file, and returns its path.
func store(t *testing.T, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.nc")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// compare compares what a file has with what has been written.
func (c content) compare(t *testing.T, path string) {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if len(f.Variables) != len(c.variables) {
		t.Errorf("%d variables, want %d", len(f.Variables), len(c.variables))
	}
	for name, text := range c.attributes {
		if got, ok := f.Attributes[name]; !ok || got != text {
			t.Errorf("attribute %s is %q, want %q", name, got, text)
		}
	}
	for _, d := range c.dimensions {
		if length, ok := f.Dimension(d.Name); length != d.Length || !ok {
			t.Errorf("dimension %s has the length %d, want %d", d.Name, length, d.Length)
		}
	}
	for _, want := range c.variables {
		v := f.Variable(want.Name)
		if v == nil {
			t.Errorf("no variable %s", want.Name)
			continue
		}
		if len(v.Dimensions) != len(want.Dimensions) || len(v.Dimensions) > 0 && !reflect.DeepEqual(v.Dimensions, want.Dimensions) {
			t.Errorf("variable %s has the dimensions %v, want %v", v.Name, v.Dimensions, want.Dimensions)
		}
		if got := v.Attributes["units"]; got != want.Attributes["units"] {
			t.Errorf("variable %s has the units %q", v.Name, got)
		}
		if got, ok := v.Numbers["start"]; got != float64(want.Numbers["start"]) || ok != (want.Numbers != nil) {
			t.Errorf("variable %s has the number %g, want %d", v.Name, got, want.Numbers["start"])
		}
		compareValues(t, f, v, want.Values)
	}
}

// compareValues compares the values of a variable, which it reads row by row and all at once.
func compareValues(t *testing.T, f *File, v *Variable, want any) {
	t.Helper()
	row := v.RowLen()
	for _, step := range []int64{1, v.Rows()} {
		var integers []int64
		var reals []float64
		for first := int64(0); first < v.Rows(); first += step {
			some, others := make([]int64, step*row), make([]float64, step*row)
			if err := f.Integers(v, first, some); v.Type.Integer() != (err == nil) {
				t.Fatalf("integers of %v: %v", v, err)
			}
			if err := f.Reals(v, first, others); v.Type.Number() != (err == nil) {
				t.Fatalf("reals of %v: %v", v, err)
			}
			integers, reals = append(integers, some...), append(reals, others...)
		}
		switch want := want.(type) {
		case []int32:
			for i, x := range want {
				if integers[i] != int64(x) || reals[i] != float64(x) {
					t.Errorf("variable %s has %d and %g at %d, want %d", v.Name, integers[i], reals[i], i, x)
				}
			}
		case []int64:
			if !reflect.DeepEqual(integers, want) {
				t.Errorf("variable %s has %v, want %v", v.Name, integers, want)
			}
		case []float64:
			if !reflect.DeepEqual(reals, want) {
				t.Errorf("variable %s has %v, want %v", v.Name, reals, want)
			}
		}
	}
}

// TestWrittenFiles reads random files that Write has written.
func TestWrittenFiles(t *testing.T) {
	for seed := range uint64(200) {
		c := random(rand.New(rand.NewPCG(seed, 1)))
		c.compare(t, c.file(t))
		if t.Failed() {
			t.Fatalf("seed %d: %+v", seed, c)
		}
	}
}

// head is the head of a file in CDF-1 with dimensions n, which is that of records with numrecs 2, and m = 3, and variables that the
// text names: a, b of bytes(n, m), and c of shorts(n).
const head = "CDF\x01\x00\x00\x00\x02\x00\x00\x00\x0a\x00\x00\x00\x02" +
	"\x00\x00\x00\x01n\x00\x00\x00\x00\x00\x00\x00" + "\x00\x00\x00\x01m\x00\x00\x00\x00\x00\x00\x03" +
	"\x00\x00\x00\x0c\x00\x00\x00\x01\x00\x00\x00\x01k\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x03\x00\x01\x00\x02\x00\x03\x00\x00"

// record is a variable of bytes or shorts with the dimensions of records and perhaps m, at a place.
func record(name string, t Type, dims string, begin byte) string {
	ids := map[string]string{"n": "\x00\x00\x00\x01\x00\x00\x00\x00", "nm": "\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x01", "m": "\x00\x00\x00\x01\x00\x00\x00\x01"}
	return "\x00\x00\x00\x01" + name + "\x00\x00\x00" + ids[dims] + "\x00\x00\x00\x00\x00\x00\x00\x00" + "\x00\x00\x00" + string(rune(t)) +
		"\x00\x00\x00\x04\x00\x00\x00" + string([]byte{begin})
}

// TestRecords reads variables of records: each record is padded, unless its variable is the only one.
func TestRecords(t *testing.T) {
	two := head + "\x00\x00\x00\x0b\x00\x00\x00\x02" + record("a", Byte, "nm", 192) + record("c", Short, "n", 196)
	two += strings.Repeat("\x00", 192-len(two)) + "\x01\x02\xff\x00\x00\x07\x00\x00" + "\x04\x05\x06\x00\xff\xfe\x00\x00"
	one := head + "\x00\x00\x00\x0b\x00\x00\x00\x01" + record("a", Byte, "nm", 144)
	one += strings.Repeat("\x00", 144-len(one)) + "\x01\x02\xff" + "\x04\x05\x06"
	for _, text := range []string{two, one, strings.Replace(one, "\x00\x00\x00\x02", "\xff\xff\xff\xff", 1)} {
		f, err := Open(store(t, []byte(text)))
		if err != nil {
			t.Fatal(err)
		}
		compareValues(t, f, f.Variable("a"), []int64{1, 2, -1, 4, 5, 6})
		if c := f.Variable("c"); c != nil {
			compareValues(t, f, c, []int64{7, -2})
		}
		if n, _ := f.Dimension("n"); n != 2 {
			t.Errorf("%d records", n)
		}
		if err := f.Integers(f.Variable("a"), 1, make([]int64, 6)); err == nil {
			t.Error("values after the last record")
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestDamaged cuts and changes files.
func TestDamaged(t *testing.T) {
	good := content{dimensions: []Dimension{{"n", 4}}, variables: []Content{{Name: "v", Dimensions: []string{"n"}, Values: []float64{1, 2, 3, math.Pi}}}}
	b, err := os.ReadFile(good.file(t))
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(b) {
		f, err := Open(store(t, b[:n]))
		if err == nil {
			err = errors.Join(f.Reals(f.Variable("v"), 0, make([]float64, 4)), f.Close())
		}
		if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "x.nc: ") {
			t.Errorf("the first %d of %d bytes: %v", n, len(b), err)
		}
	}
	for text, want := range map[string]string{
		"CDF\x03": "expected CDF and 1, 2 or 5", "GRIB": `it begins with "GRIB"`, "": "it begins with",
		"CDF\x01\x00\x00\x00\x00\x00\x00\x00\x0b\x00\x00\x00\x00":                                                                                                    "tag 11 at the dimensions; expected 10",
		"CDF\x01\x00\x00\x00\x00\x00\x00\x00\x0a\x7f\xff\xff\xff":                                                                                                    "it has 2147483647 dimensions",
		"CDF\x01\x00\x00\x00\x00\x00\x00\x00\x0a\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00":                                    "both those of records",
		strings.Replace(head, "\x00\x00\x00\x02", "\xff\xff\xff\xfe", 1) + strings.Repeat("\x00", 8):                                                                 "expected -2 records",
		head + "\x00\x00\x00\x0b\x00\x00\x00\x01" + record("a", 9, "m", 9) + "        ":                                                                              "a value of type 9",
		head + "\x00\x00\x00\x0b\x00\x00\x00\x01" + record("a", Byte, "nm", 9)[:0] + "\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x05" + strings.Repeat("\x00", 40): "has dimension 5, of 2",
		"\x89HDF\r\n\x1a\nnothing": "libnetcdf",
	} {
		if f, err := Open(store(t, []byte(text))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %s", text, f, err, want)
		}
	}
}

// TestTypes: values of another type are refused by name.
func TestTypes(t *testing.T) {
	c := content{dimensions: []Dimension{{"n", 2}}, variables: []Content{
		{Name: "text", Dimensions: []string{"n"}, Values: "ab"}, {Name: "real", Dimensions: []string{"n"}, Values: []float64{1, 2}},
	}}
	f, err := Open(c.file(t))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Integers(f.Variable("real"), 0, make([]int64, 2)); !errors.Is(err, ErrType) || !strings.Contains(err.Error(), "variable real: wrong type: it is double; expected integers") {
		t.Error(err)
	}
	if err := f.Reals(f.Variable("text"), 0, make([]float64, 2)); !errors.Is(err, ErrType) || !strings.Contains(err.Error(), "variable text: wrong type: it is char; expected numbers") {
		t.Error(err)
	}
	if err := f.Reals(f.Variable("real"), 1, make([]float64, 2)); err == nil {
		t.Error("values behind the end")
	}
}

// TestContents: Write refuses contents that the formats cannot hold.
func TestContents(t *testing.T) {
	n := []Dimension{{"n", 2}}
	for want, c := range map[string]content{
		"dimension n has the length 0":                    {dimensions: []Dimension{{"n", 0}}},
		"variable v has 3 values; expected 2":             {dimensions: n, variables: []Content{{Name: "v", Dimensions: []string{"n"}, Values: "abc"}}},
		"variable v has dimension m, which the file does": {dimensions: n, variables: []Content{{Name: "v", Dimensions: []string{"m"}, Values: "abc"}}},
		"variable v has values of []float32":              {dimensions: n, variables: []Content{{Name: "v", Values: []float32{1}}}},
		"variable v is too large":                         {dimensions: []Dimension{{"n", math.MaxInt64 / 2}}, variables: []Content{{Name: "v", Dimensions: []string{"n", "n"}, Values: ""}}},
	} {
		if err := Write(new(bytes.Buffer), c.dimensions, nil, c.variables); !errors.Is(err, ErrContent) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

var errFull = errors.New("no space left on device")

// TestFullDisk: the error of the writer comes once, also if a variable is longer than the buffer before it.
func TestFullDisk(t *testing.T) {
	for _, n := range []int64{1, 1 << 16} {
		err := Write(full{}, []Dimension{{"n", n}}, nil, []Content{{Name: "v", Dimensions: []string{"n"}, Values: make([]float64, n)}})
		if err == nil || err.Error() != errFull.Error() {
			t.Errorf("%d values: %q, want %q", n, err, errFull)
		}
	}
}

// FuzzDecode decodes any bytes as a classic file, and reads the beginning of all variables.
func FuzzDecode(f *testing.F) {
	for seed := range uint64(4) {
		var b bytes.Buffer
		c := random(rand.New(rand.NewPCG(seed, 2)))
		if err := Write(&b, c.dimensions, c.attributes, c.variables); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Add([]byte(head + "\x00\x00\x00\x0b\x00\x00\x00\x02" + record("a", Byte, "nm", 192) + record("c", Short, "n", 196) + strings.Repeat("\x01", 40)))
	f.Fuzz(func(t *testing.T, b []byte) {
		file := &File{Name: "x", source: &classic{nil, bytes.NewReader(b), int64(len(b))}}
		if err := file.decode(bytes.NewReader(b), int64(len(b))); err != nil {
			if !errors.Is(err, ErrFormat) {
				t.Error(err)
			}
			return
		}
		for i := range file.Variables {
			v := &file.Variables[i]
			if v.Len() < 0 || v.Rows() < 0 || v.RowLen() < 0 {
				t.Fatalf("%+v", v)
			}
			n := v.RowLen() * min(v.Rows(), 3)
			if n > 1<<12 {
				continue
			}
			if err := file.Reals(v, 0, make([]float64, n)); err != nil && !errors.Is(err, ErrFormat) && !errors.Is(err, ErrType) {
				t.Error(err)
			}
		}
	})
}
