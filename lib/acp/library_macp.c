//go:build mpi

// The name and the MPI of this library.

#include "acp.h"

#include <mpi.h>

const char *acp_library(void) { return "libmacp"; }

const char *acp_mpi_name(void) {
#if defined OPEN_MPI
  return "openmpi";
#elif defined MPICH_VERSION
  return "mpich";
#else
  return "mpi";
#endif
}
