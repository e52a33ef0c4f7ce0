//go:build mpi

package mpitest

// #include <mpi.h>
// static MPI_Comm goacp_test_comms[2];
// static MPI_Comm *goacp_test_world(void) {
//   goacp_test_comms[0] = MPI_COMM_WORLD;
//   return &goacp_test_comms[0];
// }
// static MPI_Comm *goacp_test_null(void) {
//   goacp_test_comms[1] = MPI_COMM_NULL;
//   return &goacp_test_comms[1];
// }
import "C"

import (
	"fmt"
	"unsafe"
)

// Init is MPI_Init as a program calls it.
func Init() error { return result("MPI_Init", C.MPI_Init(nil, nil)) }

// InitThread is MPI_Init_thread as a program calls it: it asks for
// MPI_THREAD_MULTIPLE and reports whether MPI provides it.
func InitThread() (multiple bool, err error) {
	var provided C.int
	err = result("MPI_Init_thread", C.MPI_Init_thread(nil, nil, C.MPI_THREAD_MULTIPLE, &provided))
	return provided == C.MPI_THREAD_MULTIPLE, err
}

// Finalize is MPI_Finalize as a program calls it.
func Finalize() error { return result("MPI_Finalize", C.MPI_Finalize()) }

// World returns the address of MPI_COMM_WORLD as a program has it.
func World() unsafe.Pointer { return unsafe.Pointer(C.goacp_test_world()) }

// Null returns the address of MPI_COMM_NULL as a program has it.
func Null() unsafe.Pointer { return unsafe.Pointer(C.goacp_test_null()) }

func result(name string, code C.int) error {
	if code != C.MPI_SUCCESS {
		return fmt.Errorf("%s returned %d", name, int(code))
	}
	return nil
}
