//go:build !mpi

// The name of this library.

#include "acp.h"

const char *acp_library(void) { return "libacp"; }

const char *acp_mpi_name(void) {
  return "";
}
