package acp

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unsafe"
)

// ErrBadType: structures in global memory cannot hold values of this Go type.
var ErrBadType = errors.New("type cannot be stored in global memory")

// codec turns values of T into the bytes that a structure holds, and back.
//
// Values of fixed size are stored as they lie in memory, so that C programs find their
// structs. They must not contain pointers, which mean nothing to other ranks. A string
// or a slice of bytes is stored as its bytes.
type codec[T any] struct {
	size uint64 // bytes of every value; 0 if they differ
	kind codecKind
}

type codecKind uint8

const (
	codecFixed codecKind = iota
	codecString
	codecBytes
)

// codecOf returns the codec of T. Keys are compared by their bytes. So a key type has no padding, and no part
// whose equal values may differ in their bytes, such as a floating-point number. Fails with ErrBadType.
func codecOf[T any](asKey bool) (codec[T], error) {
	t := reflect.TypeFor[T]()
	switch {
	case t.Kind() == reflect.String:
		return codec[T]{kind: codecString}, nil
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return codec[T]{kind: codecBytes}, nil
	case t.Size() == 0:
		return codec[T]{}, fmt.Errorf("%w: %v has no bytes", ErrBadType, t)
	}
	if err := checkFixed(t, asKey); err != nil {
		return codec[T]{}, fmt.Errorf("%w: %v %w", ErrBadType, t, err)
	}
	return codec[T]{size: uint64(t.Size())}, nil
}

// codecFor is codecOf for a structure that p makes or uses.
func codecFor[T any](p *Process, asKey bool) (codec[T], error) {
	c, err := codecOf[T](asKey)
	return c, typeError[T](p, err)
}

// typeError is the error of a structure of T, or nil.
func typeError[T any](p *Process, err error) error {
	if err == nil {
		return nil
	}
	return p.lifeError(fmt.Sprintf("structure of %v", reflect.TypeFor[T]()), err)
}

// fixedCodecOf is codecOf for structures whose elements all have the same size.
func fixedCodecOf[T any]() (codec[T], error) {
	c, err := codecOf[T](false)
	if err == nil && c.kind != codecFixed {
		err = fmt.Errorf("%w: values of %v differ in size", ErrBadType, reflect.TypeFor[T]())
	}
	return c, err
}

// checkFixed returns an error if values of a type cannot be stored as they lie in memory.
func checkFixed(t reflect.Type, asKey bool) error {
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return nil
	case reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		if asKey {
			return errors.New("is no type of keys: equal numbers may differ in their bytes")
		}
		return nil
	case reflect.Array:
		return checkFixed(t.Elem(), asKey)
	case reflect.Struct:
		return checkFields(t, asKey)
	}
	return fmt.Errorf("is or contains a %s", strings.ToLower(t.Kind().String()))
}

func checkFields(t reflect.Type, asKey bool) error {
	end := uintptr(0)
	for i := range t.NumField() {
		f := t.Field(i)
		if err := checkFixed(f.Type, asKey); err != nil {
			return err
		}
		if asKey && f.Offset != end {
			return fmt.Errorf("is no type of keys: there is padding before its field %s", f.Name)
		}
		end = f.Offset + f.Type.Size()
	}
	if asKey && end != t.Size() {
		return errors.New("is no type of keys: there is padding at its end")
	}
	return nil
}

// bytes returns the bytes of *v without copying them.
func (c codec[T]) bytes(v *T) []byte {
	switch c.kind {
	case codecString:
		s := *(*string)(unsafe.Pointer(v))
		return unsafe.Slice(unsafe.StringData(s), len(s))
	case codecBytes:
		return *(*[]byte)(unsafe.Pointer(v))
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), c.size)
}

// value returns the value with the bytes b and keeps no reference to b. Fails if b does not have the size of
// a T.
func (c codec[T]) value(b []byte) (T, error) {
	var v T
	switch c.kind {
	case codecString:
		*(*string)(unsafe.Pointer(&v)) = string(b)
		return v, nil
	case codecBytes:
		*(*[]byte)(unsafe.Pointer(&v)) = append([]byte{}, b...)
		return v, nil
	}
	if uint64(len(b)) != c.size {
		return v, fmt.Errorf("acp: %d bytes where a %v has %d", len(b), reflect.TypeFor[T](), c.size)
	}
	copy(c.bytes(&v), b)
	return v, nil
}
