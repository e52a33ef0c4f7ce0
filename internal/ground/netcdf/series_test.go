package netcdf

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSeries: a file has each record as soon as it is appended, with one value for each point and with several.
func TestSeries(t *testing.T) {
	for _, of := range []SeriesOf{
		{Points: []int64{7, 1 << 40, 9}, Values: 1, Name: "sst", Attributes: map[string]string{"link": "a.b>c.d"}},
		{Points: []int64{4, 5}, Values: 3, Name: "wind"},
	} {
		path := filepath.Join(t.TempDir(), "x.nc")
		s, err := CreateSeries(path, of)
		if err != nil {
			t.Fatal(err)
		}
		n := len(of.Points) * of.Values
		var all []float64
		for record := range 3 {
			checkSeries(t, path, &of, record, all)
			var values []float64
			for i := range n {
				values = append(values, float64(100*record+i)+0.5)
			}
			all = append(all, values...)
			if err := s.Append(int64(10*record-4), values); err != nil {
				t.Fatal(err)
			}
		}
		checkSeries(t, path, &of, 3, all)
		if err := s.Append(1, make([]float64, n+1)); !errors.Is(err, ErrContent) {
			t.Errorf("a record with one more value: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if ncdump, err := exec.LookPath("ncdump"); err == nil {
			out, err := exec.Command(ncdump, path).CombinedOutput()
			if err != nil || !strings.Contains(string(out), "step = -4, 6, 16 ;") {
				t.Errorf("ncdump: %v: %s", err, out)
			}
		}
	}
	if _, err := CreateSeries(filepath.Join(t.TempDir(), "x"), SeriesOf{Values: 1}); !errors.Is(err, ErrContent) {
		t.Errorf("without points: %v", err)
	}
	if _, err := CreateSeries(filepath.Join(t.TempDir(), "absent", "x"), SeriesOf{Points: []int64{0}, Values: 1}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("in a folder that does not exist: %v", err)
	}
}

// checkSeries compares a file with the records that it should have.
func checkSeries(t *testing.T, path string, of *SeriesOf, records int, values []float64) {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v := f.Variable(of.Name)
	if v == nil || v.Rows() != int64(records) || v.Len() != int64(len(values)) || f.Attributes["link"] != of.Attributes["link"] {
		t.Fatalf("%s: %+v", path, f.Variables)
	}
	got := make([]float64, len(values))
	if err := f.Reals(v, 0, got); err != nil || !slices.Equal(got, values) {
		t.Errorf("%v, %v; expected %v", got, err, values)
	}
}
