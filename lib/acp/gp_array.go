//go:build cgo

package libacp

// #include "gp_bind.h"
// #include <stdlib.h>
import "C"

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/system/gp/array"
	"github.com/goacp/goacp/internal/system/gp/grid"
)

var errNull = errors.New("is NULL")

// needed fails if an argument leads to no memory: it is NULL, or in the first page.
func needed(name string, at unsafe.Pointer) error {
	if at == nil {
		return fmt.Errorf("%s %w", name, errNull)
	}
	if err := fabric.CheckAddress(uintptr(at)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// manyInts is for how many integers memory is taken before the first one is read: the array of the program
// may be shorter than it says.
const manyInts = 1 << 16

// ints returns n integers of a program, which calls them name. Fails for NULL.
func ints(name string, at *C.int, n int) ([]int, error) {
	if err := needed(name, unsafe.Pointer(at)); err != nil {
		return nil, err
	}
	all := make([]int, 0, min(n, manyInts))
	for _, x := range unsafe.Slice(at, n) {
		all = append(all, int(x))
	}
	return all, nil
}

// storeInts writes integers to an array of a program, which calls it name.
func storeInts(name string, at *C.int, all []int) error {
	if err := needed(name, unsafe.Pointer(at)); err != nil {
		return err
	}
	for i, x := range all {
		unsafe.Slice(at, len(all))[i] = C.int(x)
	}
	return nil
}

// goacp_gp_create_handle is GP_Create_handle.
//
//export goacp_gp_create_handle
func goacp_gp_create_handle() C.int {
	return onGP("GP_Create_handle", func(_ *acp.Process, s *array.System) (C.int, error) {
		a, err := s.NewHandle()
		if err != nil {
			return 0, err
		}
		return C.int(a.Number()), nil
	})
}

// goacp_gp_set_dimensions is GP_Set_dimensions.
//
//export goacp_gp_set_dimensions
func goacp_gp_set_dimensions(number, ndim C.int, dims *C.int) {
	doArray("GP_Set_dimensions", number, func(a *array.Array) error {
		if ndim < 1 || ndim > grid.MaxDims {
			return fmt.Errorf("%w: %d dimensions, expected 1 to %d", grid.ErrShape, ndim, grid.MaxDims)
		}
		all, err := ints("dims", dims, int(ndim))
		if err != nil {
			return err
		}
		for d, n := range all {
			if n < 1 {
				return fmt.Errorf("%w: dimension %d has %d places", grid.ErrShape, d, n)
			}
		}
		return lib.gp.shape(a, func(s *grid.Shape) error {
			*s = grid.Shape{Dims: all}
			return nil
		})
	})
}

var errNoDims = errors.New("GP_Set_dimensions has not been called")

// setShape is lib.gp.shape for an array whose dimensions have been set.
func setShape(a *array.Array, f func(s *grid.Shape) error) error {
	return lib.gp.shape(a, func(s *grid.Shape) error {
		if s.Dims == nil {
			return errNoDims
		}
		return f(s)
	})
}

// goacp_gp_set_chunk is GP_Set_chunk.
//
//export goacp_gp_set_chunk
func goacp_gp_set_chunk(number C.int, chunk *C.int) {
	doArray("GP_Set_chunk", number, func(a *array.Array) error {
		return setShape(a, func(s *grid.Shape) (err error) {
			s.Chunk, err = ints("chunk", chunk, len(s.Dims))
			return err
		})
	})
}

// goacp_gp_set_irreg_distr is GP_Set_irreg_distr.
//
//export goacp_gp_set_irreg_distr
func goacp_gp_set_irreg_distr(number C.int, mapc, nblock *C.int) {
	doArray("GP_Set_irreg_distr", number, func(a *array.Array) error {
		return setShape(a, func(s *grid.Shape) error {
			blocks, err := ints("nblock", nblock, len(s.Dims))
			if err != nil {
				return err
			}
			total := 0
			for d, n := range blocks {
				if n < 1 || n > s.Dims[d] {
					return fmt.Errorf("%w: %d blocks in dimension %d of %d places", grid.ErrShape, n, d, s.Dims[d])
				}
				total += n
			}
			all, err := ints("mapc", mapc, total)
			if err != nil {
				return err
			}
			s.Starts = nil
			for _, n := range blocks {
				s.Starts = append(s.Starts, all[:n:n])
				all = all[n:]
			}
			return nil
		})
	})
}

// goacp_gp_allocate is GP_Allocate.
//
//export goacp_gp_allocate
func goacp_gp_allocate(number C.int) C.int {
	return onArray("GP_Allocate", number, func(a *array.Array) (C.int, error) {
		var shape grid.Shape
		err := setShape(a, func(s *grid.Shape) error {
			shape = *s
			return nil
		})
		if err == nil {
			err = a.Allocate(shape)
		}
		switch {
		case errors.Is(err, acp.ErrHeapFull):
			return 0, nil
		case err != nil:
			return 0, err
		}
		lib.gp.drop(a)
		return 1, nil
	})
}

// goacp_gp_destroy is GP_Destroy.
//
//export goacp_gp_destroy
func goacp_gp_destroy(number C.int) {
	doArray("GP_Destroy", number, func(a *array.Array) error {
		lib.gp.drop(a)
		return a.Destroy()
	})
}

// goacp_gp_distribution is GP_Distribution.
//
//export goacp_gp_distribution
func goacp_gp_distribution(number, proc C.int, lo, hi *C.int) {
	doArray("GP_Distribution", number, func(a *array.Array) error {
		l, err := a.Layout()
		if err != nil {
			return err
		}
		if procs := lib.gp.of.Load().Procs(); proc < 0 || int(proc) >= procs {
			return fmt.Errorf("%w: rank %d of %d", acp.ErrBadRank, proc, procs)
		}
		s, ok := l.Block(int(proc))
		if !ok {
			for d := range s.Lo {
				s.Lo[d], s.Hi[d] = -1, -2
			}
		}
		return errors.Join(storeInts("lo", lo, s.Lo), storeInts("hi", hi, s.Hi))
	})
}

// goacp_gp_get_dimension is GP_Get_dimension.
//
//export goacp_gp_get_dimension
func goacp_gp_get_dimension(number C.int) C.int {
	return onArray("GP_Get_dimension", number, func(a *array.Array) (C.int, error) {
		if l, err := a.Layout(); err == nil {
			return C.int(len(l.Dims())), nil
		}
		n := -1
		err := lib.gp.shape(a, func(s *grid.Shape) error {
			if s.Dims != nil {
				n = len(s.Dims)
			}
			return nil
		})
		return C.int(n), err
	})
}

// goacp_gp_memzero is GP_Memzero.
//
//export goacp_gp_memzero
func goacp_gp_memzero(number C.int) {
	doArray("GP_Memzero", number, func(a *array.Array) error {
		return errors.Join(lib.gp.of.Load().Complete(acp.HandleAll), a.Zero())
	})
}

// goacp_gp_debug returns what GP_Debug prints, in memory of malloc, or NULL if this process prints
// nothing.
//
//export goacp_gp_debug
func goacp_gp_debug(number C.int) *C.char {
	return onArray("GP_Debug", number, func(a *array.Array) (*C.char, error) {
		l, err := a.Layout()
		if err != nil || lib.gp.of.Load().Rank() != 0 {
			return nil, err
		}
		all := grid.Section{Lo: make([]int, len(l.Dims()))}
		for _, n := range l.Dims() {
			all.Hi = append(all.Hi, n-1)
		}
		sel, err := a.Section(all)
		if err != nil {
			return nil, err
		}
		var text *C.char
		err = a.Sizes(sel, func(sizes array.Sizes) { text = C.CString(sizeTable(all, sizes)) })
		return text, err
	})
}

// sizeTable returns the sizes of all elements: one line for each index of the first of two
// dimensions, and such a table for each index of those before.
func sizeTable(all grid.Section, sizes array.Sizes) string {
	var b strings.Builder
	dims := len(all.Lo)
	row := all.Extent(dims - 1)
	rows := 1
	if dims > 1 {
		rows = all.Extent(dims - 2)
	}
	for i := range sizes {
		if dims > 2 && i%(row*rows) == 0 {
			fmt.Fprintf(&b, "%v:\n", all.Place(i)[:dims-2])
		}
		fmt.Fprintf(&b, "%12d", sizes.Of(i))
		if i%row == row-1 {
			b.WriteByte('\n')
		}
	}
	fmt.Fprintf(&b, "total %d bytes\n", sizes.Total())
	return b.String()
}
