// Global heap: all of it is Go's.

#include "_cgo_export.h"
#include "acp.h"

acp_ga_t acp_malloc(size_t size, int rank) { return goacp_malloc(size, rank); }

void acp_free(acp_ga_t ga) { goacp_free(ga); }
