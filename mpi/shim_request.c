//go:build mpi

#include "shim.h"

#include <stdlib.h>

// The status of a receive contains whether it was cancelled. The status of other requests is undefined.

int goacp_mpi_wait(MPI_Request *request, int cancelling, int *was_cancelled) {
  MPI_Status status;
  int rc = MPI_Wait(request, &status);
  if (rc == MPI_SUCCESS && cancelling)
    rc = MPI_Test_cancelled(&status, was_cancelled);
  return rc;
}

int goacp_mpi_test(MPI_Request *request, int cancelling, int *ended,
                   int *was_cancelled) {
  MPI_Status status;
  int rc = MPI_Test(request, ended, &status);
  if (rc == MPI_SUCCESS && *ended && cancelling)
    rc = MPI_Test_cancelled(&status, was_cancelled);
  return rc;
}

// The first failure among n statuses.
static int failure(int n, const MPI_Status *statuses) {
  for (int i = 0; i < n; i++)
    if (statuses[i].MPI_ERROR != MPI_SUCCESS &&
        statuses[i].MPI_ERROR != MPI_ERR_PENDING)
      return statuses[i].MPI_ERROR;
  return MPI_ERR_OTHER;
}

// In place of MPI_Waitall, which in Open MPI 4.1 over UCX never returns if a
// request fails.
int goacp_mpi_waitall(int n, MPI_Request *requests) {
  int rc = MPI_SUCCESS;
  for (int i = 0; i < n; i++) {
    int one = MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    if (rc == MPI_SUCCESS)
      rc = one;
  }
  return rc;
}

int goacp_mpi_testall(int n, MPI_Request *requests, int *ended) {
  MPI_Status *statuses = malloc(n * sizeof *statuses);
  if (!statuses)
    return MPI_ERR_NO_MEM;
  int rc = MPI_Testall(n, requests, ended, statuses);
  if (rc == MPI_ERR_IN_STATUS)
    rc = failure(n, statuses);
  free(statuses);
  return rc;
}

MPI_Fint goacp_mpi_request_number(MPI_Request request) {
  return MPI_Request_c2f(request);
}
