//go:build mpi

package mpi

// #include "shim.h"
import "C"

import "fmt"

// ReturnErrors makes calls on [World] and [Self], and calls on no communicator,
// return their failures. Otherwise MPI ends the process. [InitThread] calls it; call
// it if the program has initialized MPI in another way and does not rely on being
// ended. Local. Does not block. MPI 8.3.
func ReturnErrors() error {
	if err := running("MPI_Comm_set_errhandler"); err != nil {
		return err
	}
	return check("MPI_Comm_set_errhandler", C.goacp_mpi_return_errors())
}

// check turns the result of a function of MPI into an error.
func check(op string, code C.int) error {
	if code == C.MPI_SUCCESS {
		return nil
	}
	return failed(op, code)
}

// failed is a function of its own so that check can be inlined.
//
//go:noinline
func failed(op string, code C.int) error {
	var class C.int
	var text [C.goacp_mpi_max_error + 1]C.char
	C.goacp_mpi_error(code, &class, &text[0])
	return &Error{Op: op, Class: Class(class), Code: int(code), Text: C.GoString(&text[0])}
}

// refuse returns the error of a call that is not made.
//
//go:noinline
func refuse(op string, class Class, format string, args ...any) error {
	return &Error{Op: op, Class: class, Text: fmt.Sprintf(format, args...)}
}

// running returns an error unless MPI is initialized and not finalized. Otherwise a
// call of MPI would end the process.
func running(op string) error {
	if C.goacp_mpi_running() == 0 {
		return refuse(op, ErrOther, "MPI is not initialized or has been finalized")
	}
	return nil
}

// mpiClass returns MPI's number and name of a class, or 0 if there is none. The
// test that compares the two tables of classes needs it.
func mpiClass(c Class) (C.int, string) {
	var name *C.char
	number := C.goacp_mpi_class(C.int(c), &name)
	return number, C.GoString(name)
}
