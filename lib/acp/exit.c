// A process that ends between acp_init and acp_finalize, by exit or by returning from main.

#include "exit.h"
#include "atomics.h"
#include "_cgo_export.h"
#include "process.h"

#include <stdio.h>
#include <stdlib.h>

static void at_exit(void) {
  if (goacp_load_relaxed(&goacp_process.table) == NULL)
    return; // nothing is initialised, or this is a forked child
  fflush(NULL); // goacp_exiting may not return
  GO0(exiting);
}

void goacp_watch_exit(void) {
  static int watching;
  if (!watching)
    watching = atexit(at_exit) == 0;
}
