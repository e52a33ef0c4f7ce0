package weights

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sort"
	"sync"
)

// Method is how weights are made.
type Method int

// The methods.
const (
	// Nearest takes the Neighbours nearest points, with weights that are proportional to 1 divided by the distance. A point at
	// the place of a point of the other grid takes that one alone.
	Nearest Method = iota
	// Bilinear takes the four points of the quadrilateral in which a point lies, which are neighbours in a grid with two
	// Sizes.
	Bilinear
	// Conservative takes the cells that a cell overlaps, with weights that are proportional to the common areas. It is
	// of first order: the value is the same in a whole cell.
	Conservative
)

// String returns the name of the method.
func (m Method) String() string { return [...]string{"nearest", "bilinear", "conservative"}[m] }

// Normalization is by which area the common areas of Conservative are divided.
type Normalization int

// The normalizations.
const (
	// CoveredArea divides by the area of the receiving cell that sending cells with values cover. So a constant field stays
	// the same, also in a cell that is partly covered.
	CoveredArea Normalization = iota
	// CellArea divides by the area of the receiving cell. So the sum of value times area stays the same.
	CellArea
)

// String returns the name of the normalization in files: fracarea or destarea.
func (n Normalization) String() string { return [...]string{"fracarea", "destarea"}[n] }

// Options are the choices of Make.
type Options struct {
	Method        Method
	Neighbours    int           // of Nearest; 0 stands for 1
	Normalization Normalization // of Conservative
	FillNearest   bool          // Bilinear: points outside of all quadrilaterals take the nearest point; otherwise they get no row

	// Rows are the points of the receiving grid that get weights, each once; nil: all. A rank that needs the weights of its own points
	// computes no others.
	Rows []int
}

// ErrOptions: invalid options.
var ErrOptions = errors.New("bad options")

// Entry is an entry of a matrix, with the fields of couple.Weight.
type Entry struct {
	Row, Column int
	Value       float64
}

// sortByColumn sorts the entries of a row. sort.Slice is one function for all types, and each type of slices.SortFunc would add code to
// the libraries.
func sortByColumn(entries []Entry) {
	sort.Slice(entries, func(i, j int) bool { return entries[i].Column < entries[j].Column })
}

// Matrix is weights from one grid to another one.
type Matrix struct {
	From, To *Grid
	Options  Options
	Entries  []Entry // by row, and in a row by column

	// The areas of the cells, and the fractions of them that cells with values of the other grid cover. With other methods than
	// Conservative areas are 0, and fractions are 1 for points with weights, and otherwise 0. With Options.Rows, ToArea and
	// ToFraction are 0 elsewhere, and FromFraction counts these cells alone.
	FromArea, ToArea, FromFraction, ToFraction []float64
}

// Make computes the weights for values at the points of one grid from values at those of another one. Masked points have no entries.
// Fails with ErrGrid and ErrOptions. Any process. Does not block.
func Make(from, to *Grid, o Options) (*Matrix, error) {
	m, err := unfinished(from, to, o)
	if err != nil {
		return nil, err
	}
	m.finish()
	return m, nil
}

// unfinished returns a matrix whose entries finish makes weights.
func unfinished(from, to *Grid, o Options) (*Matrix, error) {
	if err := checkBoth(from, to, o); err != nil {
		return nil, err
	}
	m := &Matrix{From: from, To: to, Options: o}
	var row func() rowMaker
	var err error
	switch o.Method {
	case Nearest:
		row, err = m.nearest()
	case Bilinear:
		row, err = m.bilinear()
	case Conservative:
		row, err = m.conservative()
	}
	if err != nil {
		return nil, err
	}
	return m, m.compute(row)
}

// checkBoth returns an error unless two grids and the choices fit each other.
func checkBoth(from, to *Grid, o Options) error {
	for _, g := range []*Grid{from, to} {
		if err := g.check(); err != nil {
			return err
		}
	}
	if from.Plane != to.Plane {
		return to.errorf("one grid is in the plane, and the other on the sphere")
	}
	return o.check(to)
}

// check returns an error unless the choices fit the receiving grid.
func (o *Options) check(to *Grid) error {
	switch {
	case o.Method < Nearest || o.Method > Conservative:
		return fmt.Errorf("%w: method %d", ErrOptions, o.Method)
	case o.Normalization != CoveredArea && o.Normalization != CellArea:
		return fmt.Errorf("%w: normalization %d", ErrOptions, o.Normalization)
	}
	seen := make(map[int]bool, len(o.Rows))
	for _, row := range o.Rows {
		if row < 0 || row >= to.Len() || seen[row] {
			return fmt.Errorf("%w: row %d; expected each of 0 to %d at most once", ErrOptions, row, to.Len()-1)
		}
		seen[row] = true
	}
	return nil
}

// rows returns the number of rows that are made, and the row with an index.
func (m *Matrix) rows() (n int, row func(i int) int) {
	if m.Options.Rows == nil {
		return m.To.Len(), func(i int) int { return i }
	}
	sorted := slices.Sorted(slices.Values(m.Options.Rows))
	return len(sorted), func(i int) int { return sorted[i] }
}

// finish makes weights of the entries, and the fractions of the cells.
func (m *Matrix) finish() {
	if m.Options.Method == Conservative {
		m.normalize()
	} else {
		m.setFractions()
	}
}

// setFractions sets areas and fractions for methods that have none.
func (m *Matrix) setFractions() {
	m.FromArea, m.ToArea = make([]float64, m.From.Len()), make([]float64, m.To.Len())
	m.FromFraction, m.ToFraction = make([]float64, m.From.Len()), make([]float64, m.To.Len())
	for _, e := range m.Entries {
		m.FromFraction[e.Column], m.ToFraction[e.Row] = 1, 1
	}
}

// rowMaker appends the entries of a row.
type rowMaker func(row int, entries []Entry) ([]Entry, error)

// compute makes the entries of all rows, in parallel. maker returns a function for each goroutine.
func (m *Matrix) compute(maker func() rowMaker) error {
	n, rowAt := m.rows()
	workers := min(runtime.GOMAXPROCS(0), n)
	parts, errs := make([][]Entry, workers), make([]error, workers)
	var done sync.WaitGroup
	for w := range workers {
		done.Go(func() {
			fill := maker()
			for i := n * w / workers; i < n*(w+1)/workers && errs[w] == nil; i++ {
				if row := rowAt(i); m.To.valid(row) {
					parts[w], errs[w] = fill(row, parts[w])
				}
			}
		})
	}
	done.Wait()
	for _, p := range parts {
		m.Entries = append(m.Entries, p...)
	}
	return errors.Join(errs...)
}

// points returns a tree of the points of the sending grid that have values.
func (m *Matrix) points() *tree {
	var items []item
	for i := range m.From.X {
		if m.From.valid(i) {
			items = append(items, item{boxOf(m.From.centre(i)), i})
		}
	}
	return newTree(items)
}
