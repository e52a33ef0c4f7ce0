// Collective functions of lists of ranks. Go does everything.

#include "_cgo_export.h"
#include "acp.h"

int acp_sync_ranks(const int *ranks, int count) {
  return GO_WITH(sync_ranks, ((int *)ranks, count), ranks, count); // cgo does not support const
}

int acp_sync_job(int job) { return GO(sync_job, job); }

int acp_broadcast(void *buf, size_t size, int root, const int *ranks, int count) {
  return GO_WITH(broadcast, (buf, size, root, (int *)ranks, count), buf, size, root, ranks,
                 count);
}
