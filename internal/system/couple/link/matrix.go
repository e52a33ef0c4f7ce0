package link

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/datatype"
	"github.com/goacp/goacp/internal/system/couple/element"
	"github.com/goacp/goacp/internal/system/couple/points"
	"github.com/goacp/goacp/internal/system/couple/side"
)

// Weight is an entry of a sparse matrix. It adds Value times the value of point Column of the sending field to point
// Row of the receiving field.
type Weight struct {
	Row, Column int64
	Value       float64
}

// point returns the point of a side that the entry has.
func (w Weight) point(sd side.Side) int64 {
	return [...]int64{side.Sending: w.Column, side.Receiving: w.Row}[sd]
}

// matrix is the entries of a sparse matrix on one rank. It multiplies values of one array, and stores the sums in
// another array. One array belongs to the field of the program. The other is a buffer.
type matrix struct {
	points []int64 // of the field at the other side, ascending: their values lie in the buffer in this order
	rows   []int64 // positions of the sums
	starts []int   // of the terms of each row, and the end of the last row
	terms  []term
	extent [2]int64 // greater than all positions of values, and of sums
}

// term is the contribution of one value to a row.
type term struct {
	at     int64 // position of the value
	weight float64
}

// newMatrix returns the matrix of some weights, in any order, for a rank of a side whose points have the layout l. A
// receiver has the points of the rows, a sender the points of the columns. Weights of the same row and column add
// up. Entries of weight 0 have no term, so 0 times NaN or infinity adds nothing; a row with only such entries is 0.
// masked are further points of the rank: a masked column has no term, and a masked row no sum. Fails with
// ErrWeights.
func newMatrix(weights []Weight, e element.Type, l *points.Layout, masked *points.List, sd side.Side) (*matrix, error) {
	switch e.Kind {
	case datatype.Float32, datatype.Float64, datatype.Complex64, datatype.Complex128:
	default:
		return nil, fmt.Errorf("%w: the field has %v, and weights need real or complex values", ErrWeights, e)
	}
	var used [2][]int64 // columns and rows
	entries, hidden := make([]Weight, 0, len(weights)), masked.Index()
	for _, w := range weights {
		if w.Row < 0 || w.Row > points.Max || w.Column < 0 || w.Column > points.Max {
			return nil, fmt.Errorf("%w: row %d, column %d", ErrWeights, w.Row, w.Column)
		}
		switch isMasked := hidden.Has(w.point(sd)); {
		case isMasked && sd == side.Receiving:
			continue
		case isMasked:
			w.Value = 0
		case w.Value != 0 || sd == side.Sending:
			used[side.Sending] = append(used[side.Sending], w.Column)
		}
		entries, used[side.Receiving] = append(entries, w), append(used[side.Receiving], w.Row)
	}
	for i := range used {
		slices.Sort(used[i])
		used[i] = slices.Clip(slices.Compact(used[i]))
	}
	own, err := locate(used[sd], l, sd)
	if err != nil {
		return nil, err
	}
	m := &matrix{points: used[1-sd]}
	var positions [2][]int64 // of columns and rows
	positions[sd], positions[1-sd] = own, count(len(m.points))
	slices.SortStableFunc(entries, func(a, b Weight) int { return cmp.Compare(a.Row, b.Row) })
	m.rows, m.terms = positions[side.Receiving], make([]term, 0, len(entries))
	for i, w := range entries {
		if i == 0 || entries[i-1].Row != w.Row {
			m.starts = append(m.starts, len(m.terms))
		}
		if w.Value != 0 {
			at, _ := slices.BinarySearch(used[side.Sending], w.Column)
			m.terms = append(m.terms, term{positions[side.Sending][at], w.Value})
		}
	}
	m.starts = append(m.starts, len(m.terms))
	for i, all := range positions {
		for _, at := range all {
			m.extent[i] = max(m.extent[i], at+1)
		}
	}
	return m, nil
}

// count returns the numbers from 0 to less than n.
func count(n int) []int64 {
	all := make([]int64, n)
	for i := range all {
		all[i] = int64(i)
	}
	return all
}

// locate finds the positions of points, which ascend and are rows or columns of a side.
func locate(own []int64, l *points.Layout, sd side.Side) ([]int64, error) {
	list := points.Of(own...)
	positions, err := l.Locate(&list)
	if err != nil {
		first := sort.Search(len(own), func(i int) bool {
			some := points.Of(own[:i+1]...)
			_, err := l.Locate(&some)
			return err != nil
		})
		what := [...]string{side.Sending: "column", side.Receiving: "row"}[sd]
		return nil, fmt.Errorf("%w: this rank does not hold point %d, which has a %s", ErrWeights, own[first], what)
	}
	all := make([]int64, 0, len(own))
	for it := positions.All(); ; {
		r, ok := it.Next()
		if !ok {
			return all, nil
		}
		for i := range r.Count {
			all = append(all, r.Start+i*r.Stride)
		}
	}
}

// layout returns the points of the other side, with their positions in the buffer.
func (m *matrix) layout() *points.Layout {
	var positions points.Builder
	if n := int64(len(m.points)); n > 0 {
		positions.AddRun(points.Run{Start: 0, Stride: 1, Count: n})
	}
	return &points.Layout{Points: points.Of(m.points...), Positions: positions.List()}
}

// apply sets the points of the rows in an array to their sums over another one.
func (m *matrix) apply(sums, values unsafe.Pointer, e element.Type) {
	if n := e.Reals(); e.Single() {
		multiply[float32](m, sums, values, n)
	} else {
		multiply[float64](m, sums, values, n)
	}
}

// multiply is apply for points with a number of real values. Sums have the precision of float64.
func multiply[T float32 | float64](m *matrix, sums, values unsafe.Pointer, reals int) {
	n := int64(reals)
	y, x := unsafe.Slice((*T)(sums), m.extent[side.Receiving]*n), unsafe.Slice((*T)(values), m.extent[side.Sending]*n)
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
