package netcdf

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Type is the type of the values of a variable, as the formats number it.
type Type int32

// The types. Classic files have the first six, those with 64-bit data all but String. Types above String are the
// user-defined types of netCDF-4.
const (
	Byte Type = 1 + iota
	Char
	Short
	Int
	Float
	Double
	UByte
	UShort
	UInt
	Int64
	UInt64
	String
)

var types = [...]struct {
	name string
	size int64
}{
	Byte: {"byte", 1}, Char: {"char", 1}, Short: {"short", 2}, Int: {"int", 4}, Float: {"float", 4}, Double: {"double", 8},
	UByte: {"ubyte", 1}, UShort: {"ushort", 2}, UInt: {"uint", 4}, Int64: {"int64", 8}, UInt64: {"uint64", 8}, String: {"string", 8},
}

// String returns the name of the type in CDL, the text form of netCDF.
func (t Type) String() string {
	if t < Byte || int(t) >= len(types) {
		return fmt.Sprintf("type %d", int32(t))
	}
	return types[t].name
}

// size returns the bytes of a value.
func (t Type) size() int64 {
	if t < Byte || int(t) >= len(types) {
		return 8 // a user-defined type, whose values are not read
	}
	return types[t].size
}

// Integer reports whether values are integers.
func (t Type) Integer() bool { return t == Byte || t == Short || t == Int || t >= UByte && t <= UInt64 }

// Number reports whether values are numbers.
func (t Type) Number() bool { return t.Integer() || t == Float || t == Double }

// integerIn returns the integer that begins b. One above the range of int64 is the greatest.
func (t Type) integerIn(b []byte) int64 {
	switch t {
	case Byte:
		return int64(int8(b[0]))
	case UByte:
		return int64(b[0])
	case Short:
		return int64(int16(binary.BigEndian.Uint16(b)))
	case UShort:
		return int64(binary.BigEndian.Uint16(b))
	case Int:
		return int64(int32(binary.BigEndian.Uint32(b)))
	case UInt:
		return int64(binary.BigEndian.Uint32(b))
	case UInt64:
		return int64(min(binary.BigEndian.Uint64(b), math.MaxInt64))
	}
	return int64(binary.BigEndian.Uint64(b))
}

// realIn returns the number that begins b.
func (t Type) realIn(b []byte) float64 {
	switch t {
	case Float:
		return float64(math.Float32frombits(binary.BigEndian.Uint32(b)))
	case Double:
		return math.Float64frombits(binary.BigEndian.Uint64(b))
	}
	return float64(t.integerIn(b))
}
