// Workspaces. Go does everything. It gets handles as numbers, because a program may pass any value.

#include "_cgo_export.h"
#include "acp.h"

acp_wsd_t acp_create_ws(size_t size) {
  acp_wsd_t wsd = GO(create_ws, size);
  return wsd != NULL ? wsd : ACP_WSD_NULL;
}

void acp_destroy_ws(acp_wsd_t wsd) { GO_WITH(destroy_ws, ((uintptr_t)wsd), wsd); }

int acp_read_ws(acp_wsd_t wsd, acp_ga_t ga, size_t size, size_t offset) {
  return GO_WITH(read_ws, ((uintptr_t)wsd, ga, size, offset), wsd, ga, size, offset);
}

int acp_setparams_ws(size_t proc_start, size_t size_default) {
  return GO(setparams_ws, proc_start, size_default);
}

int acp_write_ws(acp_wsd_t wsd, const acp_ga_t ga, size_t size, size_t offset) {
  return GO_WITH(write_ws, ((uintptr_t)wsd, ga, size, offset), wsd, ga, size, offset);
}
