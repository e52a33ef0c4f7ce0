//go:build mpi

package mpi

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"maps"
	"slices"
	"unsafe"
)

// Info is a set of hints to MPI, each a key and a value. Copies of the value are
// the same set. The zero value is MPI_INFO_NULL, which has no hints. Every function
// with an Info accepts it; its own methods return [ErrInfo].
type Info struct {
	handle C.MPI_Info
	made   bool
}

// NewInfo returns a set with the given hints, which may be nil. Free it. Local.
// Does not block. MPI 9.
func NewInfo(hints map[string]string) (Info, error) {
	const op = "MPI_Info_create"
	if err := running(op); err != nil {
		return Info{}, err
	}
	i := Info{made: true}
	if err := check(op, C.goacp_mpi_info_create(&i.handle)); err != nil {
		return Info{}, err
	}
	for _, key := range slices.Sorted(maps.Keys(hints)) {
		if err := i.Set(key, hints[key]); err != nil {
			_ = i.Free() // the first failure is the one to tell
			return Info{}, err
		}
	}
	return i, nil
}

// c returns the handle for MPI.
func (i Info) c() C.MPI_Info {
	if !i.made {
		return C.goacp_mpi_info_null()
	}
	return i.handle
}

func (i Info) usable(op string) error {
	if !i.made {
		return refuse(op, ErrInfo, "MPI_INFO_NULL has no hints")
	}
	return nil
}

// Set adds a hint or replaces its value. Neither text may be empty; the MPI limits
// their lengths ([ErrInfoKey], [ErrInfoValue]). Local. Does not block. MPI 9.
func (i Info) Set(key, value string) error {
	const op = "MPI_Info_set"
	if err := i.usable(op); err != nil {
		return err
	}
	k, err := text(op, ErrInfoKey, key, C.MPI_MAX_INFO_KEY)
	if err != nil {
		return err
	}
	defer C.free(unsafe.Pointer(k))
	v, err := text(op, ErrInfoValue, value, C.MPI_MAX_INFO_VAL)
	if err != nil {
		return err
	}
	defer C.free(unsafe.Pointer(v))
	return check(op, C.goacp_mpi_info_set(i.handle, k, v))
}

// Get returns the value of a hint and whether it is there. Local. Does not
// block. MPI 9.
func (i Info) Get(key string) (value string, found bool, err error) {
	const op = "MPI_Info_get"
	if err := i.usable(op); err != nil {
		return "", false, err
	}
	k, err := text(op, ErrInfoKey, key, C.MPI_MAX_INFO_KEY)
	if err != nil {
		return "", false, err
	}
	defer C.free(unsafe.Pointer(k))
	var v [C.MPI_MAX_INFO_VAL + 1]C.char
	var there C.int
	if err := check(op, C.goacp_mpi_info_get(i.handle, k, &v[0], &there)); err != nil || there == 0 {
		return "", false, err
	}
	return C.GoString(&v[0]), true, nil
}

// Delete removes a hint. Fails with [ErrInfoNoKey] if there is no such hint. Local.
// Does not block. MPI 9.
func (i Info) Delete(key string) error {
	const op = "MPI_Info_delete"
	if err := i.usable(op); err != nil {
		return err
	}
	k, err := text(op, ErrInfoKey, key, C.MPI_MAX_INFO_KEY)
	if err != nil {
		return err
	}
	defer C.free(unsafe.Pointer(k))
	return check(op, C.goacp_mpi_info_delete(i.handle, k))
}

// Hints returns all hints. Local. Does not block. MPI 9.
func (i Info) Hints() (map[string]string, error) {
	const op = "MPI_Info_get_nthkey"
	if err := i.usable(op); err != nil {
		return nil, err
	}
	var n C.int
	if err := check(op, C.goacp_mpi_info_count(i.handle, &n)); err != nil {
		return nil, err
	}
	hints := make(map[string]string, n)
	for k := range n {
		var key [C.MPI_MAX_INFO_KEY + 1]C.char
		if err := check(op, C.goacp_mpi_info_key(i.handle, k, &key[0])); err != nil {
			return nil, err
		}
		value, _, err := i.Get(C.GoString(&key[0]))
		if err != nil {
			return nil, err
		}
		hints[C.GoString(&key[0])] = value
	}
	return hints, nil
}

// Free frees i. The program must not use copies of the value afterwards. Local. Does
// not block. MPI 9.
func (i Info) Free() error {
	const op = "MPI_Info_free"
	if err := i.usable(op); err != nil {
		return err
	}
	return check(op, C.goacp_mpi_info_free(&i.handle))
}

// text returns s for C, to be freed, or an error of a class if s is empty, has
// limit bytes or more, or a zero byte.
func text(op string, class Class, s string, limit int) (*C.char, error) {
	if s == "" || len(s) >= limit {
		return nil, refuse(op, class, "a text of %d bytes, expected 1 to %d", len(s), limit-1)
	}
	for k := range len(s) {
		if s[k] == 0 {
			return nil, refuse(op, class, "%q has a zero byte", s)
		}
	}
	return C.CString(s), nil
}
