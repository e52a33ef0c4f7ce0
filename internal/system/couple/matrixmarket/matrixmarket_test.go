package matrixmarket

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

const first = "%%MatrixMarket matrix coordinate real general\n"

type entry struct {
	row, column int64
	value       float64
}

// read returns the entries of a text.
func read(text io.Reader) (Size, []entry, error) {
	r := NewReader(text)
	size, err := r.Size()
	if err != nil {
		return size, nil, err
	}
	var all []entry
	err = r.Entries(func(row, column int64, value float64) error {
		all = append(all, entry{row, column, value})
		return nil
	})
	return size, all, err
}

func TestRead(t *testing.T) {
	want := []entry{{0, 0, 0.75}, {1, 2, -1e-3}, {0, 0, 3}, {1, 1, 0x1p-1074}}
	for _, text := range []string{
		first + "2 3 4\n1 1 0.75\n2 3 -1e-3\n1 1 3\n2 2 5e-324\n",
		"%%matrixmarket MATRIX Coordinate real GENERAL  \r\n% 1 2\n%\n\n  2\t3  4\r\n\n1   1\t+.75\r\n  2 3 -0.001 \n\n1 1 3.\n02 2 5E-324",
	} {
		size, got, err := read(strings.NewReader(text))
		if err != nil || size != (Size{2, 3, 4}) || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, %v, %v", text, size, got, err)
		}
		if _, again, err := read(iotest.OneByteReader(strings.NewReader(text))); err != nil || !reflect.DeepEqual(again, want) {
			t.Errorf("%q byte by byte: %v, %v", text, again, err)
		}
	}
	if size, got, err := read(strings.NewReader(first + "0 0 0")); err != nil || size != (Size{}) || got != nil {
		t.Errorf("an empty matrix: %v, %v, %v", size, got, err)
	}
}

// TestFortran reads numbers as programs in Fortran write them.
func TestFortran(t *testing.T) {
	for text, want := range map[string]float64{
		"0.25D+00": 0.25, "2.5d-1": 0.25, "-2.5D1": -25, ".5D0": 0.5, "5.D0": 5, "1D3": 1000, "+1.0D-300": 1e-300,
		"0.1234567890123457E+00": 0.1234567890123457, "1.0+100": 1e100, "-2.5-101": -2.5e-101, "1.+200": 1e200, "0.5-310": 0.5e-310,
		"+7-100": 7e-100, "0.0D+00": 0,
	} {
		_, got, err := read(strings.NewReader(first + "1 1 1\n1 1 " + text + "\n"))
		if err != nil || len(got) != 1 || got[0].value != want {
			t.Errorf("%s: %v, %v; want %v", text, got, err, want)
		}
	}
}

func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"":                                                 "it is empty",
		"\n":                                               `line 1: not in the Matrix Market format: ""; expected %%MatrixMarket matrix`,
		"1 1 1\n1 1 1\n":                                   `line 1: not in the Matrix Market format: "1 1 1"; expected %%MatrixMarket matrix coordinate real general`,
		first[:len(first)-2]:                               `coordinate real genera"; expected`,
		first + "% only\n":                                 "line 2: not in the Matrix Market format: the file ends before the numbers of rows, columns and entries",
		first + "2 2\n":                                    `line 2: not in the Matrix Market format: "2 2"; expected the numbers of rows`,
		first + "2 2 1 1\n":                                `"2 2 1 1"; expected the numbers of rows`,
		first + "2 -2 1\n":                                 `"2 -2 1"; expected the numbers of rows`,
		first + "2 2.0 1\n":                                `"2 2.0 1"; expected the numbers of rows`,
		first + "9223372036854775807 1 1\n":                `"9223372036854775807 1 1"; expected`,
		first + "99999999999999999999999 1 1\n":            "expected the numbers of rows",
		first + "2 3 1\n0 1 1\n":                           "line 3: not in the Matrix Market format: row 0; expected one from 1 to 2",
		first + "2 3 1\n\n3 1 1\n":                         "line 4: not in the Matrix Market format: row 3; expected one from 1 to 2",
		first + "2 3 1\n2 4 1\n":                           "column 4; expected one from 1 to 3",
		first + "2 3 1\n2 0 1\n":                           "column 0; expected one from 1 to 3",
		first + "2 3 1\n2 3\n":                             `"2 3"; expected a row, a column and a value`,
		first + "2 3 1\n2 3 1 0\n":                         `value "1 0"; expected a finite number`,
		first + "2 3 1\n-1 3 1\n":                          "expected a row, a column and a value",
		first + "2 3 1\n% x\n":                             "expected a row, a column and a value",
		first + "2 3 1\n1 1 nan\n":                         `value "nan"; expected a finite number`,
		first + "2 3 1\n1 1 -Inf\n":                        "expected a finite number",
		first + "2 3 1\n1 1 1e999\n":                       "expected a finite number",
		first + "2 3 1\n1 1 1.0D\n":                        "expected a finite number",
		first + "2 3 1\n1 1 1.0D0D0\n":                     "expected a finite number",
		first + "2 3 1\n1 1 1.0D+400\n":                    "expected a finite number",
		first + "2 3 1\n1 1 1.0+400\n":                     "expected a finite number",
		first + "2 3 1\n1 1 1.0+\n":                        "expected a finite number",
		first + "2 3 1\n1 1 1+2+3\n":                       "expected a finite number",
		first + "2 3 1\n1 1 1.0E5D2\n":                     "expected a finite number",
		first + "2 3 1\n1 1 D5\n":                          "expected a finite number",
		first + "2 3 1\n1 1 +-5\n":                         "expected a finite number",
		first + "2 3 1\n1 1 1.0D 5\n":                      "expected a finite number",
		first + "2 3 1\n1 1 0x1D\n":                        "expected a finite number",
		first + "2 3 1\n1 1 infD0\n":                       "expected a finite number",
		first + "2 3 2\n1 1 1\n":                           "line 3: not in the Matrix Market format: the file ends after 1 of 2 entries",
		first + "2 3 2\n1 1 1\n2 ":                         `line 4: not in the Matrix Market format: "2"; expected a row`,
		first + "2 3 1\n1 1 1\n\n2 2 1":                    `line 5: not in the Matrix Market format: "2 2 1"; expected no more than 1 entries`,
		first + "% " + strings.Repeat("x", maxLine) + "\n": "line 2: not in the Matrix Market format: it is longer than 65536 bytes",
		strings.Replace(first, "real", "complex", 1):       "complex general\"; expected",
		strings.Replace(first, "general", "symmetric", 1):  "expected %%MatrixMarket matrix coordinate real general",
	} {
		if _, _, err := read(strings.NewReader(text)); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80q: %v, want %s", text, err, want)
		}
	}
}

// TestFailures: errors of the text and of the caller have the number of the line.
func TestFailures(t *testing.T) {
	broken := errors.New("broken")
	if _, _, err := read(io.MultiReader(strings.NewReader(first+"1 1 2\n1 1 1\n"), iotest.ErrReader(broken))); !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "behind line 3: ") {
		t.Error(err)
	}
	r := NewReader(strings.NewReader(first + "1 1 1\n\n1 1 1\n"))
	if _, err := r.Size(); err != nil {
		t.Fatal(err)
	}
	if err := r.Entries(func(int64, int64, float64) error { return broken }); !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "line 4: ") {
		t.Error(err)
	}
}

// TestRandom writes random matrices and reads them.
func TestRandom(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 0))
		rows, columns := 1+r.Int64N(1000), 1+r.Int64N(1000)
		var want []entry
		var text strings.Builder
		n := r.IntN(200)
		fmt.Fprintf(&text, "%s%% seed %d\n%d %d %d\n", first, seed, rows, columns, n)
		for range n {
			e := entry{r.Int64N(rows), r.Int64N(columns), math.Ldexp(r.NormFloat64(), r.IntN(200)-100)}
			want = append(want, e)
			fmt.Fprintf(&text, "%d %d %g\n", e.row+1, e.column+1, e.value)
		}
		size, got, err := read(strings.NewReader(text.String()))
		if err != nil || size != (Size{rows, columns, int64(n)}) || !reflect.DeepEqual(got, want) {
			t.Errorf("seed %d: %v, %v", seed, size, err)
		}
	}
}

// TestMemory: reading takes the same memory for any number of entries.
func TestMemory(t *testing.T) {
	allocations := func(n int) float64 {
		text := fmt.Sprintf("%s9 9 %d\n%s", first, n, strings.Repeat("1 2 0.125\n", n))
		return testing.AllocsPerRun(10, func() {
			r := NewReader(strings.NewReader(text))
			if _, err := r.Size(); err != nil {
				t.Error(err)
			}
			if err := r.Entries(func(int64, int64, float64) error { return nil }); err != nil {
				t.Error(err)
			}
		})
	}
	if few, many := allocations(10), allocations(10000); many > few+5 {
		t.Errorf("%v allocations for 10 entries, %v for 10000", few, many)
	}
}

// FuzzRead reads any text. An accepted matrix is the same when it is written and read again.
func FuzzRead(f *testing.F) {
	f.Add([]byte(first + "% x\n2 3 2\n1 1 0.75\n2 3 -1e-3\n"))
	f.Add([]byte(first + "2 3 9\n1 1 0.75\n2 3 -1e-3"))
	f.Fuzz(func(t *testing.T, b []byte) {
		size, all, err := read(strings.NewReader(string(b)))
		if err != nil {
			if !errors.Is(err, ErrFormat) {
				t.Error(err)
			}
			return
		}
		var text strings.Builder
		fmt.Fprintf(&text, "%s%d %d %d\n", first, size.Rows, size.Columns, size.Entries)
		for _, e := range all {
			fmt.Fprintf(&text, "%d %d %g\n", e.row+1, e.column+1, e.value)
		}
		again, others, err := read(strings.NewReader(text.String()))
		if err != nil || again != size || !reflect.DeepEqual(others, all) || int64(len(all)) != size.Entries {
			t.Errorf("%q became %q: %v", b, text.String(), err)
		}
	})
}
