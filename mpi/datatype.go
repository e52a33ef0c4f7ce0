package mpi

import "fmt"

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

var types = [...]struct {
	name string
	size int
}{
	Byte: {"Byte", 1},
	Int8: {"Int8", 1}, Int16: {"Int16", 2}, Int32: {"Int32", 4}, Int64: {"Int64", 8},
	Uint8: {"Uint8", 1}, Uint16: {"Uint16", 2}, Uint32: {"Uint32", 4}, Uint64: {"Uint64", 8},
	Float32: {"Float32", 4}, Float64: {"Float64", 8},
}

func (t Type) valid() bool { return t >= Byte && int(t) < len(types) }

// Size returns the number of bytes of an element, 0 for an unknown type.
func (t Type) Size() int {
	if !t.valid() {
		return 0
	}
	return types[t].size
}

// String returns the name of the type.
func (t Type) String() string {
	if !t.valid() {
		return fmt.Sprintf("Type(%d)", int(t))
	}
	return types[t].name
}

// Op is what an accumulate does with the target's element x and the origin's y.
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
	NoOp              // x, to get what is there; not with Accumulate
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
