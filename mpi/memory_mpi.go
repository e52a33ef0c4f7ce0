//go:build mpi

package mpi

// #include "shim.h"
import "C"

import "unsafe"

// AllocMemory returns size bytes of memory that suits MPI's transports, for
// buffers and windows. It is not Go memory: it is not moved, not collected and not
// cleared. Free it by [FreeMemory]. Local. May block. MPI 8.2.
func AllocMemory(size int, info Info) ([]byte, error) {
	const op = "MPI_Alloc_mem"
	if err := running(op); err != nil {
		return nil, err
	}
	if size < 0 {
		return nil, refuse(op, ErrSize, "%d bytes", size)
	}
	var base unsafe.Pointer
	if err := check(op, C.goacp_mpi_alloc_mem(C.MPI_Aint(size), info.c(), &base)); err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(base), size), nil
}

// FreeMemory frees memory that [AllocMemory] has returned. The program must not use
// it afterwards. Local. Does not block. MPI 8.2.
func FreeMemory(memory []byte) error {
	const op = "MPI_Free_mem"
	if err := running(op); err != nil {
		return err
	}
	if start(memory) == nil {
		return nil
	}
	return check(op, C.goacp_mpi_free_mem(start(memory)))
}

// Address returns the displacement of the first byte of memory in a dynamic window
// to which it is attached. The processes that access the memory need the number. The
// memory is C, mapped or pinned Go memory. Local. Does not block. MPI 4.1.5.
func Address(memory []byte) (int, error) {
	const op = "MPI_Get_address"
	if err := running(op); err != nil {
		return 0, err
	}
	var at C.MPI_Aint
	err := check(op, C.goacp_mpi_address(start(memory), &at))
	return int(at), err
}
