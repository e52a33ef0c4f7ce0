// Every rank sends numbered segments to every rank, itself included, from and to memory of
// all kinds, and makes every possible mistake.
#include "check.h"

#include <sched.h>

enum { SEGMENTS = 500, MOST = 4 };

static size_t segsize(int from, int to) { return (size_t)(8 * (1 + 100 * from + 31 * to)); }
static size_t segnum(int from, int to) { return (size_t)(1 + (from + 2 * to) % 5); }

static unsigned char pattern(int from, int to, int number, size_t i) {
  return (unsigned char)(from * 5 + to * 11 + number * 7 + (int)i);
}

struct end {
  acp_segbuf_t s;
  unsigned char *buf;
  size_t size, count;
  int from, to, done;
};

static void publish(struct end *e) {
  if (acp_isready_segbuf(e->s) != 0)
    return;
  int64_t tail = acp_query_segbuf_tail(e->s);
  CHECK(tail == e->done % (int)e->count);
  for (size_t i = 0; i < e->size; i++)
    e->buf[(size_t)tail * e->size + i] = pattern(e->from, e->to, e->done, i);
  CHECK(acp_ack_segbuf(e->s) == 0);
  e->done++;
}

static void take(struct end *e) {
  if (acp_isacked_segbuf(e->s) != 0)
    return;
  int64_t head = acp_query_segbuf_head(e->s);
  CHECK(head == e->done % (int)e->count);
  for (size_t i = 0; i < e->size; i++)
    CHECK(e->buf[(size_t)head * e->size + i] == pattern(e->from, e->to, e->done, i));
  CHECK(acp_ready_segbuf(e->s) == 0);
  e->done++;
}

static struct end make(int from, int to, int source) {
  struct end e = {.from = from, .to = to, .size = segsize(from, to), .count = segnum(from, to)};
  if ((from + to) % 2 == 0)
    e.buf = acp_query_address(acp_malloc(e.size * e.count, acp_rank()));
  else
    e.buf = malloc(e.size * e.count);
  CHECK(e.buf != NULL);
  e.s = source ? acp_create_src_segbuf(to, e.buf, e.size, e.count)
               : acp_create_dst_segbuf(from, e.buf, e.size, e.count);
  CHECK(e.s != ACP_SEGBUF_NULL);
  return e;
}

static void exchange(int rank, int procs) {
  struct end out[MOST], in[MOST];
  for (int other = 0; other < procs; other++)
    out[other] = make(rank, other, 1);
  for (int other = procs - 1; other >= 0; other--)
    in[other] = make(other, rank, 0);
  for (int other = 0; other < procs; other++) {
    int connected;
    while ((connected = acp_isconnected_segbuf(out[other].s)) != 0) {
      CHECK(connected == 1);
      sched_yield();
    }
    CHECK(acp_connect_segbuf(in[other].s) == 0);
  }
  for (int left = 1; left != 0; sched_yield()) {
    left = 0;
    for (int other = 0; other < procs; other++) {
      if (out[other].done < SEGMENTS)
        publish(&out[other]);
      if (in[other].done < SEGMENTS)
        take(&in[other]);
      left |= out[other].done < SEGMENTS || in[other].done < SEGMENTS;
    }
  }
  for (int other = 0; other < procs; other++) {
    while (acp_query_segbuf_sent(out[other].s) != acp_query_segbuf_tail(out[other].s))
      sched_yield();
    CHECK(acp_disconnect_segbuf(out[other].s) == 0);
    CHECK(acp_disconnect_segbuf(in[other].s) == 0);
  }
  for (int other = 0; other < procs; other++) {
    CHECK(acp_free_segbuf(in[other].s) == 0);
    CHECK(acp_free_segbuf(out[other].s) == 0);
    FAILS(acp_free_segbuf(out[other].s), -1, EINVAL);
    if ((rank + other) % 2 != 0) {
      free(in[other].buf);
      free(out[other].buf);
    }
  }
}

static void mistakes(int rank, int procs) {
  static char buf[64];
  FAILS(acp_create_src_segbuf(procs, buf, 8, 8), ACP_SEGBUF_NULL, EINVAL);
  FAILS(acp_create_dst_segbuf(-1, buf, 8, 8), ACP_SEGBUF_NULL, EINVAL);
  FAILS(acp_create_dst_segbuf(rank, NULL, 8, 8), ACP_SEGBUF_NULL, EINVAL);
  FAILS(acp_create_src_segbuf(rank, buf, 0, 8), ACP_SEGBUF_NULL, EINVAL);
  FAILS(acp_create_src_segbuf(rank, buf, 8, 0), ACP_SEGBUF_NULL, EINVAL);
  FAILS(acp_create_src_segbuf(rank, buf, SIZE_MAX, 2), ACP_SEGBUF_NULL, EINVAL);
  FAILS(acp_create_src_segbuf(rank, buf, SIZE_MAX / 2 + 1, 1), ACP_SEGBUF_NULL, EINVAL);
  FAILS(acp_ack_segbuf(ACP_SEGBUF_NULL), -1, EINVAL);
  FAILS(acp_query_segbuf_head((acp_segbuf_t)(uintptr_t)12345), -1, EINVAL);

  acp_segbuf_t s = acp_create_src_segbuf(rank, buf, 8, 2);
  FAILS(acp_ack_segbuf(s), -1, ENOTCONN);
  FAILS(acp_isready_segbuf(s), -1, ENOTCONN);
  FAILS(acp_query_segbuf_tail(s), -1, ENOTCONN);
  FAILS(acp_disconnect_segbuf(s), -1, ENOTCONN);
  FAILS(acp_free_segbuf(s), -1, ENOTCONN);
  acp_segbuf_t d = acp_create_dst_segbuf(rank, buf + 32, 8, 2);
  CHECK(acp_connect_segbuf(s) == 0 && acp_connect_segbuf(d) == 0);
  CHECK(acp_isacked_segbuf(d) == 1);
  FAILS(acp_ready_segbuf(d), -1, EAGAIN);
  FAILS(acp_ready_segbuf(s), -1, EINVAL);
  FAILS(acp_ack_segbuf(d), -1, EINVAL);
  FAILS(acp_query_segbuf_sent(d), -1, EINVAL);
  CHECK(acp_ack_segbuf(s) == 0 && acp_ack_segbuf(s) == 0);
  CHECK(acp_isready_segbuf(s) == 1);
  FAILS(acp_ack_segbuf(s), -1, EAGAIN);
  CHECK(acp_disconnect_segbuf(s) == 0);
  FAILS(acp_connect_segbuf(s), -1, ENOTCONN);
  CHECK(acp_disconnect_segbuf(d) == 0);
  CHECK(acp_free_segbuf(s) == 0 && acp_free_segbuf(d) == 0);

  s = acp_create_src_segbuf(rank, buf, 8, 2);
  d = acp_create_dst_segbuf(rank, buf + 32, 16, 1);
  FAILS(acp_connect_segbuf(s), -1, EINVAL);
  FAILS(acp_isconnected_segbuf(d), -1, EINVAL);
}

int main(int argc, char **argv) {
  char early[8];
  FAILS(acp_create_src_segbuf(0, early, 8, 1), ACP_SEGBUF_NULL, EPERM);
  CHECK(acp_init(&argc, &argv) == 0);
  int rank = acp_rank(), procs = acp_procs();
  CHECK(procs <= MOST);
  exchange(rank, procs);
  mistakes(rank, procs);
  CHECK(acp_reset((rank + 1) % procs) == 0);
  exchange(acp_rank(), procs);
  CHECK(acp_finalize() == 0);
  return 0;
}
