//go:build cgo && !mpi

package libacp

// #include "bind.h"
// #include "dmi_bind.h"
import "C"

import "unsafe"

// dmiHandles has the objects that the program keeps in memory of its own: its memory has their numbers.
type dmiHandles[T any] struct {
	objects numbered[C.uint64_t, T]
}

// enter makes memory that of an object.
func (h *dmiHandles[T]) enter(at unsafe.Pointer, x T) {
	*(*C.struct_goacp_dmi_number)(at) = C.struct_goacp_dmi_number{
		magic: C.GOACP_DMI_NUMBER_MAGIC, self: C.uint64_t(uintptr(at)), number: h.objects.add(x),
	}
}

// find returns the object in memory that the program passes as name. Fails with missing if there is none.
func (h *dmiHandles[T]) find(name string, at unsafe.Pointer, missing error) (x T, err error) {
	if err := needed(name, at); err != nil {
		return x, err
	}
	m := (*C.struct_goacp_dmi_number)(at)
	if m.magic != C.GOACP_DMI_NUMBER_MAGIC || uintptr(m.self) != uintptr(at) {
		return x, missing
	}
	return h.objects.existing(m.number, missing)
}

// drop is find for an object that ends.
func (h *dmiHandles[T]) drop(name string, at unsafe.Pointer, missing error) (T, error) {
	x, err := h.find(name, at, missing)
	if err != nil {
		return x, err
	}
	m := (*C.struct_goacp_dmi_number)(at)
	m.magic = 0
	h.objects.drop(m.number)
	return x, nil
}
