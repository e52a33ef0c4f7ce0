//go:build mpi

package mpi

// CheckBadComm gives what a function returns to which MPI says MPI_ERR_COMM,
// which is 5 in all MPIs that this is tested with.
func CheckBadComm() error { return check("MPI_Barrier", 5) }

// ClassOf returns what this package makes of MPI's number of a class, and the
// name of the class in the shim.
func ClassOf(c Class) (got Class, name string) {
	code, name := mpiClass(c)
	if code == 0 {
		return 0, ""
	}
	return failed("", code).(*Error).Class, name
}

// AbandonedCalls returns how many abandoned calls still drive communication.
func AbandonedCalls() int { return abandonedCalls() }
