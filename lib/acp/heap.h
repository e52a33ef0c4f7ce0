// Small blocks that are allocated and freed without Go.

#ifndef GOACP_HEAP_H
#define GOACP_HEAP_H

#include "acp.h"

// goacp_malloc_here allocates a block if all it takes is to mark the block. Returns ACP_GA_NULL if
// Go has to do it: the heap is not mapped or its lock is taken, the block is large, or something is
// wrong.
acp_ga_t goacp_malloc_here(size_t size, int rank);

// goacp_block_here is goacp_malloc_here, and returns where the block lies in this process.
acp_ga_t goacp_block_here(size_t size, int rank, void **block);

// goacp_free_here frees a block if all it takes is to remove its mark. Returns 1, or 0 if Go has to
// do it.
int goacp_free_here(acp_ga_t ga);

#endif
