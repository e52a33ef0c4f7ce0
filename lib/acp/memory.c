// Global memory management. C waits for its own readers of registered memory; Go does everything
// else.

#include "_cgo_export.h"
#include "acp.h"
#include "readers.h"

acp_atkey_t acp_register_memory(void *addr, size_t size, int color) {
  return GO(register_memory, addr, size, color);
}

int acp_unregister_memory(acp_atkey_t atkey) {
  int status = GO(unregister_memory, atkey);
  if (status == 0)
    goacp_await_readers();
  return status;
}

acp_ga_t acp_query_ga(acp_atkey_t atkey, void *addr) {
  return GO(query_ga, atkey, addr);
}

int acp_colors(void) { return GO0(colors); }

int acp_query_rank(acp_ga_t ga) { return GO(query_rank, ga); }

int acp_query_color(acp_ga_t ga) { return GO(query_color, ga); }

void *acp_query_address(acp_ga_t ga) { return GO(query_address, ga); }

acp_ga_t acp_query_starter_ga(int rank) {
  return GO(query_starter_ga, rank);
}
