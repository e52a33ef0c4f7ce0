// Segmented buffers. Go does everything, and identifies them by number.

#include "_cgo_export.h"
#include "acp.h"

static acp_segbuf_t handle(uintptr_t number) { return (acp_segbuf_t)number; }

acp_segbuf_t acp_create_src_segbuf(int dst_rank, void *buf, size_t segsize,
                                   size_t segnum) {
  return handle(GO_WITH(create_segbuf, (dst_rank, buf, segsize, segnum, 1), dst_rank, buf,
                        segsize, segnum));
}

acp_segbuf_t acp_create_dst_segbuf(int src_rank, void *buf, size_t segsize,
                                   size_t segnum) {
  return handle(GO_WITH(create_segbuf, (src_rank, buf, segsize, segnum, 0), src_rank, buf,
                        segsize, segnum));
}

// Defines acp_NAME_segbuf, which returns the result of Go.
#define SEGBUF(type, name)                                                     \
  type acp_##name##_segbuf(acp_segbuf_t segbuf) {                              \
    return GO_WITH(name##_segbuf, ((uintptr_t)segbuf), segbuf);                \
  }

SEGBUF(int, connect)
SEGBUF(int, isconnected)
SEGBUF(int, ready)
SEGBUF(int, ack)
SEGBUF(int, isready)
SEGBUF(int, isacked)
SEGBUF(int, disconnect)

int64_t acp_query_segbuf_head(acp_segbuf_t segbuf) {
  return GO_WITH(query_segbuf_head, ((uintptr_t)segbuf), segbuf);
}

int64_t acp_query_segbuf_tail(acp_segbuf_t segbuf) {
  return GO_WITH(query_segbuf_tail, ((uintptr_t)segbuf), segbuf);
}

int64_t acp_query_segbuf_sent(acp_segbuf_t segbuf) {
  return GO_WITH(query_segbuf_sent, ((uintptr_t)segbuf), segbuf);
}

int acp_free_segbuf(acp_segbuf_t segbuf) {
  return GO_WITH(free_segbuf, ((uintptr_t)segbuf), segbuf);
}
