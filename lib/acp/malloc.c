// Global heap. heap.c allocates and frees small blocks; Go does everything else.

#include "_cgo_export.h"
#include "acp.h"
#include "heap.h"

GOACP_RARE acp_ga_t malloc_by_go(size_t size, int rank) {
  return GO_FOR("acp_malloc", malloc, (size, rank), size, rank);
}

acp_ga_t acp_malloc(size_t size, int rank) {
  acp_ga_t ga = goacp_try_malloc(size, rank);
  return ga != ACP_GA_NULL ? ga : BY_GO(malloc_by_go(size, rank));
}

GOACP_RARE void free_by_go(acp_ga_t ga) { GO_FOR("acp_free", free, (ga), ga); }

void acp_free(acp_ga_t ga) {
  if (!goacp_try_free(ga))
    BY_GO(free_by_go(ga));
}
