// The part of libacp that libarmci uses in addition to the Go functions of armci*.go: the check whether the process
// is a forked child, and the table of the world, which a child does not have.

#include "armci_bind.h"
#include "atomics.h"

static int loaded; // libarmci is a part of the program

void goacp_armci_load(void) { loaded = 1; }

int goacp_armci_loaded(void) { return loaded; }

void goacp_armci_enter(const char *function, const void *site) {
  goacp_enter_go(function);
  goacp_function = function;
  goacp_site = site;
}

struct goacp_armci *goacp_armci_table(void) {
  return goacp_load_acquire(&goacp_process.armci);
}

void goacp_armci_publish(void *table) {
  goacp_store_release(&goacp_process.armci, (struct goacp_armci *)table);
}
