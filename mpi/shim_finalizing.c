//go:build mpi

#include "shim.h"

#include <stddef.h>

int goacp_mpi_running(void) {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized && !finalized;
}

// MPI_Finalize frees MPI_COMM_SELF first, and then the attributes of it.

void goacp_mpi_finalizing(uintptr_t handle); // in Go

static int deleted(MPI_Comm comm, int keyval, void *value, void *extra) {
  (void)comm, (void)keyval, (void)extra;
  goacp_mpi_finalizing((uintptr_t)value);
  return MPI_SUCCESS;
}

int goacp_mpi_before_finalize(uintptr_t handle, int *keyval) {
  int rc = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deleted, keyval, NULL);
  if (rc == MPI_SUCCESS)
    rc = MPI_Comm_set_attr(MPI_COMM_SELF, *keyval, (void *)handle);
  return rc;
}

int goacp_mpi_not_before_finalize(int *keyval) {
  int rc = MPI_Comm_delete_attr(MPI_COMM_SELF, *keyval);
  if (rc == MPI_SUCCESS)
    rc = MPI_Comm_free_keyval(keyval);
  return rc;
}
