package datatype

import (
	"testing"
	"unsafe"
)

// myFloat has the kind of float64.
type myFloat float64

// TestKinds pins the values of the kinds, which messages and C have, with their names and sizes.
func TestKinds(t *testing.T) {
	for value, want := range []struct {
		name string
		size int
	}{
		1: {"int8", 1}, 2: {"int16", 2}, 3: {"int32", 4}, 4: {"int64", 8},
		5: {"uint8", 1}, 6: {"uint16", 2}, 7: {"uint32", 4}, 8: {"uint64", 8},
		9: {"float32", 4}, 10: {"float64", 8}, 11: {"complex64", 8}, 12: {"complex128", 16},
	} {
		k := Kind(value)
		if value == 0 {
			continue
		}
		if !k.Valid() || k.String() != want.name || k.Size() != want.size || k.Complex() != (value > 10) {
			t.Errorf("kind %d is %v with %d bytes, complex: %t", value, k, k.Size(), k.Complex())
		}
	}
	for _, k := range []Kind{0, Last + 1, 255} {
		if k.Valid() {
			t.Errorf("%v is valid", k)
		}
	}
}

// TestOf: types of Go have the kinds of their underlying types, and other types none.
func TestOf(t *testing.T) {
	ofInt, ofUint := Int64, Uint64
	if unsafe.Sizeof(0) == 4 {
		ofInt, ofUint = Int32, Uint32
	}
	for _, c := range []struct{ got, want Kind }{
		{Of[int8](), Int8}, {Of[int16](), Int16}, {Of[int32](), Int32}, {Of[int64](), Int64}, {Of[int](), ofInt},
		{Of[byte](), Uint8}, {Of[uint16](), Uint16}, {Of[uint32](), Uint32}, {Of[uint64](), Uint64}, {Of[uint](), ofUint},
		{Of[float32](), Float32}, {Of[myFloat](), Float64}, {Of[complex64](), Complex64}, {Of[complex128](), Complex128},
		{Of[bool](), 0}, {Of[uintptr](), 0}, {Of[string](), 0}, {Of[[2]int32](), 0},
	} {
		if c.got != c.want {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
}

// TestPortable: types with pointers and types without bytes are not portable.
func TestPortable(t *testing.T) {
	type point struct {
		X [2]float64
		N int
	}
	type named struct {
		Point point
		Name  string
	}
	if !Portable[int8]() || !Portable[bool]() || !Portable[[3]complex128]() || !Portable[point]() {
		t.Error("a type without pointers is not portable")
	}
	if Portable[*int]() || Portable[string]() || Portable[[]int]() || Portable[named]() || Portable[[1]any]() || Portable[struct{}]() {
		t.Error("a type with pointers or without bytes is portable")
	}
}
