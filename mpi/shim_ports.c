//go:build mpi

#include "shim.h"

// None of these has a communicator whose handler could be set.

int goacp_mpi_open_port(MPI_Info info, char *port) {
  goacp_mpi_quiet_begin();
  int rc = MPI_Open_port(info, port);
  goacp_mpi_quiet_end();
  return rc;
}

int goacp_mpi_close_port(const char *port) {
  goacp_mpi_quiet_begin();
  int rc = MPI_Close_port(port);
  goacp_mpi_quiet_end();
  return rc;
}

int goacp_mpi_publish(const char *service, MPI_Info info, const char *port) {
  goacp_mpi_quiet_begin();
  int rc = MPI_Publish_name(service, info, port);
  goacp_mpi_quiet_end();
  return rc;
}

int goacp_mpi_unpublish(const char *service, MPI_Info info, const char *port) {
  goacp_mpi_quiet_begin();
  int rc = MPI_Unpublish_name(service, info, port);
  goacp_mpi_quiet_end();
  return rc;
}

int goacp_mpi_lookup(const char *service, MPI_Info info, char *port) {
  goacp_mpi_quiet_begin();
  int rc = MPI_Lookup_name(service, info, port);
  goacp_mpi_quiet_end();
  return rc;
}
