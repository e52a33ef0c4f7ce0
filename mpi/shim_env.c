//go:build mpi

#include "shim.h"

#include <stdatomic.h>
#include <stdlib.h>

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

// Whether this library or the program calls MPI_Finalize.
enum { NONE, LIBRARY, PROGRAM };
static atomic_int owner = NONE;

static const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED,
                             MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};

static int level_number(int level) {
  for (int i = 0; i < 4; i++)
    if (levels[i] == level)
      return i;
  return 0;
}

int goacp_mpi_init_thread(int level, int *provided) {
  goacp_mpi_keep_signals();
  int rc = PMPI_Init_thread(NULL, NULL, levels[level], provided);
  if (rc == MPI_SUCCESS) {
    *provided = level_number(*provided);
    atomic_store(&owner, LIBRARY);
    rc = goacp_mpi_return_errors();
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

int goacp_mpi_abandoned(int more) {
  static atomic_int calls;
  return atomic_fetch_add(&calls, more) + more;
}

// Makes the program responsible for MPI, in the state after MPI_Init, if this library has initialized MPI and
// not finalized it yet.
static int take_over(void) {
  int finalized = 0;
  PMPI_Finalized(&finalized);
  int library = LIBRARY;
  if (finalized || !atomic_compare_exchange_strong(&owner, &library, PROGRAM))
    return 0;
  goacp_mpi_errors_are_fatal();
  return 1;
}

__attribute__((visibility("default"))) int MPI_Init(int *argc, char ***argv) {
  if (take_over())
    return MPI_SUCCESS;
  goacp_mpi_keep_signals();
  return PMPI_Init(argc, argv);
}

__attribute__((visibility("default"))) int
MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  if (take_over())
    return PMPI_Query_thread(provided);
  goacp_mpi_keep_signals();
  return PMPI_Init_thread(argc, argv, required, provided);
}
