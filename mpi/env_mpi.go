//go:build mpi

package mpi

// #include "shim.h"
import "C"

import "strings"

// Available reports whether this build has MPI.
func Available() bool { return true }

// Vendor returns the MPI that this build was compiled with. MPI need not be
// initialized. Safe for concurrent use.
func Vendor() Library {
	return Library{
		Name:    C.GoString(C.goacp_mpi_vendor()),
		Version: C.GoString(C.goacp_mpi_version()),
	}
}

// LibraryVersion returns the description of the MPI library, in one line or several. MPI need not be
// initialized. Safe for concurrent use. MPI 8.1.1.
func LibraryVersion() (string, error) {
	var text [C.goacp_mpi_max_version]C.char
	var n C.int
	if err := check("MPI_Get_library_version", C.MPI_Get_library_version(&text[0], &n)); err != nil {
		return "", err
	}
	return strings.TrimRight(C.GoStringN(&text[0], n), "\x00\n "), nil
}

// Initialized reports whether MPI has been initialized, by this package or by the program, and stays
// true after it was finalized. Safe for concurrent use. MPI 8.7.
func Initialized() bool {
	var flag C.int
	return C.MPI_Initialized(&flag) == C.MPI_SUCCESS && flag != 0
}

// Finalized reports whether MPI has been finalized, after which no other
// function of this package that involves MPI may be called. Safe for concurrent
// use. MPI 8.7.
func Finalized() bool {
	var flag C.int
	return C.MPI_Finalized(&flag) == C.MPI_SUCCESS && flag != 0
}

// Owned reports whether MPI was initialized by [InitThread] and has not been
// taken over by the program's own MPI_Init. If it is true, this package finalizes MPI,
// otherwise the program does. Safe for concurrent use.
func Owned() bool { return C.goacp_mpi_owned() != 0 }

// InitThread initializes MPI, makes it return errors as [ReturnErrors] does, and
// returns the thread level that it provides, which can be lower than the requested level. It is an
// error if [Initialized] is true. Collective over the processes of the job. May block. Not for
// concurrent use. MPI 12.4.3.
func InitThread(level ThreadLevel) (ThreadLevel, error) {
	const op = "MPI_Init_thread"
	if Initialized() {
		return 0, refuse(op, ErrOther, "MPI has been initialized before")
	}
	if level < ThreadSingle || level > ThreadMultiple {
		return 0, refuse(op, ErrArg, "%v", level)
	}
	var provided C.int
	if err := check(op, C.goacp_mpi_init_thread(C.int(level), &provided)); err != nil {
		return 0, err
	}
	return ThreadLevel(provided), nil
}

// QueryThread returns the thread level of the initialized MPI. Safe for
// concurrent use. MPI 12.4.3.
func QueryThread() (ThreadLevel, error) {
	const op = "MPI_Query_thread"
	if err := running(op); err != nil {
		return 0, err
	}
	var provided C.int
	if err := check(op, C.goacp_mpi_query_thread(&provided)); err != nil {
		return 0, err
	}
	return ThreadLevel(provided), nil
}

// Finalize ends MPI. Call it only if [Owned] is true. If calls that were abandoned
// still drive MPI ([Within]), MPI would crash, and the outcome is an error.
// Collective over the processes of the job. May block. Not for concurrent use.
// MPI 8.7.
func Finalize() error {
	const op = "MPI_Finalize"
	if err := running(op); err != nil {
		return err
	}
	if n := abandonedCalls(); n > 0 {
		return refuse(op, ErrPending, "%d abandoned calls are still in MPI", n)
	}
	return check(op, C.MPI_Finalize())
}
