#include "call.h"

__thread const struct goacp_call *goacp_called;
__thread const char *goacp_function;
__thread const void *goacp_site;
