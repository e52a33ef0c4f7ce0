//go:build cgo

package libacp

// #include "bind.h"
// #include "../fortran/goacp_array.h"
import "C"

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/ground/datatype"
	"github.com/goacp/goacp/internal/system/couple/element"
	"github.com/goacp/goacp/internal/system/couple/link"
	"github.com/goacp/goacp/internal/system/couple/points"
)

// errStride: an array whose elements do not lie as the library needs it.
var errStride = errors.New("unsuitable stride")

// fortranArray is an array of a Fortran program. Dimensions are in the order of the language: the first varies fastest.
type fortranArray struct {
	base             unsafe.Pointer // nil if the array is not allocated or associated
	element          int64          // bytes
	kind             datatype.Kind  // 0 if fields cannot have values of its type
	extents, strides []int64        // in elements, and in bytes
}

// arrayAtC returns the array that a module describes.
func arrayAtC(c *C.struct_goacp_array) *fortranArray {
	a := &fortranArray{base: c.base, element: int64(c.element), kind: datatype.Kind(c._type)}
	for d := range int(c.dims) {
		a.extents = append(a.extents, int64(c.extents[d]))
		a.strides = append(a.strides, int64(c.strides[d]))
	}
	return a
}

// elements returns how many elements the array has.
func (a *fortranArray) elements() int64 {
	n := int64(1)
	for _, extent := range a.extents {
		n *= extent
	}
	return n
}

// String describes the array for messages.
func (a *fortranArray) String() string {
	kind := fmt.Sprintf("elements of %d bytes", a.element)
	if a.kind != 0 {
		kind = a.kind.String()
	}
	switch {
	case len(a.extents) == 0:
		return "a variable, " + kind
	case a.base == nil:
		return fmt.Sprintf("an array of rank %d that is not allocated or associated, %s", len(a.extents), kind)
	}
	return fmt.Sprintf("an array of rank %d with shape %v, %s", len(a.extents), a.extents, kind)
}

// gap returns the first dimension whose elements do not lie behind those of the dimensions before, or -1 if the array
// is contiguous.
func (a *fortranArray) gap() int {
	if slices.Contains(a.extents, 0) {
		return -1
	}
	next := a.element
	for d, n := range a.extents {
		if n != 1 && a.strides[d] != next {
			return d
		}
		next *= n
	}
	return -1
}

// strideOf describes the stride of a dimension for messages.
func (a *fortranArray) strideOf(d int) string {
	return fmt.Sprintf("%v: dimension %d has a stride of %d bytes, elements of %d bytes", a, d+1, a.strides[d], a.element)
}

// rows are the dimensions of an array without those that follow from others: of a contiguous array one is left.
func (a *fortranArray) rows() (extents, strides []int64, dims []int) {
	extents, strides, dims = []int64{1}, []int64{a.element}, []int{0}
	for d, n := range a.extents {
		last := len(extents) - 1
		switch {
		case n == 1:
		case a.strides[d] == strides[last]*extents[last]:
			extents[last] *= n
		case extents[last] == 1:
			extents[last], strides[last], dims[last] = n, a.strides[d], d
		default:
			extents, strides, dims = append(extents, n), append(strides, a.strides[d]), append(dims, d)
		}
	}
	return extents, strides, dims
}

// memory returns where the values of a field lie that has a number of points in memory, and their places if they are a
// section of a larger array, otherwise nil. Fails with ErrTypes, ErrSize and errStride.
func (a *fortranArray) memory(e element.Type, n int64) (unsafe.Pointer, *points.Section, error) {
	if !a.holds(e.Kind) {
		return nil, nil, fmt.Errorf("%w: %v, for values of type %v", link.ErrTypes, a, e.Kind)
	}
	if a.base == nil {
		if n > 0 {
			return nil, nil, fmt.Errorf("%w: %v, for %d points", acp.ErrBadAddress, a, n)
		}
		return nil, nil, nil
	}
	if have := a.elements(); have%int64(e.Values) != 0 || have/int64(e.Values) != n {
		return nil, nil, fmt.Errorf("%w: %v, has %d elements, and %d points with %d values each need %d", link.ErrSize, a, have, n, e.Values, n*int64(e.Values))
	}
	if a.gap() < 0 {
		return a.base, nil, nil
	}
	s, err := a.section(e)
	if err != nil {
		return nil, nil, err
	}
	return unsafe.Add(a.base, -s.First()*int64(e.Size())), s, nil
}

// holds reports whether the elements of the array may be values of a kind. Fortran has no unsigned integers.
func (a *fortranArray) holds(k datatype.Kind) bool {
	return a.kind != 0 && (a.kind == k || k >= datatype.Uint8 && k <= datatype.Uint64 && a.kind == k-datatype.Uint8+datatype.Int8)
}

// section returns where the points of an array lie that is not contiguous. Fails with errStride.
func (a *fortranArray) section(e element.Type) (*points.Section, error) {
	extents, strides, dims := a.rows()
	values, size := int64(e.Values), int64(e.Size())
	if values > 1 {
		if strides[0] != a.element || extents[0]%values != 0 {
			return nil, fmt.Errorf("%w: %s, and the %d values of a point lie side by side: give the array a first dimension with them, or copy the section to an array of its own",
				errStride, a.strideOf(a.gap()), values)
		}
		extents[0] /= values
		strides[0] = size
	}
	for i := range strides {
		if strides[i]%size != 0 {
			return nil, fmt.Errorf("%w: %s, which is no multiple of the %d bytes of a point: copy the section to an array of its own",
				errStride, a.strideOf(dims[i]), size)
		}
		strides[i] /= size
	}
	return &points.Section{Extents: extents, Strides: strides}, nil
}

// contiguous returns an error unless the array is contiguous and has room for bytes.
func (a *fortranArray) contiguous(bytes uint64) error {
	if a.base == nil {
		return fmt.Errorf("%w: %v, and %d bytes are to be used", acp.ErrBadAddress, a, bytes)
	}
	if d := a.gap(); d >= 0 {
		return fmt.Errorf("%w: %s, and the function takes contiguous memory: give it the whole array, or copy the section to an array of its own",
			errStride, a.strideOf(d))
	}
	if have := a.elements() * a.element; uint64(have) < bytes {
		return fmt.Errorf("%w: %v, has %d bytes, and %d are to be used", acp.ErrBadSize, a, have, bytes)
	}
	return nil
}

// goacp_refuse_array fails for an array that goacp_fortran_usable does not take.
//
//export goacp_refuse_array
func goacp_refuse_array(described *C.struct_goacp_array, bytes C.size_t) {
	perform(func(*acp.Process) error { return arrayAtC(described).contiguous(uint64(bytes)) })
}
