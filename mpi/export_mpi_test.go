//go:build mpi

package mpi

// CheckBadComm returns the error of a function for which MPI has returned MPI_ERR_COMM,
// which is 5 in all MPIs of the tests.
func CheckBadComm() error { return check("MPI_Barrier", 5) }

// ClassOf returns the number of this package for MPI's number of a class, and the name
// of the class in the shim.
func ClassOf(c Class) (got Class, name string) {
	code, name := mpiClass(c)
	if code == 0 {
		return 0, ""
	}
	return failed("", code).(*Error).Class, name
}

// AbandonedCalls returns how many abandoned calls still make MPI communicate.
func AbandonedCalls() int { return abandonedCalls() }
