// What this process has transferred: acp_stats, whose answer Go knows.

#include "traffic.h"

#include "_cgo_export.h"
#include "acp.h"

int64_t acp_stats(int rank, int kind, int path, int64_t *volume) {
  return GO(stats, rank, kind, path, volume);
}
