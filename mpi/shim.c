//go:build mpi

#define _GNU_SOURCE // dl_iterate_phdr

#include "shim.h"

#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define STRING_(x) #x
#define STRING(x) STRING_(x)

// Open MPI defines OMPI_*, MPICH and its descendants MPICH_VERSION.
#if defined(OMPI_MAJOR_VERSION)
#define VENDOR "Open MPI"
#define VERSION                                                                \
  STRING(OMPI_MAJOR_VERSION)                                                   \
  "." STRING(OMPI_MINOR_VERSION) "." STRING(OMPI_RELEASE_VERSION)
#elif defined(MPICH_VERSION)
#define VENDOR "MPICH"
#define VERSION MPICH_VERSION
#else
#define VENDOR "unknown MPI"
#define VERSION "(MPI " STRING(MPI_VERSION) "." STRING(MPI_SUBVERSION) ")"
#endif

const char *goacp_mpi_vendor(void) { return VENDOR; }
const char *goacp_mpi_version(void) { return VERSION; }

// Who is to call MPI_Finalize.
enum { NOBODY, LIBRARY, PROGRAM };
static atomic_int owner = NOBODY;

static const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED,
                             MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};

static int is_ucx(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size, (void)data;
  return strstr(info->dlpi_name, "libucs.so") != NULL;
}

// Open MPI loads UCX during MPI_Init, and UCX would then replace the handlers
// by which the Go runtime turns faults into panics. An empty list of signals
// keeps it from that. Where UCX is loaded already, it has set its handlers
// before those of Go, reads the list no more, and warns of a variable that
// nobody has read.
static void keep_signals(void) {
  if (!dl_iterate_phdr(is_ucx, NULL))
    setenv("UCX_ERROR_SIGNALS", "", 0);
}

static int level_number(int level) {
  for (int i = 0; i < 4; i++)
    if (levels[i] == level)
      return i;
  return 0;
}

int goacp_mpi_init_thread(int level, int *provided) {
  keep_signals();
  int rc = PMPI_Init_thread(NULL, NULL, levels[level], provided);
  if (rc == MPI_SUCCESS) {
    *provided = level_number(*provided);
    atomic_store(&owner, LIBRARY);
  }
  return rc;
}

int goacp_mpi_query_thread(int *provided) {
  int rc = MPI_Query_thread(provided);
  if (rc == MPI_SUCCESS)
    *provided = level_number(*provided);
  return rc;
}

int goacp_mpi_owned(void) { return atomic_load(&owner) == LIBRARY; }

// Hands MPI over to the program if this library has initialized it and not yet
// finalized it.
static int take_over(void) {
  int finalized = 0;
  PMPI_Finalized(&finalized);
  int library = LIBRARY;
  return !finalized &&
         atomic_compare_exchange_strong(&owner, &library, PROGRAM);
}

__attribute__((visibility("default"))) int MPI_Init(int *argc, char ***argv) {
  if (take_over())
    return MPI_SUCCESS;
  keep_signals();
  return PMPI_Init(argc, argv);
}

__attribute__((visibility("default"))) int
MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  if (take_over())
    return PMPI_Query_thread(provided);
  keep_signals();
  return PMPI_Init_thread(argc, argv, required, provided);
}

MPI_Comm goacp_mpi_world(void) { return MPI_COMM_WORLD; }

int goacp_mpi_comm_dup(MPI_Comm comm, MPI_Comm *copy) {
  int rc = MPI_Comm_dup(comm, copy);
  if (rc != MPI_SUCCESS)
    return rc;
  return MPI_Comm_set_errhandler(*copy, MPI_ERRORS_RETURN);
}

int goacp_mpi_allgather(const void *send, int count, void *recv,
                        MPI_Comm comm) {
  return MPI_Allgather(send, count, MPI_BYTE, recv, count, MPI_BYTE, comm);
}

int goacp_mpi_allgatherv(const void *send, int count, void *recv,
                         const int *counts, const int *displs, MPI_Comm comm) {
  return MPI_Allgatherv(send, count, MPI_BYTE, recv, counts, displs, MPI_BYTE,
                        comm);
}

void goacp_mpi_error(int code, int *error_class, char *text) {
  int length = 0, initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  // Before MPI 4 only an initialized MPI knows its errors.
  if (!initialized || finalized) {
    *error_class = MPI_ERR_UNKNOWN;
    strcpy(text, "MPI is not initialized");
    return;
  }
  if (MPI_Error_class(code, error_class) != MPI_SUCCESS)
    *error_class = MPI_ERR_UNKNOWN;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS)
    strcpy(text, "unknown error");
}
