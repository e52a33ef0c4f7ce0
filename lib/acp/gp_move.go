//go:build cgo

package libacp

// #include "gp_bind.h"
import "C"

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/system/gp/array"
	"github.com/goacp/goacp/internal/system/gp/grid"
)

// gpMove is the places of a get, put, gather or scatter, and where the entries of the arrays of
// the program are that belong to them.
type gpMove struct {
	a   *array.Array
	one []int // the place if it is a section of one place; then sel has no places yet
	sel grid.Selection
	at  func(entry int) []int // the place of an entry

	pointer order // of buf_ptr
	length  order // of buf_size
}

// order says where the entry of a place is in an array of the program. If it is nil, the entries are
// one behind the other.
type order func(entry int) int

// of returns where an entry is.
func (o order) of(entry int) int {
	if o == nil {
		return entry
	}
	return o(entry)
}

// sectionOf returns the places from lo to hi.
func sectionOf(a *array.Array, lo, hi *C.int) (s grid.Section, err error) {
	l, err := a.Layout()
	if err != nil {
		return s, err
	}
	if s.Lo, err = ints("lo", lo, len(l.Dims())); err != nil {
		return s, err
	}
	s.Hi, err = ints("hi", hi, len(l.Dims()))
	return s, err
}

// section returns what a function with strides moves.
func section(a *array.Array, lo, hi, ld, ldSize *C.int) (*gpMove, error) {
	s, err := sectionOf(a, lo, hi)
	if err != nil {
		return nil, err
	}
	r := &gpMove{a: a, at: s.Place}
	if s.Single() {
		r.one, r.sel.N = s.Lo, 1
	} else if r.sel, err = a.Section(s); err != nil || r.sel.N == 0 {
		return r, err
	}
	if r.pointer, err = strides("ld", s, ld); err != nil {
		return nil, err
	}
	r.length, err = strides("ld_size", s, ldSize)
	return r, err
}

// strides returns where the entries of a section are in an array whose dimensions from the second
// on have the extents ld, which the program calls name.
func strides(name string, s grid.Section, ld *C.int) (order, error) {
	dims := len(s.Lo)
	if dims == 1 {
		return nil, nil
	}
	extents, err := ints(name, ld, dims-1)
	if err != nil {
		return nil, err
	}
	dense := true
	for d := 1; d < dims; d++ {
		if extents[d-1] < s.Extent(d) {
			return nil, fmt.Errorf("%s[%d] is %d, and the section has %d places along dimension %d", name, d-1, extents[d-1], s.Extent(d), d)
		}
		dense = dense && extents[d-1] == s.Extent(d)
	}
	if dense {
		return nil, nil
	}
	return func(entry int) int {
		at, step := 0, 1
		for d := dims - 1; d >= 0; d-- {
			n := s.Extent(d)
			at += entry % n * step
			entry /= n
			if d > 0 {
				step *= extents[d-1]
			}
		}
		return at
	}, nil
}

// list returns what a function with nv subscripts moves.
func list(a *array.Array, nv C.int, subscript *C.int) (*gpMove, error) {
	l, err := a.Layout()
	if err != nil {
		return nil, err
	}
	if nv < 0 {
		return nil, fmt.Errorf("nv is %d", nv)
	}
	dims := len(l.Dims())
	var all []int
	if nv > 0 {
		if all, err = ints("subscript", subscript, int(nv)*dims); err != nil {
			return nil, err
		}
	}
	at := func(i int) []int { return all[i*dims : (i+1)*dims : (i+1)*dims] }
	sel, err := a.List(int(nv), at)
	return &gpMove{a: a, sel: sel, at: at}, err
}

// setSize gives the program the number of bytes that have been moved.
func setSize(size *C.int, total uint64) error {
	if err := needed("size", unsafe.Pointer(size)); err != nil {
		return err
	}
	if total > math.MaxInt32 {
		return fmt.Errorf("%w: %d bytes together, which an int cannot hold", array.ErrSize, total)
	}
	*size = C.int(total)
	return nil
}

// sum gives the program the sum of the sizes of the elements.
func sum(a *array.Array, sel grid.Selection, size *C.int) error {
	var total uint64
	if err := a.Sizes(sel, func(sizes array.Sizes) { total = sizes.Total() }); err != nil {
		return err
	}
	return setSize(size, total)
}

// gpMemory are slices that no call uses. A call about many places has no time to allocate them.
var gpMemory = sync.Pool{New: func() any { return new([][]byte) }}

// withMemory calls f with a slice for each of n entries, all empty.
func withMemory(n int, f func(memory [][]byte) error) error {
	pooled := gpMemory.Get().(*[][]byte)
	*pooled = slices.Grow((*pooled)[:0], n)[:n]
	err := f(*pooled)
	clear(*pooled)
	gpMemory.Put(pooled)
	return err
}

// buffers calls f with the memory that the program has for each entry, and gives the program the
// bytes of all together.
func (r *gpMove) buffers(pointers *unsafe.Pointer, lengths, size *C.int, f func(memory [][]byte) error) error {
	if err := bothNeeded(pointers, lengths); err != nil {
		return err
	}
	return withMemory(r.sel.N, func(memory [][]byte) error {
		total := uint64(0)
		for e := range memory {
			n := *lengthAt(lengths, r.length.of(e))
			if n == 0 {
				continue
			}
			at := *pointerAt(pointers, r.pointer.of(e))
			switch {
			case n < 0:
				return &array.PlaceError{Place: r.at(e), Err: fmt.Errorf("buf_size is %d", n)}
			case at == nil:
				return &array.PlaceError{Place: r.at(e), Err: fmt.Errorf("buf_ptr %w, and buf_size is %d", errNull, n)}
			}
			if err := fabric.CheckAddress(uintptr(at)); err != nil {
				return &array.PlaceError{Place: r.at(e), Err: fmt.Errorf("buf_ptr: %w", err)}
			}
			memory[e] = unsafe.Slice((*byte)(at), n)
			total += uint64(n)
		}
		if err := setSize(size, total); err != nil {
			return err
		}
		return f(memory)
	})
}

// bothNeeded fails if one of the two arrays leads to no memory.
func bothNeeded(pointers *unsafe.Pointer, lengths *C.int) error {
	if err := needed("buf_ptr", unsafe.Pointer(pointers)); err != nil {
		return err
	}
	return needed("buf_size", unsafe.Pointer(lengths))
}

// pointerAt returns entry i of an array of pointers.
func pointerAt(pointers *unsafe.Pointer, i int) *unsafe.Pointer {
	return (*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(pointers), i*int(unsafe.Sizeof(*pointers))))
}

// addressAt is pointerAt for an entry that is written, as a number: what has been there is no pointer
// of Go, and may be anything.
func addressAt(pointers *unsafe.Pointer, i int) *uintptr {
	return (*uintptr)(unsafe.Pointer(pointerAt(pointers, i)))
}

// lengthAt returns entry i of an array of lengths.
func lengthAt(lengths *C.int, i int) *C.int {
	return (*C.int)(unsafe.Add(unsafe.Pointer(lengths), i*int(unsafe.Sizeof(*lengths))))
}

// get copies elements to buf, one behind the other, and tells the program where each is and how
// many bytes it has.
func (r *gpMove) get(buf unsafe.Pointer, pointers *unsafe.Pointer, lengths, size *C.int) error {
	if r.sel.N == 0 {
		return setSize(size, 0)
	}
	if err := bothNeeded(pointers, lengths); err != nil {
		return err
	}
	if r.one != nil {
		mem, ok, err := r.a.Near(r.one)
		if err != nil {
			return err
		}
		if ok {
			return r.getNear(mem, buf, pointers, lengths, size)
		}
		if r.sel, err = r.a.Section(grid.Section{Lo: r.one, Hi: r.one}); err != nil {
			return err
		}
	}
	return withMemory(r.sel.N, func(memory [][]byte) error {
		return r.a.Get(r.sel, func(sizes array.Sizes) ([][]byte, error) {
			if err := checkTotal(buf, sizes.Total(), size); err != nil {
				return nil, err
			}
			at, memory := buf, memory[:len(sizes)]
			for e := range sizes {
				n := sizes.Of(e)
				*addressAt(pointers, r.pointer.of(e)), *lengthAt(lengths, r.length.of(e)) = uintptr(at), C.int(n)
				memory[e] = unsafe.Slice((*byte)(at), n)
				at = unsafe.Add(at, n)
			}
			return memory, nil
		})
	})
}

// getNear is get for one place, whose element is mem.
func (r *gpMove) getNear(mem []byte, buf unsafe.Pointer, pointers *unsafe.Pointer, lengths, size *C.int) error {
	n := uint64(len(mem))
	if err := checkTotal(buf, n, size); err != nil {
		return err
	}
	*addressAt(pointers, 0), *lengthAt(lengths, 0) = uintptr(buf), C.int(n)
	copy(unsafe.Slice((*byte)(buf), n), mem)
	r.a.Copied(r.one, len(mem))
	return nil
}

// checkTotal gives the program the number of bytes that buf will have. Fails if buf is missing.
func checkTotal(buf unsafe.Pointer, total uint64, size *C.int) error {
	if err := setSize(size, total); err != nil {
		return err
	}
	if buf == nil && total > 0 {
		return fmt.Errorf("buf %w, and there are %d bytes", errNull, total)
	}
	if err := fabric.CheckAddress(uintptr(buf)); err != nil && total > 0 {
		return fmt.Errorf("buf: %w", err)
	}
	return nil
}

// getInto copies elements to where the program wants them.
func (r *gpMove) getInto(pointers *unsafe.Pointer, lengths, size *C.int) error {
	if r.sel.N == 0 {
		return setSize(size, 0)
	}
	return r.buffers(pointers, lengths, size, func(memory [][]byte) (err error) {
		if r.one != nil {
			err = r.a.GetOne(r.one, memory[0])
		} else {
			err = r.a.GetInto(r.sel, memory)
		}
		return array.At(err, r.at)
	})
}

// put copies bytes of the program to elements.
func (r *gpMove) put(pointers *unsafe.Pointer, lengths, size *C.int, exact bool) error {
	if r.sel.N == 0 {
		return setSize(size, 0)
	}
	return r.buffers(pointers, lengths, size, func(memory [][]byte) (err error) {
		if r.one != nil {
			err = r.a.PutOne(r.one, memory[0], exact)
		} else {
			err = r.a.Put(r.sel, memory, exact)
		}
		return array.At(err, r.at)
	})
}

// goacp_gp_get_size is GP_Get_size.
//
//export goacp_gp_get_size
func goacp_gp_get_size(number C.int, lo, hi, size *C.int) {
	doArray("GP_Get_size", number, func(a *array.Array) error {
		s, err := sectionOf(a, lo, hi)
		if err != nil {
			return err
		}
		sel, err := a.Section(s)
		if err != nil {
			return err
		}
		return sum(a, sel, size)
	})
}

// goacp_gp_get is GP_Get.
//
//export goacp_gp_get
func goacp_gp_get(number C.int, lo, hi *C.int, buf unsafe.Pointer, bufPtr *unsafe.Pointer, ld, bufSize, ldSize, size *C.int, setbuf C.int) {
	doArray("GP_Get", number, func(a *array.Array) error {
		r, err := section(a, lo, hi, ld, ldSize)
		switch {
		case err != nil:
			return err
		case setbuf != 0:
			return r.getInto(bufPtr, bufSize, size)
		}
		return r.get(buf, bufPtr, bufSize, size)
	})
}

// goacp_gp_put is GP_Put.
//
//export goacp_gp_put
func goacp_gp_put(number C.int, lo, hi *C.int, bufPtr *unsafe.Pointer, ld, bufSize, ldSize, size *C.int, checksize C.int) {
	doArray("GP_Put", number, func(a *array.Array) error {
		r, err := section(a, lo, hi, ld, ldSize)
		if err != nil {
			return err
		}
		return r.put(bufPtr, bufSize, size, checksize != 0)
	})
}

// goacp_gp_gather_size is GP_Gather_size.
//
//export goacp_gp_gather_size
func goacp_gp_gather_size(number, nv C.int, subscript, size *C.int) {
	doArray("GP_Gather_size", number, func(a *array.Array) error {
		r, err := list(a, nv, subscript)
		if err != nil {
			return err
		}
		return sum(a, r.sel, size)
	})
}

// goacp_gp_gather is GP_Gather.
//
//export goacp_gp_gather
func goacp_gp_gather(number, nv C.int, subscript *C.int, buf unsafe.Pointer, bufPtr *unsafe.Pointer, bufSize, size *C.int, setbuf C.int) {
	doArray("GP_Gather", number, func(a *array.Array) error {
		r, err := list(a, nv, subscript)
		switch {
		case err != nil:
			return err
		case setbuf != 0:
			return r.getInto(bufPtr, bufSize, size)
		}
		return r.get(buf, bufPtr, bufSize, size)
	})
}

// goacp_gp_scatter is GP_Scatter.
//
//export goacp_gp_scatter
func goacp_gp_scatter(number, nv C.int, subscript *C.int, bufPtr *unsafe.Pointer, bufSize, size *C.int, checksize C.int) {
	doArray("GP_Scatter", number, func(a *array.Array) error {
		r, err := list(a, nv, subscript)
		if err != nil {
			return err
		}
		return r.put(bufPtr, bufSize, size, checksize != 0)
	})
}
