#include "call.h"

__thread const struct goacp_call *goacp_called;
