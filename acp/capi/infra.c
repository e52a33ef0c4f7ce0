// Infrastructure.

#include "_cgo_export.h"
#include "acp.h"
#include "direct.h"

#include <stdlib.h>

int ACP_ERRNO;

struct goacp_direct *goacp_table;

int acp_init(int *argc, char ***argv) {
  int result = goacp_init(argc, argv);
  if (result == GOACP_USAGE)
    exit(EXIT_FAILURE); // as any program that is called wrongly
  return result;
}

int acp_finalize(void) { return goacp_finalize(); }

void acp_abort(const char *str) {
  goacp_abort((char *)str); // cgo knows no const
}

int acp_procs(void) {
  const struct goacp_direct *t = goacp_direct();
  uint64_t procs = t == NULL ? 0 : __atomic_load_n(&t->procs, __ATOMIC_RELAXED);
  return procs != 0 ? (int)procs : goacp_procs();
}

int acp_rank(void) {
  const struct goacp_direct *t = goacp_direct();
  return t != NULL ? (int)__atomic_load_n(&t->rank, __ATOMIC_RELAXED)
                   : goacp_rank();
}

int acp_reset(int rank) { return goacp_reset(rank); }
