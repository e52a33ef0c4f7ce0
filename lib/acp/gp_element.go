//go:build cgo

package libacp

// #include "gp_bind.h"
import "C"

import (
	"errors"
	"fmt"
	"math"
	"os"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/system/gp/array"
)

// goacp_gp_malloc is GP_Malloc.
//
//export goacp_gp_malloc
func goacp_gp_malloc(size C.size_t) unsafe.Pointer {
	return onGP("GP_Malloc", func(p *acp.Process, s *array.System) (unsafe.Pointer, error) {
		e, err := s.Alloc(uint64(size))
		if errors.Is(err, acp.ErrHeapFull) {
			reportHeapFull(p, uint64(size), err)
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		return e.Address(), nil
	})
}

// reportHeapFull writes why there is no memory for an element, unless the option on-error is return.
func reportHeapFull(p *acp.Process, size uint64, why error) {
	if lib.onError != acp.ReturnErrors {
		fmt.Fprintf(os.Stderr, "gp: GP_Malloc on rank %d: no room for %d bytes: %v\n", p.Rank(), size, why)
	}
}

// goacp_gp_free is GP_Free.
//
//export goacp_gp_free
func goacp_gp_free(ptr unsafe.Pointer) {
	doGP("GP_Free", func(_ *acp.Process, s *array.System) error {
		if ptr == nil {
			return nil
		}
		e, err := s.Element(ptr)
		if err != nil {
			return err
		}
		return e.Free()
	})
}

// placeOf returns the subscript of a place of an array.
func placeOf(a *array.Array, subscript *C.int) ([]int, error) {
	l, err := a.Layout()
	if err != nil {
		return nil, err
	}
	return ints("subscript", subscript, len(l.Dims()))
}

// goacp_gp_assign_local_element is GP_Assign_local_element.
//
//export goacp_gp_assign_local_element
func goacp_gp_assign_local_element(number C.int, subscript *C.int, ptr unsafe.Pointer, size C.int) {
	onGP("GP_Assign_local_element", func(_ *acp.Process, s *array.System) (struct{}, error) {
		a := s.Find(int(number))
		if a == nil {
			return struct{}{}, &gpError{int(number), errNoArray}
		}
		if err := assign(s, a, subscript, ptr, size); err != nil {
			return struct{}{}, &gpError{int(number), err}
		}
		return struct{}{}, nil
	})
}

func assign(s *array.System, a *array.Array, subscript *C.int, ptr unsafe.Pointer, size C.int) error {
	at, err := placeOf(a, subscript)
	if err != nil {
		return err
	}
	e, err := s.Element(ptr)
	if err != nil {
		return err
	}
	if size < 0 {
		return fmt.Errorf("%w: %d bytes", array.ErrSize, size)
	}
	return a.Assign(e, uint64(size), at)
}

// goacp_gp_free_local_element is GP_Free_local_element.
//
//export goacp_gp_free_local_element
func goacp_gp_free_local_element(number C.int, subscript *C.int) unsafe.Pointer {
	return onArray("GP_Free_local_element", number, func(a *array.Array) (unsafe.Pointer, error) {
		at, err := placeOf(a, subscript)
		if err != nil {
			return nil, err
		}
		e, _, err := a.Detach(at)
		if err != nil || e == nil {
			return nil, err
		}
		return e.Address(), nil
	})
}

// goacp_gp_access_element is GP_Access_element.
//
//export goacp_gp_access_element
func goacp_gp_access_element(number C.int, subscript *C.int, ptr unsafe.Pointer, size *C.int) {
	doArray("GP_Access_element", number, func(a *array.Array) error {
		at, err := placeOf(a, subscript)
		if err != nil {
			return err
		}
		if err := needed("ptr", ptr); err != nil {
			return err
		}
		if err := needed("size", unsafe.Pointer(size)); err != nil {
			return err
		}
		e, n, err := a.Element(at)
		if err != nil {
			return err
		}
		if n > math.MaxInt32 {
			return fmt.Errorf("%w: an element of %d bytes, which an int cannot hold", array.ErrSize, n)
		}
		var address unsafe.Pointer
		if e != nil {
			address = e.Address()
		}
		// The program may have put its pointer variable anywhere.
		copy(unsafe.Slice((*byte)(ptr), unsafe.Sizeof(address)), unsafe.Slice((*byte)(unsafe.Pointer(&address)), unsafe.Sizeof(address)))
		*size = C.int(n)
		return nil
	})
}

// release ends an access to an element. Stores of this process are visible to others when they are
// done: the copies of a get that begins afterwards see them.
func release(function string, number C.int, subscript *C.int) {
	doArray(function, number, func(a *array.Array) error {
		at, err := placeOf(a, subscript)
		if err != nil {
			return err
		}
		_, _, err = a.Element(at)
		return err
	})
}

// goacp_gp_release_element is GP_Release_element.
//
//export goacp_gp_release_element
func goacp_gp_release_element(number C.int, subscript *C.int) {
	release("GP_Release_element", number, subscript)
}

// goacp_gp_release_update_element is GP_Release_update_element.
//
//export goacp_gp_release_update_element
func goacp_gp_release_update_element(number C.int, subscript *C.int) {
	release("GP_Release_update_element", number, subscript)
}
