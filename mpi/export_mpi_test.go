//go:build mpi

package mpi

// CheckBadComm gives what a function returns to which MPI says MPI_ERR_COMM,
// which is 5 in all MPIs that this is tested with.
func CheckBadComm() error { return check("MPI_Barrier", 5) }
