// The counts of transfers of this process: acp_stats, whose result comes from Go.

#include "traffic.h"

#include "_cgo_export.h"
#include "acp.h"

int64_t acp_stats(int rank, int kind, int path, int64_t *volume) {
  return GO(stats, rank, kind, path, volume);
}
