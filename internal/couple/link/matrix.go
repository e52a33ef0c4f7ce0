package link

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"unsafe"

	"github.com/goacp/goacp/internal/couple/points"
)

// ErrWeights: weights that cannot be.
var ErrWeights = errors.New("bad weights")

// Weight is an entry of a sparse matrix: the value of point Row of the receiving field has Value times that of point
// Column of the sending field as one of its terms.
type Weight struct {
	Row, Column int64
	Value       float64
}

// matrix is the rows of a sparse matrix that one rank has.
type matrix struct {
	columns []int64 // the points of the sending field, ascending: their values lie in the buffer in this order
	rows    []int64 // positions in the receiving field
	starts  []int   // of the terms of each row, and the end of the last one
	terms   []term
	extent  int64 // greater than all rows
}

// term is what one point contributes to a row.
type term struct {
	at     int64 // of the point in the buffer
	weight float64
}

// newMatrix returns the matrix of some weights, in any order, for a field whose points lie as a layout says. Weights of
// the same row and column add up. Fails with ErrWeights.
func newMatrix(weights []Weight, e Element, l *points.Layout) (*matrix, error) {
	switch e.Kind {
	case Float32, Float64, Complex64, Complex128:
	default:
		return nil, fmt.Errorf("%w: the field has %v, and weights need real or complex values", ErrWeights, e)
	}
	m := &matrix{columns: make([]int64, 0, len(weights)), terms: make([]term, 0, len(weights))}
	for _, w := range weights {
		if w.Row < 0 || w.Row > points.Max || w.Column < 0 || w.Column > points.Max {
			return nil, fmt.Errorf("%w: row %d, column %d", ErrWeights, w.Row, w.Column)
		}
		m.columns = append(m.columns, w.Column)
	}
	slices.Sort(m.columns)
	m.columns = slices.Clip(slices.Compact(m.columns))
	weights = slices.Clone(weights)
	slices.SortStableFunc(weights, func(a, b Weight) int { return cmp.Compare(a.Row, b.Row) })
	var rows []int64
	for _, w := range weights {
		if len(rows) == 0 || rows[len(rows)-1] != w.Row {
			rows, m.starts = append(rows, w.Row), append(m.starts, len(m.terms))
		}
		at, _ := slices.BinarySearch(m.columns, w.Column)
		m.terms = append(m.terms, term{int64(at), w.Value})
	}
	m.starts = append(m.starts, len(m.terms))
	return m, m.locate(rows, l)
}

// locate finds out where the points of the rows lie.
func (m *matrix) locate(rows []int64, l *points.Layout) error {
	list := points.Of(rows...)
	positions, err := l.Locate(&list)
	if err != nil {
		first := sort.Search(len(rows), func(i int) bool {
			some := points.Of(rows[:i+1]...)
			_, err := l.Locate(&some)
			return err != nil
		})
		return fmt.Errorf("%w: this rank does not hold point %d, which has a row", ErrWeights, rows[first])
	}
	for it := positions.All(); ; {
		r, ok := it.Next()
		if !ok {
			return nil
		}
		for i := range r.Count {
			at := r.Start + i*r.Stride
			m.rows = append(m.rows, at)
			m.extent = max(m.extent, at+1)
		}
	}
}

// layout returns the points of the columns, as they lie in the buffer.
func (m *matrix) layout() *points.Layout {
	var positions points.Builder
	if n := int64(len(m.columns)); n > 0 {
		positions.AddRun(points.Run{Start: 0, Stride: 1, Count: n})
	}
	return &points.Layout{Points: points.Of(m.columns...), Positions: positions.List()}
}

// apply sets the points of the rows of a field from the buffer.
func (m *matrix) apply(field, buffer unsafe.Pointer, e Element) {
	switch e.Kind {
	case Float32:
		multiply[float32](m, field, buffer, e.Values)
	case Float64:
		multiply[float64](m, field, buffer, e.Values)
	case Complex64:
		multiply[float32](m, field, buffer, 2*e.Values)
	case Complex128:
		multiply[float64](m, field, buffer, 2*e.Values)
	}
}

// multiply is apply for points with a number of real values. Sums have the precision of float64.
func multiply[T float32 | float64](m *matrix, field, buffer unsafe.Pointer, values int) {
	n := int64(values)
	y, x := unsafe.Slice((*T)(field), m.extent*n), unsafe.Slice((*T)(buffer), int64(len(m.columns))*n)
	for i, row := range m.rows {
		terms := m.terms[m.starts[i]:m.starts[i+1]]
		for k := range n {
			sum := 0.0
			for _, t := range terms {
				sum += t.weight * float64(x[t.at*n+k])
			}
			y[row*n+k] = T(sum)
		}
	}
}

// ReceiveWeighted opens the link to the field from the field with a name. Each point that has a row gets the sum of the
// values of the sending field, times its weights; other points stay as they are. A rank gives the rows of its own
// points. Otherwise as ReceiveFrom. Fails also with ErrWeights.
func (f *Field) ReceiveWeighted(ctx context.Context, from string, weights []Weight, o Options) (*Receiver, error) {
	through := *f
	m, err := newMatrix(weights, f.element, f.layouts[receiving])
	if err != nil {
		// The other ranks of the link are told so when they have come.
		through.bad = fmt.Errorf("field %s: %w", f.Name(), err)
		m = &matrix{}
	}
	through.layouts[receiving] = m.layout()
	// 16 bytes suit the alignment of all types.
	buffer := make([]complex128, (len(m.columns)*f.element.Size()+15)/16)
	through.data = Data{Base: unsafe.Pointer(unsafe.SliceData(buffer)), Owner: buffer}
	e, err := f.model.sys.open(ctx, &through, receiving, moving, from, o)
	if err != nil {
		return nil, err
	}
	return &Receiver{end: e, target: f, matrix: m}, nil
}
