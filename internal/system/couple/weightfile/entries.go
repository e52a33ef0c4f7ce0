package weightfile

import (
	"fmt"
	"math"
	"strings"

	"github.com/goacp/goacp/internal/ground/netcdf"
)

// most is how many weights are read at once.
const most = 1 << 16

// bits has a bit for each point of a grid: whether it is masked. It is nil if no point is.
type bits []uint64

func (b bits) has(i int64) bool { return b != nil && b[i/64]>>(i%64)&1 != 0 }

// readNetCDF is Read for a netCDF file.
func readNetCDF(f *netcdf.File, each func(row, column int64, value float64) error) (c Contents, err error) {
	r, err := newReader(f)
	if err != nil {
		return c, err
	}
	c.Notes = r.notes()
	var masked [2]bits
	for i, v := range r.masks {
		if masked[i], err = r.mask(v); err != nil {
			return c, err
		}
	}
	covered, err := r.coveredAreas()
	if err != nil || r.entries == 0 {
		return c, err
	}
	left := int64(0)
	columns := r.weights.RowLen()
	step := max(most/columns, 1)
	values := make([]float64, step*columns)
	var addresses [2][]int64
	for i := range addresses {
		addresses[i] = make([]int64, step)
	}
	for first := int64(0); first < r.entries; first += step {
		n := min(step, r.entries-first)
		if err := r.part(first, n, values[:n*columns], &addresses); err != nil {
			return c, err
		}
		for i := range n {
			row, column, value := addresses[0][i]-1, addresses[1][i]-1, values[i*columns]
			if err := r.check(first+i, row, column, value); err != nil {
				return c, err
			}
			if masked[0].has(row) || masked[1].has(column) {
				left++
				continue
			}
			if covered != nil {
				if value, err = r.normalized(first+i, row, value, covered); err != nil {
					return c, err
				}
			}
			if err := each(row, column, value); err != nil {
				return c, fmt.Errorf("%s: entry %d: %w", f.Name, first+i, err)
			}
			c.Entries++
		}
	}
	if left > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("%d of %d entries have a point that the file masks; they are left out", left, r.entries))
	}
	return c, nil
}

// part reads n entries.
func (r *reader) part(first, n int64, values []float64, addresses *[2][]int64) error {
	for i, v := range r.addresses {
		if err := r.file.Integers(v, first, addresses[i][:n]); err != nil {
			return err
		}
	}
	return r.file.Reals(r.weights, first, values)
}

// check returns an error unless an entry, whose row and column begin with 0, may be in the matrix.
func (r *reader) check(entry, row, column int64, value float64) error {
	for i, at := range [2]int64{row, column} {
		if at < 0 || at >= r.most[i] {
			if r.most[i] == math.MaxInt64 {
				return r.errorf("variable %s has %d at index %d; expected at least 1", r.format.addresses[i], at+1, entry)
			}
			return r.errorf("variable %s has %d at index %d; expected 1 to %d (dimension %s)", r.format.addresses[i], at+1, entry, r.most[i], r.format.sizes[i])
		}
	}
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return r.errorf("variable %s has %v at index %d; expected a finite number", r.format.weights, value, entry)
	}
	return nil
}

// mask reads a mask. v may be nil.
func (r *reader) mask(v *netcdf.Variable) (bits, error) {
	if v == nil {
		return nil, nil
	}
	var masked bits
	n := v.Len()
	values := make([]int64, min(n, most))
	for first := int64(0); first < n; first += most {
		part := values[:min(n-first, most)]
		if err := r.file.Integers(v, first, part); err != nil {
			return nil, err
		}
		for i, value := range part {
			if value == 0 {
				if masked == nil {
					masked = make(bits, (n+63)/64)
				}
				at := first + int64(i)
				masked[at/64] |= 1 << (at % 64)
			}
		}
	}
	return masked, nil
}

// coveredAreas returns the areas of the rows that the other grid covers, by which the weights are divided, or nil if the file
// has normalized weights.
func (r *reader) coveredAreas() ([]float64, error) {
	conservative := strings.Contains(strings.ToLower(r.file.Attributes["map_method"]), "conservative")
	if !r.format.unnormalized || !conservative || strings.TrimSpace(r.file.Attributes["normalization"]) != "none" {
		return nil, nil
	}
	var factors [2][]float64
	for i, name := range [2]string{r.format.area, r.format.fraction} {
		v, err := r.variable(name, r.most[0], "numbers")
		if err != nil {
			return nil, fmt.Errorf("%w, since the weights are areas (normalization is none)", err)
		}
		factors[i] = make([]float64, r.most[0]) // which the file has: a dimension alone may have any length
		if err := r.file.Reals(v, 0, factors[i]); err != nil {
			return nil, err
		}
	}
	for i, fraction := range factors[1] {
		factors[0][i] *= fraction
	}
	return factors[0], nil
}

// normalized returns a weight that is an area, divided by the covered area of its row.
func (r *reader) normalized(entry, row int64, value float64, covered []float64) (float64, error) {
	if value == 0 {
		return 0, nil
	}
	if !(covered[row] > 0) || math.IsInf(covered[row], 0) {
		return 0, r.errorf("%s times %s is %v at index %d, which the weight at index %d is divided by; expected a positive number",
			r.format.area, r.format.fraction, covered[row], row, entry)
	}
	return value / covered[row], nil
}

// notes returns what is not read of the file.
func (r *reader) notes() (notes []string) {
	if r.weights != nil && r.weights.RowLen() > 1 {
		notes = append(notes, fmt.Sprintf("%s has %d weights for each entry; the first one is used, of first order, and the others, of gradients, are left out",
			r.format.weights, r.weights.RowLen()))
	}
	if fixed, ok := r.file.Dimension("num_fixed_dst"); ok && r.format == &yac && fixed > 0 {
		notes = append(notes, fmt.Sprintf("%d points have fixed values, which links do not have; they keep the values that the program gives them", fixed))
	}
	return notes
}
