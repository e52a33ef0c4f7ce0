package mpi

import (
	"fmt"
	"strings"

	"github.com/goacp/goacp/internal/ground/datatype"
)

// Type is the type of the elements that an accumulate works on.
type Type int

// The types. MPI 3.2.2.
const (
	Byte Type = iota // 8 bits without meaning: for Replace and the bitwise operations
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float32
	Float64
)

// kinds are the kinds of numbers that the types are.
var kinds = [...]datatype.Kind{
	Byte: datatype.Uint8,
	Int8: datatype.Int8, Int16: datatype.Int16, Int32: datatype.Int32, Int64: datatype.Int64,
	Uint8: datatype.Uint8, Uint16: datatype.Uint16, Uint32: datatype.Uint32, Uint64: datatype.Uint64,
	Float32: datatype.Float32, Float64: datatype.Float64,
}

func (t Type) valid() bool { return t >= Byte && int(t) < len(kinds) }

// Size returns the number of bytes of an element, 0 for an unknown type.
func (t Type) Size() int {
	if !t.valid() {
		return 0
	}
	return kinds[t].Size()
}

// String returns the name of the type.
func (t Type) String() string {
	switch {
	case !t.valid():
		return fmt.Sprintf("Type(%d)", int(t))
	case t == Byte:
		return "Byte"
	}
	name := kinds[t].String()
	return strings.ToUpper(name[:1]) + name[1:]
}

// Op is the operation of an accumulate on the target's element x and the origin's element y.
type Op int

// The operations. MPI 5.9.2 and 11.3.4.
const (
	Sum     Op = iota // x + y
	Product           // x * y
	Min               // the smaller of x and y
	Max               // the larger of x and y
	BitAnd            // x & y, not for floating point
	BitOr             // x | y, not for floating point
	BitXor            // x ^ y, not for floating point
	Replace           // y
	NoOp              // x, to read the element; not with Accumulate
)

var opNames = [...]string{"Sum", "Product", "Min", "Max", "BitAnd", "BitOr", "BitXor", "Replace", "NoOp"}

func (o Op) valid() bool { return o >= Sum && int(o) < len(opNames) }

// String returns the name of the operation.
func (o Op) String() string {
	if !o.valid() {
		return fmt.Sprintf("Op(%d)", int(o))
	}
	return opNames[o]
}
