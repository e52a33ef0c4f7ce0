// Global pointer arrays. The functions of gp.h are in libgp (lib/gp). This file has the C part of libacp that they
// use: the check whether the process is a forked child, and the table of arrays, which a child does not have.

#include "atomics.h"
#include "gp_bind.h"
#include "call.h"

void goacp_gp_enter(const char *function, const void *site) {
  goacp_enter_go(function);
  goacp_function = function;
  goacp_site = site;
}

const struct goacp_gp *goacp_gp_table(void) {
  return goacp_load_acquire(&goacp_process.gp);
}

void goacp_gp_publish(const void *table) {
  goacp_store_release(&goacp_process.gp, (const struct goacp_gp *)table);
}
