package reduction

import (
	"slices"

	"github.com/goacp/goacp/internal/ground/datatype"
)

// Type is a type of numbers, as ARMCI numbers them.
type Type int

// The types.
const (
	Int Type = iota
	Long
	LongLong
	Float
	Double
)

// kinds are the kinds of numbers that the types are.
var kinds = [...]datatype.Kind{Int: datatype.Int32, Long: datatype.Int64, LongLong: datatype.Int64, Float: datatype.Float32, Double: datatype.Float64}

// TypeOf returns the type of a kind of numbers, which has one.
func TypeOf(k datatype.Kind) Type { return Type(slices.Index(kinds[:], k)) }

// Size returns the bytes of a number, or 0 if there is no such type.
func (t Type) Size() int {
	if t < 0 || int(t) >= len(kinds) {
		return 0
	}
	return kinds[t].Size()
}

// integer reports whether the numbers are integers.
func (t Type) integer() bool { return t == Int || t == Long || t == LongLong }
