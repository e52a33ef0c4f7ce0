// Global pointer arrays. The functions of gp.h are in libgp (lib/gp). This file has the C part of libacp that they
// use: the check whether the process is a forked child, and the table of arrays, which a child does not have.

#include "gp_bind.h"
#include "call.h"

void goacp_gp_enter(const char *function, const void *site) {
  goacp_enter_go(function);
  goacp_function = function;
  goacp_site = site;
}

const struct goacp_gp *goacp_gp_table(void) {
  return __atomic_load_n(&goacp_process.gp, __ATOMIC_ACQUIRE);
}

void goacp_gp_publish(const void *table) {
  __atomic_store_n(&goacp_process.gp, (const struct goacp_gp *)table, __ATOMIC_RELEASE);
}
