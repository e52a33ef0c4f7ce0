package link

import "fmt"

// Kind is the type of a value.
type Kind uint8

// The kinds.
const (
	Int8 Kind = iota + 1
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float32
	Float64
	Complex64
	Complex128
	kinds
)

var kindNames = [kinds]string{
	Int8: "int8", Int16: "int16", Int32: "int32", Int64: "int64",
	Uint8: "uint8", Uint16: "uint16", Uint32: "uint32", Uint64: "uint64",
	Float32: "float32", Float64: "float64", Complex64: "complex64", Complex128: "complex128",
}

var kindSizes = [kinds]int{
	Int8: 1, Int16: 2, Int32: 4, Int64: 8, Uint8: 1, Uint16: 2, Uint32: 4, Uint64: 8,
	Float32: 4, Float64: 8, Complex64: 8, Complex128: 16,
}

// String returns the name of the type in Go.
func (k Kind) String() string {
	if k == 0 || k >= kinds {
		return fmt.Sprintf("kind %d", uint8(k))
	}
	return kindNames[k]
}

// Size returns the bytes of a value.
func (k Kind) Size() int { return kindSizes[k] }

// Element is what a field has for each point.
type Element struct {
	Kind   Kind
	Values int // per point, greater than 0
}

// Size returns the bytes of one point.
func (e Element) Size() int { return e.Kind.Size() * e.Values }

// single reports whether the values are float32, or complex numbers of them. Others are float64.
func (e Element) single() bool { return e.Kind == Float32 || e.Kind == Complex64 }

// reals returns how many real numbers one point has, of which complex values have two.
func (e Element) reals() int {
	if e.Kind == Complex64 || e.Kind == Complex128 {
		return 2 * e.Values
	}
	return e.Values
}

// String returns for example "3 float64 per point".
func (e Element) String() string { return fmt.Sprintf("%d %v per point", e.Values, e.Kind) }
