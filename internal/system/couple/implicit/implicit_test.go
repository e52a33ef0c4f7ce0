package implicit

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// vectors returns random columns.
func vectors(r *rand.Rand, n, rows int) [][]float64 {
	columns := make([][]float64, n)
	for j := range columns {
		for range rows {
			columns[j] = append(columns[j], r.NormFloat64())
		}
	}
	return columns
}

func dot(x, y []float64) (sum float64) {
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

// TestFactor: the triangle has the products of the columns, for fewer and more rows than columns, and stacked triangles of parts that
// of the whole.
func TestFactor(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 300 {
		n, rows := 1+r.IntN(8), r.IntN(20)
		columns := vectors(r, n, rows)
		if n > 2 && rows > 0 && r.IntN(2) == 0 {
			copy(columns[n-1], columns[0]) // dependent
		}
		cut := r.IntN(rows + 1)
		var parts [2][][]float64
		for _, c := range columns {
			parts[0], parts[1] = append(parts[0], slices.Clone(c[:cut])), append(parts[1], slices.Clone(c[cut:]))
		}
		whole := stack([]triangle{factor(parts[0]), factor(parts[1])}, []float64{1, 1})
		for _, one := range []triangle{factor(clones(columns)), whole} {
			for i := range n {
				for j := i; j < n; j++ {
					sum := 0.0
					for k := range i + 1 {
						sum += one.at(k, i) * one.at(k, j)
					}
					if want := dot(columns[i], columns[j]); math.Abs(sum-want) > 1e-12*float64(rows+1)*10 {
						t.Fatalf("%d columns of %d rows, %d %d: %v, expected %v", n, rows, i, j, sum, want)
					}
				}
			}
		}
	}
}

// TestLeastSquares: what is left is orthogonal to all columns, also if some are dependent, and of dependent ones the older is dropped.
func TestLeastSquares(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 200 {
		n, rows := 1+r.IntN(6), 8+r.IntN(10)
		columns := vectors(r, n+1, rows)
		twin := n > 1 && r.IntN(2) == 0
		if twin {
			copy(columns[n-1], columns[0])
		}
		c, dropped := leastSquares(factor(clones(columns)))
		rest := slices.Clone(columns[n])
		for j, a := range c {
			for i := range rest {
				rest[i] += a * columns[j][i]
			}
		}
		for j := range n {
			if math.Abs(dot(rest, columns[j])) > 1e-10 || dropped[j] != (twin && j == n-1) {
				t.Fatalf("%d columns, dependent %v: product %v with column %d, dropped %v", n, twin, dot(rest, columns[j]), j, dropped)
			}
		}
	}
}

// TestManyDependentColumns: rests of rests of dependent columns do not become NaN.
func TestManyDependentColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	columns := vectors(r, 40, 3)
	for range 3 {
		one := factor(clones(columns))
		columns = nil
		for j := range one.n {
			x := make([]float64, one.n)
			for i := range j + 1 {
				x[i] = one.at(i, j)
			}
			columns = append(columns, x)
		}
		c, _ := leastSquares(one)
		for _, x := range c {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Fatalf("coefficients %v", c)
			}
		}
	}
}

// TestDecisions: a decision survives its encoding, and numbers that are none are refused, as are parts of other ranks.
func TestDecisions(t *testing.T) {
	p := Plan{Method: IQNILS, Relaxation: 0.5, Columns: 3, Criteria: []Criterion{{0, Absolute, 1}}}
	want := Decision{Verdict: Again, Iteration: 7, Relaxation: 0.25, Coefficients: []float64{1, 2}, Dropped: []bool{true, false}}
	got, err := DecodeDecision(want.Encode(&p), &p)
	if err != nil || got.Verdict != want.Verdict || got.Iteration != 7 || got.Relaxes || got.Relaxation != 0.25 ||
		!slices.Equal(got.Coefficients, want.Coefficients) || !slices.Equal(got.Dropped, want.Dropped) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, numbers := range [][]float64{nil, {0, 1, 0, 0, 4, 0, 0, 0, 0, 0, 0}, {4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}, {0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 0}} {
		if _, err := DecodeDecision(numbers, &p); !errors.Is(err, ErrPart) {
			t.Errorf("%v: %v", numbers, err)
		}
	}
	good := make([]float64, p.PartLen(1))
	wrong := slices.Clone(good)
	wrong[0] = 9
	for _, parts := range [][][]float64{{good, good[1:]}, {good, wrong}, {wrong, wrong}, {wrong}} {
		if _, err := NewLeader(p, 1).Decide(parts); !errors.Is(err, ErrPart) {
			t.Errorf("parts of %d ranks: %v", len(parts), err)
		}
	}
}

// TestPlans: what cannot be is refused with what was expected.
func TestPlans(t *testing.T) {
	for want, p := range map[string]Plan{
		"method 3; expected one from 0 to 2": {Method: 3, Relaxation: 1},
		"relaxation NaN":                     {Relaxation: math.NaN()},
		"relaxation 0":                       {},
		"0 columns; expected 1 to 200":       {Method: IQNILS, Relaxation: 1},
		"columns of -1 earlier steps":        {Relaxation: 1, Reuse: -1},
		"at most -1 iterations":              {Relaxation: 1, Most: -1},
	} {
		if err := p.Check(); !errors.Is(err, ErrPlan) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %s", err, want)
		}
	}
	for want, c := range map[string]Criterion{"measure 3": {Measure: 3, Limit: 1}, "limit 0": {}, "limit -1": {Limit: -1}, "limit +Inf": {Limit: math.Inf(1)}} {
		if err := c.Check(); !errors.Is(err, ErrPlan) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %s", err, want)
		}
	}
	if Method(7).String() != "method 7" || Aitken.String() != "aitken" {
		t.Error("names of methods")
	}
}
