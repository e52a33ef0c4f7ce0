//go:build mpi

package mpi

/*
#include <mpi.h>

static int app_number(int *number) {
	void *value = NULL;
	int found = 0;
	if (MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &value, &found) != MPI_SUCCESS || !found) {
		return 0;
	}
	*number = *(int *)value;
	return 1;
}
*/
import "C"

// AppNumber returns the number of this process's program on the command line of the launcher, from
// 0: the attribute MPI_APPNUM of MPI_COMM_WORLD. told is false if the launcher does not tell it, or
// if MPI is not initialized. Local. Does not block. MPI 11.10.3.
func AppNumber() (number int, told bool) {
	if !Initialized() || Finalized() {
		return 0, false
	}
	var n C.int
	told = C.app_number(&n) != 0
	return int(n), told
}
