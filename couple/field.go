package couple

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/goacp/goacp/internal/couple/link"
)

// Value is the types of values that a field may have.
type Value interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64 | ~complex64 | ~complex128
}

var kinds = map[reflect.Kind]link.Kind{
	reflect.Int8: link.Int8, reflect.Int16: link.Int16, reflect.Int32: link.Int32, reflect.Int64: link.Int64,
	reflect.Uint8: link.Uint8, reflect.Uint16: link.Uint16, reflect.Uint32: link.Uint32, reflect.Uint64: link.Uint64,
	reflect.Float32: link.Float32, reflect.Float64: link.Float64,
	reflect.Complex64: link.Complex64, reflect.Complex128: link.Complex128,
}

// Field is values of one type at points of a grid or mesh: a fixed number for each point. Each rank of the
// model has those of some points.
type Field struct{ core *link.Field }

// NewField declares a field of a model, for whose points this rank has data. perPoint is the number of
// values of one point, which lie side by side. The length of data is perPoint times the points
// of the memory, with a halo if there is one. The ranks of the model give the same name, type and
// perPoint, and each its own points, which may be none. The field uses data as long as it has links.
// Fails with ErrModel, ErrShape, ErrSize and ErrTwice. Local. Does not block.
func NewField[T Value](m *Model, name string, data []T, points Points, perPoint int) (*Field, error) {
	if perPoint < 1 {
		return nil, fmt.Errorf("%w: %d values per point", ErrSize, perPoint)
	}
	sends, receives, memory, err := points.layouts()
	if err != nil {
		return nil, fmt.Errorf("field %s of model %s: %w", name, m.Name(), err)
	}
	if int64(len(data)) != memory*int64(perPoint) {
		return nil, fmt.Errorf("field %s of model %s: %w: %d values for %d points with %d each", name, m.Name(), ErrSize, len(data), memory, perPoint)
	}
	e := link.Element{Kind: kinds[reflect.TypeFor[T]().Kind()], Values: perPoint}
	base := unsafe.Pointer(unsafe.SliceData(data))
	f, err := m.core.NewField(name, e, link.Data{Base: base, Owner: data}, sends, receives)
	if err != nil {
		return nil, err
	}
	return &Field{f}, nil
}

// Name returns the names of the model and of the field, for example "ocean.sst". Local. Does not
// block.
func (f *Field) Name() string { return f.core.Name() }
