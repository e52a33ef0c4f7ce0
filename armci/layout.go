package armci

import (
	"fmt"
	"slices"

	"github.com/goacp/goacp/internal/system/armci/shape"
)

// MaxDims is the greatest number of dimensions of a section.
const MaxDims = shape.MaxLevels

// Layout describes the elements of a slice that form a section: element (i1, …, in) of the section is
// element Offset + i1*Strides[0] + … + in*Strides[n-1] of the slice, for all indices from 0 up to, but
// not including, those of Shape. A Layout without dimensions is one element.
type Layout struct {
	Offset  int
	Shape   []int
	Strides []int // in elements; may be 0 or negative. Nil: the strides of Dense
}

// Dense returns the layout of an array in C order, without gaps: the last dimension is the fastest.
// Pure.
func Dense(dims ...int) Layout {
	l := Layout{Shape: slices.Clone(dims), Strides: make([]int, len(dims))}
	stride := 1
	for i := len(dims) - 1; i >= 0; i-- {
		l.Strides[i] = stride
		stride *= dims[i]
	}
	return l
}

// strides returns the strides of the layout.
func (l Layout) strides() []int {
	if l.Strides == nil {
		return Dense(l.Shape...).Strides
	}
	return l.Strides
}

// Len returns the number of elements. It is 0 if the layout cannot be. Pure.
func (l Layout) Len() int {
	side, err := l.side()
	if err != nil {
		return 0
	}
	n, err := side.Bytes()
	if err != nil {
		return 0
	}
	return int(n)
}

// Index returns the number of an element in the slice, or -1 if the section does not have the element.
// Pure.
func (l Layout) Index(at ...int) int {
	if len(at) != len(l.Shape) || len(l.strides()) != len(at) {
		return -1
	}
	index := l.Offset
	for i, stride := range l.strides() {
		if at[i] < 0 || at[i] >= l.Shape[i] {
			return -1
		}
		index += at[i] * stride
	}
	return index
}

// Part returns the layout of the elements with indices from from up to, but not including, to. Fails
// with ErrShape if the section does not have them. Pure.
func (l Layout) Part(from, to []int) (Layout, error) {
	if len(from) != len(l.Shape) || len(to) != len(l.Shape) || len(l.strides()) != len(l.Shape) {
		return Layout{}, fmt.Errorf("%w: part from %v to %v of %v", ErrShape, from, to, l.Shape)
	}
	part := Layout{Offset: l.Offset, Shape: make([]int, len(from)), Strides: slices.Clone(l.strides())}
	for i := range from {
		if from[i] < 0 || from[i] > to[i] || to[i] > l.Shape[i] {
			return Layout{}, fmt.Errorf("%w: part from %v to %v of %v", ErrShape, from, to, l.Shape)
		}
		part.Shape[i] = to[i] - from[i]
		part.Offset += from[i] * part.Strides[i]
	}
	return part, nil
}

// Reverse returns the same elements with a dimension in the other direction. Fails with ErrShape. Pure.
func (l Layout) Reverse(dim int) (Layout, error) {
	if dim < 0 || dim >= len(l.Shape) || len(l.strides()) != len(l.Shape) {
		return Layout{}, fmt.Errorf("%w: dimension %d of %d", ErrShape, dim, len(l.Shape))
	}
	r := Layout{l.Offset, slices.Clone(l.Shape), slices.Clone(l.strides())}
	r.Offset += (r.Shape[dim] - 1) * r.Strides[dim]
	r.Strides[dim] = -r.Strides[dim]
	return r, nil
}

// Transpose returns the same elements with two dimensions exchanged. Fails with ErrShape. Pure.
func (l Layout) Transpose(i, j int) (Layout, error) {
	n := len(l.Shape)
	if min(i, j) < 0 || max(i, j) >= n || len(l.strides()) != n {
		return Layout{}, fmt.Errorf("%w: dimensions %d and %d of %d", ErrShape, i, j, n)
	}
	t := Layout{l.Offset, slices.Clone(l.Shape), slices.Clone(l.strides())}
	t.Shape[i], t.Shape[j] = t.Shape[j], t.Shape[i]
	t.Strides[i], t.Strides[j] = t.Strides[j], t.Strides[i]
	return t, nil
}

// side returns the layout as one side of a transfer, with elements instead of bytes. Package shape has
// the fastest dimension first. Fails with ErrShape.
func (l Layout) side() (shape.Side, error) {
	s := shape.Side{Block: 1, Levels: len(l.Shape)}
	if len(l.Shape) > MaxDims {
		return s, fmt.Errorf("%w: %d dimensions", ErrShape, len(l.Shape))
	}
	strides := l.strides()
	if len(strides) != len(l.Shape) {
		return s, fmt.Errorf("%w: %d strides for %d dimensions", ErrShape, len(strides), len(l.Shape))
	}
	for i, n := range l.Shape {
		level := s.Levels - 1 - i
		s.Count[level] = int64(n)
		if n > 1 {
			s.Stride[level] = int64(strides[i])
		}
	}
	if _, err := s.Bytes(); err != nil {
		return s, fmt.Errorf("%w: %v: %w", ErrShape, l.Shape, err)
	}
	return s, nil
}

// within returns the layout as one side of a transfer. Fails with ErrShape, and with ErrBounds unless
// a slice of n elements has all of them.
func (l Layout) within(n int) (shape.Side, error) {
	s, err := l.side()
	if err != nil {
		return s, err
	}
	if elements, _ := s.Bytes(); elements == 0 {
		return s, nil
	}
	low, high, err := s.Extent()
	if err != nil || l.Offset < 0 || l.Offset > n || int64(l.Offset) < -low || int64(n-l.Offset) < high {
		return s, fmt.Errorf("%w: offset %d, shape %v, strides %v of %d elements", ErrBounds, l.Offset, l.Shape, l.strides(), n)
	}
	return s, nil
}
