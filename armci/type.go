package armci

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/datatype"
	"github.com/goacp/goacp/internal/system/armci/element"
)

// Number is the types that accumulate adds. An int is the 64-bit integer of ARMCI. Integers wrap.
type Number interface {
	~int32 | ~int64 | ~int | ~float32 | ~float64 | ~complex64 | ~complex128
}

// Integer is the types of atomics.
type Integer interface{ ~int32 | ~int64 | ~int }

// size returns the bytes of a T.
func size[T any]() int { return int(unsafe.Sizeof(*new(T))) }

// checkType returns ErrBadType if values of T are meaningless in other processes.
func checkType[T any]() error {
	if !datatype.Portable[T]() {
		return fmt.Errorf("%w: %v", ErrBadType, reflect.TypeFor[T]())
	}
	return nil
}

// elementType returns the type that ARMCI has for T.
func elementType[T Number]() element.Type { return element.TypeOf(datatype.Of[T]()) }

// scaleOf returns a factor as memory has it.
func scaleOf[T Number](x T) (s element.Scale) {
	copy(s[:], unsafe.Slice((*byte)(unsafe.Pointer(&x)), size[T]()))
	return s
}
