package armci

import (
	"fmt"
	"reflect"
	"unsafe"

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

// checkType returns ErrBadType if values of T mean nothing to other processes.
func checkType[T any]() error {
	t := reflect.TypeFor[T]()
	if t.Size() == 0 || !pointerFree(t) {
		return fmt.Errorf("%w: %v", ErrBadType, t)
	}
	return nil
}

// pointerFree reports whether values of a type have no pointers.
func pointerFree(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return pointerFree(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !pointerFree(t.Field(i).Type) {
				return false
			}
		}
		return true
	}
	return t.Kind() >= reflect.Bool && t.Kind() <= reflect.Complex128
}

// elementType returns the type that ARMCI has for T.
func elementType[T Number]() element.Type {
	switch reflect.TypeFor[T]().Kind() {
	case reflect.Int32:
		return element.Int32
	case reflect.Float32:
		return element.Float32
	case reflect.Float64:
		return element.Float64
	case reflect.Complex64:
		return element.Complex64
	case reflect.Complex128:
		return element.Complex128
	}
	if size[T]() == 4 {
		return element.Int32
	}
	return element.Int64
}

// scaleOf returns a factor as memory has it.
func scaleOf[T Number](x T) (s element.Scale) {
	copy(s[:], unsafe.Slice((*byte)(unsafe.Pointer(&x)), size[T]()))
	return s
}
