// Package datatype has the kinds of numbers that programs exchange: their sizes and names, and which of them the types
// of Go have.
package datatype

import (
	"fmt"
	"reflect"
)

// Kind is a kind of number. Messages and acp_couple.h carry its value.
type Kind uint8

// The kinds.
const (
	Int8       Kind = 1
	Int16      Kind = 2
	Int32      Kind = 3
	Int64      Kind = 4
	Uint8      Kind = 5
	Uint16     Kind = 6
	Uint32     Kind = 7
	Uint64     Kind = 8
	Float32    Kind = 9
	Float64    Kind = 10
	Complex64  Kind = 11
	Complex128 Kind = 12
)

// Last is the kind with the greatest value.
const Last = Complex128

// types are the types of Go of the kinds.
var types = [Last + 1]reflect.Type{
	Int8: reflect.TypeFor[int8](), Int16: reflect.TypeFor[int16](), Int32: reflect.TypeFor[int32](), Int64: reflect.TypeFor[int64](),
	Uint8: reflect.TypeFor[uint8](), Uint16: reflect.TypeFor[uint16](), Uint32: reflect.TypeFor[uint32](), Uint64: reflect.TypeFor[uint64](),
	Float32: reflect.TypeFor[float32](), Float64: reflect.TypeFor[float64](),
	Complex64: reflect.TypeFor[complex64](), Complex128: reflect.TypeFor[complex128](),
}

// sizes has the bytes of a number of each kind, which paths of transfers ask for.
var sizes = func() (n [Last + 1]int) {
	for k, t := range types[1:] {
		n[k+1] = int(t.Size())
	}
	return n
}()

// Valid reports whether there is such a kind.
func (k Kind) Valid() bool { return k != 0 && k <= Last }

// String returns the name of the type in Go.
func (k Kind) String() string {
	if !k.Valid() {
		return fmt.Sprintf("kind %d", uint8(k))
	}
	return types[k].String()
}

// Size returns the bytes of a number. k is valid.
func (k Kind) Size() int { return sizes[k] }

// Complex reports whether a number has a real and an imaginary part.
func (k Kind) Complex() bool { return k == Complex64 || k == Complex128 }

// Of returns the kind of T, or 0 if it has none. An int or uint has the kind of integers of its size.
func Of[T any]() Kind {
	t := reflect.TypeFor[T]()
	kind := t.Kind()
	switch {
	case kind == reflect.Int && t.Size() == 4:
		kind = reflect.Int32
	case kind == reflect.Int:
		kind = reflect.Int64
	case kind == reflect.Uint && t.Size() == 4:
		kind = reflect.Uint32
	case kind == reflect.Uint:
		kind = reflect.Uint64
	}
	for k, of := range types[1:] {
		if of.Kind() == kind {
			return Kind(k + 1)
		}
	}
	return 0
}

// Portable reports whether values of T mean the same to other processes: T has bytes, and neither is nor contains a
// pointer.
func Portable[T any]() bool {
	t := reflect.TypeFor[T]()
	return t.Size() != 0 && pointerFree(t)
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
