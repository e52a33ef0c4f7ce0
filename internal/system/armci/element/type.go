package element

import (
	"slices"

	"github.com/goacp/goacp/internal/ground/datatype"
)

// Type is the type of the elements of an accumulate. The numbers are those of C.
type Type int

// The element types.
const (
	Int32 Type = iota
	Int64
	Float32
	Float64
	Complex64
	Complex128
	typeEnd
)

// kinds are the kinds of numbers that the types are.
var kinds = [typeEnd]datatype.Kind{
	Int32: datatype.Int32, Int64: datatype.Int64, Float32: datatype.Float32, Float64: datatype.Float64,
	Complex64: datatype.Complex64, Complex128: datatype.Complex128,
}

// TypeOf returns the type of a kind of numbers, which has one.
func TypeOf(k datatype.Kind) Type { return Type(slices.Index(kinds[:], k)) }

// Valid reports whether there is such a type.
func (t Type) Valid() bool { return t >= 0 && t < typeEnd }

// Size returns the bytes of an element.
func (t Type) Size() int64 { return int64(kinds[t].Size()) }

// Component returns the bytes of the unit that changes at once: the element, or one of the two
// parts of a complex number.
func (t Type) Component() int64 {
	if kinds[t].Complex() {
		return t.Size() / 2
	}
	return t.Size()
}

// MaxSize is the greatest size of an element.
const MaxSize = 16

// Scale is a factor: one element of its type, as stored in memory.
type Scale [MaxSize]byte
