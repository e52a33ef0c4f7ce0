// Global heap: what is quick is done in C, all else is Go's.

#include "_cgo_export.h"
#include "acp.h"
#include "heap.h"

acp_ga_t acp_malloc(size_t size, int rank) {
  acp_ga_t ga = goacp_malloc_here(size, rank);
  return ga != ACP_GA_NULL ? ga : GO(malloc)(size, rank);
}

void acp_free(acp_ga_t ga) {
  if (!goacp_free_here(ga))
    GO(free)(ga);
}
