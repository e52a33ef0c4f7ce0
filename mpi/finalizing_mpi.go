//go:build mpi

package mpi

// #include "shim.h"
import "C"

import (
	"runtime/cgo"
	"sync/atomic"
)

// farewell is a function that was passed to BeforeFinalize.
type farewell struct {
	call      func()
	cancelled atomic.Bool
}

// BeforeFinalize registers call: when this package or the program calls MPI_Finalize, call is
// called while MPI still works. cancel undoes that. Call cancel once, or not at all if MPI is
// finalized. Local. Does not block. MPI 11.4.2.
func BeforeFinalize(call func()) (cancel func() error, err error) {
	const op = "MPI_Comm_create_keyval"
	if err := running(op); err != nil {
		return nil, err
	}
	f := &farewell{call: call}
	handle := cgo.NewHandle(f)
	var keyval C.int
	if err := check(op, C.goacp_mpi_before_finalize(C.uintptr_t(handle), &keyval)); err != nil {
		handle.Delete()
		return nil, err
	}
	return func() error {
		f.cancelled.Store(true)
		defer handle.Delete()
		return check("MPI_Comm_delete_attr", C.goacp_mpi_not_before_finalize(&keyval))
	}, nil
}

// finalizing is set when MPI_Finalize begins.
var finalizing atomic.Bool

// Finalizing reports whether MPI_Finalize has begun. It notices the beginning only if a function
// of BeforeFinalize was registered, and otherwise the end. Local. Does not block. Safe for
// concurrent use. MPI 8.7.
func Finalizing() bool { return finalizing.Load() || Finalized() }

//export goacp_mpi_finalizing
func goacp_mpi_finalizing(handle C.uintptr_t) {
	// MPI also calls this when cancel takes a function back.
	if f := cgo.Handle(handle).Value().(*farewell); !f.cancelled.Load() {
		finalizing.Store(true)
		f.call()
	}
}
