package gp

import (
	"fmt"
	"iter"
	"reflect"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/datatype"
	"github.com/goacp/goacp/internal/system/gp/array"
	"github.com/goacp/goacp/internal/system/gp/grid"
)

// Typed is an array whose elements are slices of T, stored in their memory layout, so that programs
// in C can use them as arrays of structs. Its methods are those of Array with slices of T instead
// of bytes.
type Typed[T any] struct{ a *Array }

// Of returns an array as an array of slices of T. Fails with ErrBadType if T has no bytes, or if it
// is or contains a pointer, which is meaningless on other ranks. Local. Does not block.
func Of[T any](a *Array) (*Typed[T], error) {
	if !datatype.Portable[T]() {
		return nil, a.failed("of", fmt.Errorf("%w: %v", ErrBadType, reflect.TypeFor[T]()))
	}
	return &Typed[T]{a}, nil
}

// Array returns the array of bytes. Pure.
func (t *Typed[T]) Array() *Array { return t.a }

// size is the bytes of a T.
func (t *Typed[T]) size() int { return int(unsafe.Sizeof(*new(T))) }

// bytesOf returns the memory of values.
func bytesOf[T any](values []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(*new(T))))
}

// New returns a new element with a copy of values. Fails as Alloc. Local. Does not block.
func (t *Typed[T]) New(values []T) (*Element, error) {
	e, err := Alloc(t.a.p, len(values)*t.size())
	if err != nil {
		return nil, err
	}
	copy(e.Bytes(), bytesOf(values))
	return e, nil
}

// Values returns the memory of an element as a slice. It lacks bytes at the end that are not enough
// for a T. Local. Does not block.
func (t *Typed[T]) Values(e *Element) []T { return t.values(e.Bytes()) }

// values returns memory that is aligned to 16 bytes as a slice.
func (t *Typed[T]) values(mem []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(mem))), len(mem)/t.size())
}

// Local goes through the assigned places of this process as Array.Local. Local. Does not block.
func (t *Typed[T]) Local() iter.Seq2[[]int, []T] {
	return func(yield func([]int, []T) bool) {
		for place, mem := range t.a.Local() {
			if !yield(place, t.values(mem)) {
				return
			}
		}
	}
}

// Get returns a copy of the elements of a section, in C order. Elements of places without one are
// empty. Fails as Array.Get does, and with ErrSize if the size of an element is not a multiple of
// the size of T. Any rank. Blocks as Array.Get does.
func (t *Typed[T]) Get(s Section) ([][]T, error) {
	sel, err := t.a.section(s)
	if err != nil {
		return nil, t.a.failed("get", err)
	}
	values, err := t.get(sel)
	return values, t.a.failed("get", array.At(err, grid.Section(s).Place))
}

// Gather is Get for a list of places. Any rank. Blocks as Array.Get does.
func (t *Typed[T]) Gather(places [][]int) ([][]T, error) {
	sel, err := t.a.list(places)
	if err != nil {
		return nil, t.a.failed("gather", err)
	}
	values, err := t.get(sel)
	return values, t.a.failed("gather", array.At(err, entryOf(places)))
}

// get gets elements to one block of values.
func (t *Typed[T]) get(sel grid.Selection) ([][]T, error) {
	return detached(t.a, func() (values [][]T, err error) {
		err = t.a.a.Get(sel, func(sizes array.Sizes) (dst [][]byte, err error) {
			values, dst, err = t.buffers(sizes)
			return dst, err
		})
		return values, err
	})
}

// buffers allocates memory for elements of these sizes, and returns it as values and as bytes.
func (t *Typed[T]) buffers(sizes array.Sizes) (values [][]T, dst [][]byte, err error) {
	size, total := uint64(t.size()), uint64(0)
	for e := range sizes {
		n := sizes.Of(e)
		if n%size != 0 {
			err := fmt.Errorf("%w: %d bytes where a %v has %d", ErrSize, n, reflect.TypeFor[T](), size)
			return nil, nil, &array.PlaceError{Entry: e, Owner: -1, Want: size, Have: n, Err: err}
		}
		total += n / size
	}
	all := make([]T, total)
	values, dst = make([][]T, len(sizes)), make([][]byte, len(sizes))
	for e := range sizes {
		n := sizes.Of(e) / size
		values[e], all = all[:n:n], all[n:]
		dst[e] = bytesOf(values[e])
	}
	return values, dst, nil
}

// Put copies values to the beginning of elements as Array.Put. Any rank. Blocks as Array.Get does.
func (t *Typed[T]) Put(s Section, src [][]T) error { return t.a.Put(s, memoryOf(src)) }

// Scatter is Put for a list of places. Any rank. Blocks as Array.Get does.
func (t *Typed[T]) Scatter(places [][]int, src [][]T) error {
	return t.a.Scatter(places, memoryOf(src))
}

// memoryOf returns the memory of slices.
func memoryOf[T any](slices [][]T) [][]byte {
	memory := make([][]byte, len(slices))
	for i, s := range slices {
		memory[i] = bytesOf(s)
	}
	return memory
}
