//go:build cgo

package libacp

// #include "bind.h"
// #include <stdlib.h>
// void goacp_set_couple_message(const char *text);
import "C"

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/system/couple/link"
	"github.com/goacp/goacp/weights"
)

// coupling is what a C program has of coupling.
type coupling struct {
	models numbered[C.uintptr_t, *link.Model]
	fields numbered[C.uintptr_t, *coupledField]
	links  numbered[C.uintptr_t, *coupledLink]
	near   nearLinks // of these

	described numbered[C.uintptr_t, *coupledLinks]
	implicits numbered[C.uintptr_t, *link.Implicit]
	grids     numbered[C.uintptr_t, *weights.Grid]
	weights   numbered[C.uintptr_t, *weights.Matrix]
}

// forget drops what does not outlive a process or its reset.
func (c *coupling) forget() {
	c.models.clear()
	c.fields.clear()
	c.near.unshareAll()
	c.links.clear()
	c.described.clear()
	c.implicits.clear()
	c.grids.clear()
	c.weights.clear()
}

// errNothing: a handle of nothing.
var errNothing = errors.New("there is none with this handle, or not any more")

// coupled returns the result of f, or otherwise if f fails. The program gets the error as a text, too. That
// the other side has ended is no failure for ACP_ON_ERROR.
func coupled[T any](otherwise T, f func(p *acp.Process) (T, error)) T {
	if lib.process.Load() == nil {
		tellCoupled(acp.ErrFinalized)
	}
	return call(otherwise, func(p *acp.Process) (T, error) {
		v, err := f(p)
		if err == nil {
			return v, nil
		}
		tellCoupled(err)
		if errors.Is(err, link.ErrEnded) {
			fail(err)
			return otherwise, nil
		}
		return v, err
	})
}

// tellCoupled makes an error the text of acp_couple_message.
func tellCoupled(err error) {
	text := C.CString(err.Error())
	defer C.free(unsafe.Pointer(text))
	C.goacp_set_couple_message(text)
}

// doCoupled is coupled for functions that return 0 or -1.
func doCoupled(f func(p *acp.Process) error) C.int {
	return coupled(-1, func(p *acp.Process) (C.int, error) { return 0, f(p) })
}

// find returns what has a number. what names it in errors.
func find[T any](of *numbered[C.uintptr_t, T], what string, number C.uintptr_t) (T, error) {
	x, err := of.existing(number, errNothing)
	if err != nil {
		err = fmt.Errorf("%s %#x: %w", what, uintptr(number), err)
	}
	return x, err
}

// freed frees the handle of something.
func freed[T any](of *numbered[C.uintptr_t, T], what string, number C.uintptr_t) C.int {
	return doCoupled(func(*acp.Process) error {
		_, err := find(of, what, number)
		of.drop(number)
		return err
	})
}

// text returns a string of the program, which calls it name.
func text(name string, at *C.char) (string, error) {
	if at == nil {
		return "", fmt.Errorf("%w: %s is NULL", acp.ErrBadAddress, name)
	}
	return C.GoString(at), nil
}

// arrayAt returns n things of the program, which calls them name.
func arrayAt[T any](name string, at *T, n int64) ([]T, error) {
	switch {
	case n < 0:
		return nil, fmt.Errorf("%w: %d %s", link.ErrSize, n, name)
	case n == 0:
		return nil, nil
	case at == nil:
		return nil, fmt.Errorf("%w: %s is NULL", acp.ErrBadAddress, name)
	case n > mostInArray:
		return nil, fmt.Errorf("%w: %d %s", link.ErrSize, n, name)
	}
	return unsafe.Slice(at, n), nil
}

// mostInArray bounds the things in an array of the program: no address space has room for more.
const mostInArray = 1 << 44

// integers is arrayAt for numbers of Go.
func integers(name string, at *C.int, n C.int) ([]int, error) {
	all, err := arrayAt(name, at, int64(n))
	numbers := make([]int, len(all))
	for i, x := range all {
		numbers[i] = int(x)
	}
	return numbers, err
}

// ranksAt returns the ranks of a model.
func ranksAt(p *acp.Process, at *C.int, count C.int) ([]int, error) {
	if int(count) > p.Procs() {
		return nil, fmt.Errorf("%w: it has %d ranks, of %d ranks", link.ErrModel, count, p.Procs())
	}
	return integers("ranks", at, count)
}

//export goacp_create_model
func goacp_create_model(name *C.char, ranks *C.int, count C.int) C.uintptr_t {
	return coupled(0, func(p *acp.Process) (C.uintptr_t, error) {
		s := link.Of(p)
		called, numbers := s.JobName(), s.Ranks()
		if name != nil {
			called = C.GoString(name)
		}
		if ranks != nil {
			var err error
			if numbers, err = ranksAt(p, ranks, count); err != nil {
				return 0, err
			}
		}
		m, err := s.NewModel(called, numbers)
		if err != nil {
			return 0, err
		}
		return lib.coupling.models.add(m), nil
	})
}

//export goacp_seal_model
func goacp_seal_model(number C.uintptr_t) C.int {
	return doCoupled(func(*acp.Process) error {
		m, err := find(&lib.coupling.models, "model", number)
		if err == nil {
			m.Seal()
		}
		return err
	})
}

//export goacp_free_model
func goacp_free_model(number C.uintptr_t) C.int {
	return freed(&lib.coupling.models, "model", number)
}
