//go:build !mpi

package mpi

// AppNumber returns false: this build has no MPI. Local. Does not block. MPI 11.10.3.
func AppNumber() (number int, told bool) { return 0, false }
