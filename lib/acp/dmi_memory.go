//go:build cgo && !mpi

package libacp

// #include "bind.h"
// #include "dmi_bind.h"
import "C"

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/system/dmi/node"
)

// errDMISize is why a size is refused.
var errDMISize = errors.New("negative size")

// dmiBytes returns the memory of the program at an address that it passes as name. Of 0 bytes there need not be any.
func dmiBytes(name string, at unsafe.Pointer, size C.int64_t) ([]byte, error) {
	switch {
	case size < 0:
		return nil, fmt.Errorf("%w: %d bytes", errDMISize, size)
	case size == 0:
		return nil, nil
	}
	if err := needed(name, at); err != nil {
		return nil, err
	}
	if err := fabric.CheckRange(uintptr(at), uint64(size)); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return unsafe.Slice((*byte)(at), size), nil
}

// mapDMI returns DMI_mmap or its like, which stores the address that f returns.
func mapDMI(to *C.int64_t, f func(r *dmiRun) (int64, error)) func(r *dmiRun) error {
	return func(r *dmiRun) error {
		if err := neededAddress(to); err != nil {
			return err
		}
		at, err := f(r)
		if err == nil {
			*to = C.int64_t(at)
		}
		return err
	}
}

// neededAddress returns an error if there is no place for the address of a space.
func neededAddress(to *C.int64_t) error {
	return needed("the place for the address", unsafe.Pointer(to))
}

// refuseDMI is a function whose arguments are wrong.
func refuseDMI(err error) C.int { return doDMI(func(*dmiRun) error { return err }) }

//export goacp_dmi_mmap
func goacp_dmi_mmap(to *C.int64_t, pageSize, pages C.int64_t, status unsafe.Pointer) C.int {
	return dmiCall{
		check: func(*dmiRun) error {
			if err := neededAddress(to); err != nil {
				return err
			}
			return node.CheckMap(int64(pageSize), int64(pages))
		},
		do: mapDMI(to, func(r *dmiRun) (int64, error) { return r.node.Map(int64(pageSize), int64(pages)) }),
	}.with(status)
}

//export goacp_dmi_munmap
func goacp_dmi_munmap(addr C.int64_t, status unsafe.Pointer) C.int {
	return dmiCall{
		check: func(r *dmiRun) error { return r.node.CheckUnmap(int64(addr)) },
		do:    func(r *dmiRun) error { return r.node.Unmap(int64(addr)) },
	}.with(status)
}

//export goacp_dmi_malloc
func goacp_dmi_malloc(to *C.int64_t, size, pageSize C.int64_t) C.int {
	return doDMI(mapDMI(to, func(r *dmiRun) (int64, error) { return r.node.Malloc(int64(size), int64(pageSize)) }))
}

//export goacp_dmi_realloc
func goacp_dmi_realloc(old C.int64_t, to *C.int64_t, size, pageSize C.int64_t) C.int {
	return doDMI(mapDMI(to, func(r *dmiRun) (int64, error) { return r.node.Realloc(int64(old), int64(size), int64(pageSize)) }))
}

//export goacp_dmi_free
func goacp_dmi_free(addr C.int64_t) C.int {
	return doDMI(func(r *dmiRun) error { return r.node.Free(int64(addr)) })
}

// find stores the page of an address that has been accessed in found, a struct goacp_dmi_found, if C can access it by itself from now on. It
// returns the error of the access.
func (r *dmiRun) find(addr int64, found unsafe.Pointer, err error) error {
	if err == nil && found != nil {
		r.node.Find(addr, (*node.FoundPage)(found))
	}
	return err
}

//export goacp_dmi_read
func goacp_dmi_read(addr, size C.int64_t, in unsafe.Pointer, mode C.int8_t, status, found unsafe.Pointer) C.int {
	b, err := dmiBytes("in_ptr", in, size)
	if err != nil {
		return refuseDMI(err)
	}
	if status == nil {
		return doDMI(func(r *dmiRun) error {
			return r.find(int64(addr), found, r.node.Read(int64(addr), b, node.Mode(mode)))
		})
	}
	return dmiCall{
		check: func(r *dmiRun) error { return r.node.CheckRead(int64(addr), int64(size), node.Mode(mode)) },
		start: func(r *dmiRun, f *node.Future) bool { return r.node.StartRead(f, int64(addr), b, node.Mode(mode)) },
		do:    func(r *dmiRun) error { return r.node.Read(int64(addr), b, node.Mode(mode)) },
	}.begin(status)
}

//export goacp_dmi_write
func goacp_dmi_write(addr, size C.int64_t, out unsafe.Pointer, mode C.int8_t, status, found unsafe.Pointer) C.int {
	b, err := dmiBytes("out_ptr", out, size)
	if err != nil {
		return refuseDMI(err)
	}
	if status == nil {
		return doDMI(func(r *dmiRun) error {
			return r.find(int64(addr), found, r.node.Write(int64(addr), b, node.Mode(mode)))
		})
	}
	return dmiCall{
		check: func(r *dmiRun) error { return r.node.CheckWrite(int64(addr), int64(size), node.Mode(mode)) },
		start: func(r *dmiRun, f *node.Future) bool { return r.node.StartWrite(f, int64(addr), b, node.Mode(mode)) },
		do:    func(r *dmiRun) error { return r.node.Write(int64(addr), b, node.Mode(mode)) },
	}.begin(status)
}

//export goacp_dmi_watch
func goacp_dmi_watch(addr, size C.int64_t, in, out unsafe.Pointer, status unsafe.Pointer) C.int {
	old, err := dmiBytes("in_ptr", in, size)
	var to []byte
	if err == nil {
		to, err = dmiBytes("out_ptr", out, size)
	}
	if err != nil {
		return refuseDMI(err)
	}
	return dmiCall{
		waits: true,
		check: func(r *dmiRun) error { return r.node.CheckWatch(int64(addr), int64(size)) },
		do:    func(r *dmiRun) error { return r.node.Watch(int64(addr), old, to) },
	}.with(status)
}

//export goacp_dmi_save
func goacp_dmi_save(addr, size C.int64_t) C.int {
	return doDMI(func(r *dmiRun) error { return r.node.Save(int64(addr), int64(size)) })
}

//export goacp_dmi_unsave
func goacp_dmi_unsave(addr, size C.int64_t) C.int {
	return doDMI(func(r *dmiRun) error { return r.node.Unsave(int64(addr), int64(size)) })
}

//export goacp_dmi_atomic
func goacp_dmi_atomic(addr, size C.int64_t, out unsafe.Pointer, outSize C.int64_t, in unsafe.Pointer, inSize C.int64_t, tag, mode C.int8_t, status unsafe.Pointer) C.int {
	to, err := dmiBytes("out_ptr", out, outSize)
	var from []byte
	if err == nil {
		from, err = dmiBytes("in_ptr", in, inSize)
	}
	if err == nil && size < 0 {
		err = fmt.Errorf("%w: %d bytes", errDMISize, size)
	}
	if err != nil {
		return refuseDMI(err)
	}
	return dmiCall{
		check: func(r *dmiRun) error { return r.node.CheckCall(int64(addr), int64(size), node.Mode(mode)) },
		do: func(r *dmiRun) error {
			return r.node.Call(int64(addr), int64(size), to, from, int8(tag), node.Mode(mode))
		},
	}.with(status)
}

//export goacp_dmi_cas
func goacp_dmi_cas(addr, size C.int64_t, compare, swap unsafe.Pointer, flag *C.int8_t, mode C.int8_t, status unsafe.Pointer) C.int {
	old, err := dmiBytes("cmp_ptr", compare, size)
	var value []byte
	if err == nil {
		value, err = dmiBytes("swap_ptr", swap, size)
	}
	if err == nil {
		err = needed("cas_flag_ptr", unsafe.Pointer(flag))
	}
	if err != nil {
		return refuseDMI(err)
	}
	return dmiCall{
		check: func(r *dmiRun) error { return r.node.CheckModify(int64(addr), int64(size), node.Mode(mode)) },
		do: func(r *dmiRun) error {
			swapped, err := r.node.CompareAndSwap(int64(addr), old, value, node.Mode(mode))
			if err == nil {
				*flag = C.int8_t(truth(swapped))
			}
			return err
		},
	}.with(status)
}

//export goacp_dmi_fas
func goacp_dmi_fas(addr, size C.int64_t, out, in unsafe.Pointer, mode C.int8_t, status unsafe.Pointer) C.int {
	value, err := dmiBytes("out_ptr", out, size)
	var old []byte
	if err == nil {
		old, err = dmiBytes("in_ptr", in, size)
	}
	if err != nil {
		return refuseDMI(err)
	}
	return dmiCall{
		check: func(r *dmiRun) error { return r.node.CheckModify(int64(addr), int64(size), node.Mode(mode)) },
		do:    func(r *dmiRun) error { return r.node.Swap(int64(addr), value, old, node.Mode(mode)) },
	}.with(status)
}

//export goacp_dmi_fad
func goacp_dmi_fad(addr, add C.int64_t, fetched *C.int64_t, mode C.int8_t, status, found unsafe.Pointer) C.int {
	if err := needed("fetch_value_ptr", unsafe.Pointer(fetched)); err != nil {
		return refuseDMI(err)
	}
	return dmiCall{
		check: func(r *dmiRun) error { return r.node.CheckModify(int64(addr), 8, node.Mode(mode)) },
		do: func(r *dmiRun) error {
			old, err := r.node.FetchAdd(int64(addr), int64(add), node.Mode(mode))
			if err == nil {
				*fetched = C.int64_t(old)
			}
			return r.find(int64(addr), found, err)
		},
	}.with(status)
}
