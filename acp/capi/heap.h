// Small blocks that are allocated and freed without Go.

#ifndef GOACP_HEAP_H
#define GOACP_HEAP_H

#include "acp.h"

// goacp_malloc_here allocates a block where that takes no more than to mark it. Returns
// ACP_GA_NULL if it is left to Go: then the heap lies elsewhere or is in use, the block is
// large, or something is wrong.
acp_ga_t goacp_malloc_here(size_t size, int rank);

// goacp_free_here frees a block where that takes no more than to mark it. Returns 1, or 0
// if it is left to Go.
int goacp_free_here(acp_ga_t ga);

#endif
