// Everything that the Go files call. The names begin with goacp_mpi_, so that
// nothing meets the names of another binding in the same program. Handles that
// MPI defines as macros come from functions, since cgo cannot read all of them.

#ifndef GOACP_MPI_SHIM_H
#define GOACP_MPI_SHIM_H

#include <mpi.h>

// The implementation that the headers belong to.
const char *goacp_mpi_vendor(void);
const char *goacp_mpi_version(void);

// Thread levels are numbered 0 to 3 on both sides.
int goacp_mpi_init_thread(int level, int *provided);
int goacp_mpi_query_thread(int *provided);

// True while MPI was initialized by goacp_mpi_init_thread and the program has
// not taken it over with MPI_Init.
int goacp_mpi_owned(void);

MPI_Comm goacp_mpi_world(void);

// Duplicates comm and makes the copy return errors.
int goacp_mpi_comm_dup(MPI_Comm comm, MPI_Comm *copy);

int goacp_mpi_allgather(const void *send, int count, void *recv, MPI_Comm comm);
int goacp_mpi_allgatherv(const void *send, int count, void *recv,
                         const int *counts, const int *displs, MPI_Comm comm);

// The text of a code, at most MPI_MAX_ERROR_STRING characters and a zero.
void goacp_mpi_error(int code, int *error_class, char *text);

enum {
  goacp_mpi_max_error = MPI_MAX_ERROR_STRING,
  goacp_mpi_max_version = MPI_MAX_LIBRARY_VERSION_STRING
};

#endif
