package implicit

import "math"

// triangle is an upper triangular matrix of n rows, by rows.
type triangle struct {
	n      int
	values []float64
}

func newTriangle(n int) triangle { return triangle{n, make([]float64, triangleLen(n))} }

// triangleLen returns how many values a triangle of n rows has.
func triangleLen(n int) int { return n * (n + 1) / 2 }

// row returns row i from the diagonal on.
func (t triangle) row(i int) []float64 {
	first := i*t.n - i*(i-1)/2
	return t.values[first : first+t.n-i]
}

// at returns the element in row i and column j, which is at least i.
func (t triangle) at(i, j int) float64 { return t.row(i)[j-i] }

// factor returns the triangle R of A = Q R for the matrix with some columns of the same length, which it destroys. It uses reflections,
// so that R is accurate for nearly dependent columns, too.
func factor(columns [][]float64) triangle {
	n := len(columns)
	r := newTriangle(n)
	for i, x := range columns {
		row := r.row(i)
		if i >= len(x) {
			break // the rows below are 0
		}
		norm := norm2(x[i:])
		if norm == 0 {
			for j := i; j < n; j++ {
				row[j-i] = columns[j][i]
			}
			continue
		}
		if x[i] > 0 {
			norm = -norm
		}
		// The reflection takes x[i:] to norm in its first place. Its vector v is x[i:] / norm - e. Without the division its square would
		// underflow, since columns that depend on others leave smaller and smaller rests.
		v := x[i:]
		for k := range v {
			v[k] /= norm
		}
		v[0]--
		square := -v[0] // v v / 2
		row[0] = norm
		for j := i + 1; j < n; j++ {
			y := columns[j][i:]
			dot := 0.0
			for k, a := range v {
				dot += a * y[k]
			}
			dot /= square
			for k, a := range v {
				y[k] -= dot * a
			}
			row[j-i] = y[0]
		}
	}
	return r
}

// norm2 returns the Euclidean norm, without overflow of the squares.
func norm2(x []float64) float64 {
	most := 0.0
	for _, a := range x {
		if math.IsNaN(a) {
			return math.NaN()
		}
		most = max(most, math.Abs(a))
	}
	if most == 0 || math.IsInf(most, 0) {
		return most
	}
	sum := 0.0
	for _, a := range x {
		sum += (a / most) * (a / most)
	}
	return most * math.Sqrt(sum)
}

// stack returns the triangle of the matrix with the rows of some triangles, each times a factor.
func stack(parts []triangle, factors []float64) triangle {
	n := parts[0].n
	columns := make([][]float64, n)
	for j := range columns {
		columns[j] = make([]float64, 0, n*len(parts))
	}
	for p, t := range parts {
		for i := range n {
			row := t.row(i)
			for j := range columns {
				x := 0.0
				if j >= i {
					x = row[j-i] * factors[p]
				}
				columns[j] = append(columns[j], x)
			}
		}
	}
	return factor(columns)
}

// norm returns the norm of column j.
func (t triangle) norm(j int) float64 {
	x := make([]float64, j+1)
	for i := range x {
		x[i] = t.at(i, j)
	}
	return norm2(x)
}

// without returns the triangle of the matrix without column j.
func (t triangle) without(j int) triangle {
	var columns [][]float64
	for k := range t.n {
		if k == j {
			continue
		}
		x := make([]float64, t.n)
		for i := range k + 1 {
			x[i] = t.at(i, k)
		}
		columns = append(columns, x)
	}
	return factor(columns)
}

// solve returns the c that minimizes |r + V c|, where the last column is r, and the others are V.
func (t triangle) solve() []float64 {
	k := t.n - 1
	c := make([]float64, k)
	for i := k - 1; i >= 0; i-- {
		x := -t.at(i, k)
		for j := i + 1; j < k; j++ {
			x -= t.at(i, j) * c[j]
		}
		c[i] = x / t.at(i, i)
	}
	return c
}
