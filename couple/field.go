package couple

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/datatype"
	"github.com/goacp/goacp/internal/system/couple/element"
	"github.com/goacp/goacp/internal/system/couple/link"
)

// Value is the types of values that a field may have.
type Value interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64 | ~complex64 | ~complex128
}

// Field is values of one type at points of a grid or mesh: a fixed number for each point. Each rank of the model has
// the values of some points.
type Field struct {
	core     *link.Field
	values   int // of this rank
	perPoint int
}

// NewField declares a field of a model. data has the values of the points of this rank. perPoint is the number of
// values of one point, which are contiguous. The length of data is perPoint times the number of points in memory,
// with a halo if there is one. The ranks of the model pass the same name, type and perPoint, and each its own points;
// a rank may have no points. The field uses data as long as it has links. Fails with ErrModel, ErrShape, ErrSize and
// ErrTwice. Local. Does not block.
func NewField[T Value](m *Model, name string, data []T, points Points, perPoint int) (*Field, error) {
	if perPoint < 1 || perPoint > math.MaxInt32 {
		return nil, fmt.Errorf("%w: %d values per point", ErrSize, perPoint)
	}
	sends, receives, memory, err := points.layouts()
	if err != nil {
		return nil, fmt.Errorf("field %s of model %s: %w", name, m.Name(), err)
	}
	if int64(len(data)) != memory*int64(perPoint) {
		return nil, fmt.Errorf("field %s of model %s: %w: %d values for %d points with %d each", name, m.Name(), ErrSize, len(data), memory, perPoint)
	}
	e := element.Type{Kind: datatype.Of[T](), Values: perPoint}
	f, err := m.core.NewField(name, e, dataOf(data), sends, receives)
	if err != nil {
		return nil, err
	}
	f.SetGrid(points.grid())
	return &Field{f, len(data), perPoint}, nil
}

// dataOf returns the memory of a slice.
func dataOf[T Value](data []T) link.Data {
	return link.Data{Base: unsafe.Pointer(unsafe.SliceData(data)), Owner: data}
}

// Mask masks points of the field, such as the land of an ocean: the points at which valid is false. valid has one
// element for each point in memory, in the order of the data, with a halo if there is one. Each rank passes the mask
// of its own points. On a rank that does not call Mask, no points are masked. A second call replaces the mask of the
// first.
//
// A masked point takes no part in links. A sender does not send it, and its value may be anything, also NaN or
// infinity: the terms of a matrix with a masked point are left out, on either side. A receiver keeps the value of a
// point that either side masks. If all columns of a row of a matrix are masked, the sum of the row is 0. The weights
// do not change: the rest of a row is not divided by the sum of its weights.
//
// Fails with ErrSize for another length, and with ErrModel if there has been a link of the field. Local. Does not block.
func (f *Field) Mask(valid []bool) error {
	if len(valid) != f.values/f.perPoint {
		return fmt.Errorf("field %s: %w: %d elements of a mask for %d points", f.Name(), ErrSize, len(valid), f.values/f.perPoint)
	}
	return f.core.Mask(func(position int64) bool { return valid[position] })
}

// Use sets the values of a field to another slice of the same length, for example that of a new time level. It must
// not be called during a call of a Sender or Receiver of the field. Fails with ErrTypes if the values have another
// type than in NewField, and with ErrSize. Local. Does not block.
func Use[T Value](f *Field, data []T) error {
	if have, want := datatype.Of[T](), f.core.Element().Kind; have != want {
		return fmt.Errorf("field %s: %w: it has %v, and the slice %v", f.Name(), ErrTypes, want, have)
	}
	if len(data) != f.values {
		return fmt.Errorf("field %s: %w: it has %d values, and the slice %d", f.Name(), ErrSize, f.values, len(data))
	}
	f.core.Use(dataOf(data))
	return nil
}

// Name returns the names of the model and of the field, for example "ocean.sst". Local. Does not
// block.
func (f *Field) Name() string { return f.core.Name() }
