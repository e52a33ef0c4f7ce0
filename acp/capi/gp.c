// Global pointer arrays. The functions of gp.h are in libgp (gp/capi); Go does everything.

#include "gp_bind.h"
#include "process.h"

void goacp_gp_enter(const char *function) { goacp_enter(function); }
