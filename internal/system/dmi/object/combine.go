package object

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Operations and types of AllReduce, with the values of the interface for programs. A char has a sign.
const (
	OpMax  int8 = 1
	OpMin  int8 = 2
	OpSum  int8 = 3
	OpProd int8 = 4

	TypeChar     int8 = 1
	TypeShort    int8 = 2
	TypeInt      int8 = 3
	TypeLong     int8 = 4
	TypeLongLong int8 = 5
	TypeFloat    int8 = 6
	TypeDouble   int8 = 7
)

// ValueSize returns the bytes of a value of a type, or 0 if there is no such type.
func ValueSize(kind int8) int {
	switch kind {
	case TypeChar:
		return 1
	case TypeShort:
		return 2
	case TypeInt, TypeFloat:
		return 4
	case TypeLong, TypeLongLong, TypeDouble:
		return 8
	}
	return 0
}

// checkReduction fails if there is no such operation or type.
func checkReduction(op, kind int8) error {
	if op < OpMax || op > OpProd {
		return fmt.Errorf("%w: operation %d; expected %d to %d", ErrArgument, op, OpMax, OpProd)
	}
	if ValueSize(kind) == 0 {
		return fmt.Errorf("%w: type %d; expected %d to %d", ErrArgument, kind, TypeChar, TypeDouble)
	}
	return nil
}

// value is a value of any type, in its first bytes.
type value [8]byte

// combine returns what an operation makes of two values of a type. Integers wrap around. Sums of floats are floats.
func combine(op, kind int8, a, b value) (c value) {
	e := binary.NativeEndian
	switch kind {
	case TypeChar:
		c[0] = byte(reduce(op, int8(a[0]), int8(b[0])))
	case TypeShort:
		e.PutUint16(c[:], uint16(reduce(op, int16(e.Uint16(a[:])), int16(e.Uint16(b[:])))))
	case TypeInt:
		e.PutUint32(c[:], uint32(reduce(op, int32(e.Uint32(a[:])), int32(e.Uint32(b[:])))))
	case TypeLong, TypeLongLong:
		e.PutUint64(c[:], uint64(reduce(op, int64(e.Uint64(a[:])), int64(e.Uint64(b[:])))))
	case TypeFloat:
		e.PutUint32(c[:], math.Float32bits(reduce(op, math.Float32frombits(e.Uint32(a[:])), math.Float32frombits(e.Uint32(b[:])))))
	case TypeDouble:
		e.PutUint64(c[:], math.Float64bits(reduce(op, math.Float64frombits(e.Uint64(a[:])), math.Float64frombits(e.Uint64(b[:])))))
	}
	return c
}

// reduce returns what an operation makes of two numbers.
func reduce[T int8 | int16 | int32 | int64 | float32 | float64](op int8, a, b T) T {
	switch op {
	case OpMax:
		return max(a, b)
	case OpMin:
		return min(a, b)
	case OpProd:
		return a * b
	}
	return a + b
}
