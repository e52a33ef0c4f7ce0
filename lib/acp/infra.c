// Infrastructure. acp_procs and acp_rank do not call Go, because signal handlers may call them. setPlace (library.go)
// writes their results. Go does everything else.

#include "_cgo_export.h"
#include "acp.h"
#include "atomics.h"
#include "readers.h"
#include "bind.h"

#include <errno.h>
#include <stdlib.h>

int acp_init(int *argc, char ***argv) {
  goacp_enter(__func__);
  goacp_mark_handlers();
  int result = GO(init, argc, argv);
  if (result == GOACP_USAGE)
    exit(EXIT_FAILURE); // as any program that is called wrongly
  return result;
}

int acp_finalize(void) {
  int status = GO0(finalize);
  goacp_await_readers();
  return status;
}

void acp_abort(const char *str) {
  GO_WITH(abort, ((char *)str), str); // cgo does not support const
}

static int not_initialised(const char *function) {
  goacp_enter(function);
  goacp_set_errno(EPERM);
  return -1;
}

int acp_procs(void) {
  uint64_t place = goacp_load_relaxed(&goacp_process.place);
  return place != 0 ? (int)(place >> 32) : not_initialised(__func__);
}

int acp_rank(void) {
  uint64_t place = goacp_load_relaxed(&goacp_process.place);
  return place != 0 ? (int)(uint32_t)place : not_initialised(__func__);
}

int acp_reset(int rank) { return GO(reset, rank); }
