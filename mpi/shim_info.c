//go:build mpi

#include "shim.h"

MPI_Info goacp_mpi_info_null(void) { return MPI_INFO_NULL; }

int goacp_mpi_info_create(MPI_Info *info) {
  goacp_mpi_quiet_begin();
  int rc = MPI_Info_create(info);
  goacp_mpi_quiet_end();
  return rc;
}

int goacp_mpi_info_set(MPI_Info info, const char *key, const char *value) {
  goacp_mpi_quiet_begin();
  int rc = MPI_Info_set(info, key, value);
  goacp_mpi_quiet_end();
  return rc;
}

int goacp_mpi_info_get(MPI_Info info, const char *key, char *value,
                       int *found) {
  goacp_mpi_quiet_begin();
// MPI 4 deprecates MPI_Info_get. So does Open MPI 5, although its MPI_VERSION is 3.
#if MPI_VERSION >= 4 || defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
  int size = MPI_MAX_INFO_VAL + 1;
  int rc = MPI_Info_get_string(info, key, &size, value, found);
#else
  int rc = MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, found);
#endif
  goacp_mpi_quiet_end();
  return rc;
}

int goacp_mpi_info_delete(MPI_Info info, const char *key) {
  goacp_mpi_quiet_begin();
  int rc = MPI_Info_delete(info, key);
  goacp_mpi_quiet_end();
  return rc;
}

int goacp_mpi_info_count(MPI_Info info, int *n) {
  goacp_mpi_quiet_begin();
  int rc = MPI_Info_get_nkeys(info, n);
  goacp_mpi_quiet_end();
  return rc;
}

int goacp_mpi_info_key(MPI_Info info, int n, char *key) {
  goacp_mpi_quiet_begin();
  int rc = MPI_Info_get_nthkey(info, n, key);
  goacp_mpi_quiet_end();
  return rc;
}

int goacp_mpi_info_free(MPI_Info *info) {
  goacp_mpi_quiet_begin();
  int rc = MPI_Info_free(info);
  goacp_mpi_quiet_end();
  return rc;
}
