//go:build mpi

#include "shim.h"

#include <pthread.h>
#include <string.h>

// The classes in the order of errors.go.
#define CLASS(name) {name, #name}
static const struct {
  int mpi;
  const char *name;
} classes[] = {
    CLASS(MPI_SUCCESS),
    CLASS(MPI_ERR_BUFFER),
    CLASS(MPI_ERR_COUNT),
    CLASS(MPI_ERR_TYPE),
    CLASS(MPI_ERR_TAG),
    CLASS(MPI_ERR_COMM),
    CLASS(MPI_ERR_RANK),
    CLASS(MPI_ERR_REQUEST),
    CLASS(MPI_ERR_ROOT),
    CLASS(MPI_ERR_GROUP),
    CLASS(MPI_ERR_OP),
    CLASS(MPI_ERR_ARG),
    CLASS(MPI_ERR_TRUNCATE),
    CLASS(MPI_ERR_PENDING),
    CLASS(MPI_ERR_OTHER),
    CLASS(MPI_ERR_INTERN),
    CLASS(MPI_ERR_UNKNOWN),
    CLASS(MPI_ERR_ASSERT),
    CLASS(MPI_ERR_BASE),
    CLASS(MPI_ERR_DISP),
    CLASS(MPI_ERR_INFO),
    CLASS(MPI_ERR_INFO_KEY),
    CLASS(MPI_ERR_INFO_VALUE),
    CLASS(MPI_ERR_INFO_NOKEY),
    CLASS(MPI_ERR_LOCKTYPE),
    CLASS(MPI_ERR_NAME),
    CLASS(MPI_ERR_NO_MEM),
    CLASS(MPI_ERR_PORT),
    CLASS(MPI_ERR_SERVICE),
    CLASS(MPI_ERR_SIZE),
    CLASS(MPI_ERR_SPAWN),
    CLASS(MPI_ERR_WIN),
    CLASS(MPI_ERR_RMA_CONFLICT),
    CLASS(MPI_ERR_RMA_SYNC),
    CLASS(MPI_ERR_RMA_RANGE),
    CLASS(MPI_ERR_RMA_ATTACH),
    CLASS(MPI_ERR_RMA_SHARED),
    CLASS(MPI_ERR_RMA_FLAVOR),
};
enum { class_count = sizeof classes / sizeof *classes };

int goacp_mpi_class(int number, const char **name) {
  *name = NULL;
  if (number < 1 || number >= class_count)
    return 0;
  *name = classes[number].name;
  return classes[number].mpi;
}

static int class_number(int mpi) {
  int other = 0;
  for (int i = 1; i < class_count; i++) {
    if (classes[i].mpi == mpi)
      return i;
    if (classes[i].mpi == MPI_ERR_OTHER)
      other = i;
  }
  return other;
}

void goacp_mpi_error(int code, int *error_class, char *text) {
  int length = 0, class = MPI_ERR_UNKNOWN;
  // Before MPI 4 the functions below are allowed only while MPI is initialized.
  if (!goacp_mpi_running())
    strcpy(text, "MPI is not initialized");
  else {
    if (MPI_Error_class(code, &class) != MPI_SUCCESS)
      class = MPI_ERR_UNKNOWN;
    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS)
      strcpy(text, "unknown error");
  }
  *error_class = class_number(class);
}

int goacp_mpi_return_errors(void) {
  int rc = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (rc == MPI_SUCCESS)
    rc = MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  return rc;
}

void goacp_mpi_errors_are_fatal(void) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

// Errors of calls on no object go to the handler of MPI_COMM_WORLD, and since
// MPI 4 to that of MPI_COMM_SELF. The program may have left both fatal.
static pthread_mutex_t quiet_lock = PTHREAD_MUTEX_INITIALIZER;
static int quiet_depth;
static MPI_Errhandler of_world, of_self;

void goacp_mpi_quiet_begin(void) {
  pthread_mutex_lock(&quiet_lock);
  if (quiet_depth++ == 0) {
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &of_world);
    MPI_Comm_get_errhandler(MPI_COMM_SELF, &of_self);
    goacp_mpi_return_errors();
  }
  pthread_mutex_unlock(&quiet_lock);
}

void goacp_mpi_quiet_end(void) {
  pthread_mutex_lock(&quiet_lock);
  if (--quiet_depth == 0) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, of_world);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, of_self);
    MPI_Errhandler_free(&of_world);
    MPI_Errhandler_free(&of_self);
  }
  pthread_mutex_unlock(&quiet_lock);
}
