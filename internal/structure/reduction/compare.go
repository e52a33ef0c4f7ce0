package reduction

import (
	"cmp"
	"encoding/binary"
	"math"
)

// Compare compares two numbers of a type, as they lie in memory: it returns -1 if a is less than b, 0
// if they are equal, and 1 if a is greater. NaN is less than any other number. Pure.
func Compare(t Type, a, b [8]byte) int {
	word := func(k [8]byte) uint64 { return binary.NativeEndian.Uint64(k[:]) }
	half := func(k [8]byte) uint32 { return binary.NativeEndian.Uint32(k[:]) }
	switch t {
	case Int:
		return cmp.Compare(int32(half(a)), int32(half(b)))
	case Float:
		return cmp.Compare(math.Float32frombits(half(a)), math.Float32frombits(half(b)))
	case Double:
		return cmp.Compare(math.Float64frombits(word(a)), math.Float64frombits(word(b)))
	}
	return cmp.Compare(int64(word(a)), int64(word(b)))
}
