//go:build cgo

package libacp

// #include "../fortran/goacp_array.h"
import "C"

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/system/couple/element"
	"github.com/goacp/goacp/internal/system/couple/link"
	"github.com/goacp/goacp/internal/system/couple/points"
)

// fieldData is the memory that a program gives to a field: an address, or an array that a Fortran module describes.
type fieldData struct {
	at        unsafe.Pointer
	described *C.struct_goacp_array // nil: at counts
}

// find returns where a field has the values of n points, and their places if that is a section of an array.
func (d fieldData) find(e element.Type, n int64) (base unsafe.Pointer, section *points.Section, err error) {
	base = d.at
	if d.described != nil {
		if base, section, err = arrayAtC(d.described).memory(e, n); err != nil {
			return nil, nil, err
		}
	}
	size := uint64(n) * uint64(e.Size())
	if addr := uintptr(base); fabric.Nowhere(addr) {
		return nil, nil, notInMemory(addr, size) // no frame has base as a pointer from here on
	}
	if size > 0 && base == nil {
		return nil, nil, fmt.Errorf("%w: data is NULL, for %d bytes", acp.ErrBadAddress, size)
	}
	return base, section, nil
}

// notInMemory returns the error for size bytes at an address where no process has memory.
func notInMemory(addr uintptr, size uint64) error {
	return fmt.Errorf("%w: data of %d bytes: %w", acp.ErrBadAddress, size, fabric.CheckAddress(addr))
}

// use lets the field have its values in other memory. An address is that of the first value.
func (f *coupledField) use(d fieldData) error {
	base, section, err := d.find(f.core.Element(), f.memory)
	switch {
	case err != nil:
		return err
	case d.described == nil && f.section != nil && base != nil:
		base = unsafe.Add(base, -f.section.First()*int64(f.core.Element().Size()))
	case d.described != nil && f.memory > 0 && !reflect.DeepEqual(section, f.section):
		return fmt.Errorf("%w: %v: %s, declared %s: give an array with the strides of the one with which the field was declared",
			errStride, arrayAtC(d.described), distances(section), distances(f.section))
	}
	f.core.Use(link.Data{Base: base})
	return nil
}

// distances describes where the points of an array lie.
func distances(s *points.Section) string {
	if s == nil {
		return "contiguous"
	}
	return fmt.Sprintf("%v points with strides of %v points", s.Extents, s.Strides)
}
