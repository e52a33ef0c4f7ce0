package node

import (
	"encoding/binary"
	"fmt"
)

// changeKind is how a request changes the bytes of its range.
type changeKind uint8

const (
	store    changeKind = iota // bytes are stored
	modify                     // an operation of the library
	function                   // the function of the program
	nothing                    // the bytes stay

	lastChange = nothing
)

// change is a change of the bytes of a range.
type change struct {
	kind changeKind
	op   Builtin
	tag  int8
	in   []byte // the bytes to store, or the input of the operation
	out  []byte // of the operation
}

// apply changes b, the bytes of the range. It is not for the function of the program, which may take long.
func (c *change) apply(b []byte) {
	switch c.kind {
	case store:
		copy(b, c.in)
	case modify:
		builtins[c.op](b, c.in, c.out)
	}
}

// Builtin is the number of an operation of the library on bytes of a page. All processes of a run have the same operations.
type Builtin uint8

// The operations of this package. Others begin at FirstObject.
const (
	compareAndSwap Builtin = iota + 1 // in: the bytes to compare with, then the new ones; out: 1 if they are stored
	swap                              // in: the new bytes; out: the old ones
	fetchAdd                          // in: a number of 8 bytes; out: the old number

	FirstObject Builtin = 16
)

// Operation changes b, the bytes of a range of a page, atomically. It reads in and writes out, does not block, and keeps none of them. It checks
// the lengths of all three, which come from other processes.
type Operation func(b, in, out []byte)

var builtins = [256]Operation{
	compareAndSwap: func(b, in, out []byte) {
		if len(in) != 2*len(b) || len(out) != 1 {
			return
		}
		out[0] = 0
		if string(b) == string(in[:len(b)]) {
			copy(b, in[len(b):])
			out[0] = 1
		}
	},
	swap: func(b, in, out []byte) {
		if len(in) == len(b) && len(out) == len(b) {
			copy(out, b)
			copy(b, in)
		}
	},
	fetchAdd: func(b, in, out []byte) {
		if len(b) == 8 && len(in) == 8 && len(out) == 8 {
			copy(out, b)
			binary.LittleEndian.PutUint64(b, binary.LittleEndian.Uint64(b)+binary.LittleEndian.Uint64(in))
		}
	},
}

// Register adds an operation of the library. It panics if the number is in use. It is called by functions named init.
func Register(op Builtin, f Operation) {
	if op < FirstObject || builtins[op] != nil {
		panic(fmt.Sprintf("operation %d on pages is registered twice", op))
	}
	builtins[op] = f
}

// Function is the function of the program: it changes the bytes of a range with bytes that go in, and gives bytes back.
type Function func(page, in, out []byte, tag int8)
