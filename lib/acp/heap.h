// Small blocks that are allocated and freed without Go.

#ifndef GOACP_HEAP_H
#define GOACP_HEAP_H

#include "acp.h"

// goacp_try_malloc allocates a block if all it takes is to mark the block. Returns ACP_GA_NULL if
// Go has to do it: the heap is not mapped or its lock is taken, the block is large, or something is
// wrong.
acp_ga_t goacp_try_malloc(size_t size, int rank);

// goacp_try_block is goacp_try_malloc, and returns where the block lies in this process.
acp_ga_t goacp_try_block(size_t size, int rank, void **block);

// goacp_try_free frees a block if all it takes is to remove its mark. Returns 1, or 0 if Go has to
// do it.
int goacp_try_free(acp_ga_t ga);

#endif
