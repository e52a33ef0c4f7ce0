//go:build !mpi

package mpi

// AppNumber returns false: this build has no MPI. Does not block.
func AppNumber() (number int, told bool) { return 0, false }
