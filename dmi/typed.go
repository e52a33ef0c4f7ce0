package dmi

import (
	"fmt"
	"reflect"
	"unsafe"
)

// Load returns the T at an address. T has a fixed size and no pointers; all processes have the same. Fails as Node.Read does.
func Load[T any](n *Node, a Addr, m Mode) (T, error) {
	var v T
	if err := plain[T](); err != nil {
		return v, err
	}
	return v, n.Read(a, bytesOf(&v), m)
}

// Store stores v at an address. T is as that of Load. Fails as Node.Write does.
func Store[T any](n *Node, a Addr, v T, m Mode) error {
	if err := plain[T](); err != nil {
		return err
	}
	return n.Write(a, bytesOf(&v), m)
}

// ReadSlice fills s with the elements from an address on. T is as that of Load. Fails as Node.Read does.
func ReadSlice[T any](n *Node, a Addr, s []T, m Mode) error {
	if err := plain[T](); err != nil {
		return err
	}
	return n.Read(a, bytesOfSlice(s), m)
}

// WriteSlice stores the elements of s from an address on. T is as that of Load. Fails as Node.Write does.
func WriteSlice[T any](n *Node, a Addr, s []T, m Mode) error {
	if err := plain[T](); err != nil {
		return err
	}
	return n.Write(a, bytesOfSlice(s), m)
}

// Size returns the bytes of a T in global memory.
func Size[T any]() int64 { return int64(unsafe.Sizeof(*new(T))) }

func bytesOf[T any](v *T) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(v)), Size[T]()) }

func bytesOfSlice[T any](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), int64(len(s))*Size[T]())
}

// plain returns an error if a T has pointers, or another size on other processors.
func plain[T any]() error {
	if t := reflect.TypeFor[T](); !isPlain(t) {
		return fmt.Errorf("%v: values in global memory have a fixed size and no pointers", t)
	}
	return nil
}

func isPlain(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16, reflect.Uint32,
		reflect.Uint64, reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return true
	case reflect.Array:
		return isPlain(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !isPlain(t.Field(i).Type) {
				return false
			}
		}
		return true
	}
	return false
}
