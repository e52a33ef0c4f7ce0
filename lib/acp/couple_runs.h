// Positions of values, and copies of the values there. Mirrors internal/system/couple/points and flow: next_run is
// points.Iterator.decode, take is points.Iterator.Take, and copy is flow.Pack and flow.Unpack (copy.go).

#ifndef GOACP_COUPLE_RUNS_H
#define GOACP_COUPLE_RUNS_H

#include "layout.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct run {
  int64_t start, stride, count;
};

// A sequence of positions.
struct runs {
  const uint8_t *at, *end;
  int64_t next;    // the number after the last run
  struct run left; // of the present run
};

static inline uint64_t unsigned_number(struct runs *r) {
  uint64_t x = 0;
  for (int shift = 0;; shift += 7) {
    uint8_t b = *r->at++;
    x |= (uint64_t)(b & 127) << shift;
    if (b < 128)
      return x;
  }
}

static inline int64_t signed_number(struct runs *r) {
  uint64_t x = unsigned_number(r);
  return (int64_t)(x >> 1 ^ -(x & 1));
}

static inline struct run next_run(struct runs *r) {
  struct run run = {r->next + signed_number(r), 1, 1};
  uint64_t head = unsigned_number(r);
  run.count += (int64_t)(head >> 1);
  if (head & 1)
    run.stride = signed_number(r);
  r->next = run.start + run.stride * (run.count - 1) + 1;
  return run;
}

// Copies n points of size bytes that are to and from bytes apart.
#define GOACP_COPY(size)                                                       \
  for (; n > 0; n--, dst += to, src += from)                                   \
  memcpy(dst, src, size)

static inline void copy_run(char *dst, int64_t to, const char *src, int64_t from, int64_t n,
                            size_t size) {
  switch (size) {
  case 1:
    GOACP_COPY(1);
    break;
  case 2:
    GOACP_COPY(2);
    break;
  case 4:
    GOACP_COPY(4);
    break;
  case 8:
    GOACP_COPY(8);
    break;
  case 16:
    GOACP_COPY(16);
    break;
  default:
    GOACP_COPY(size);
  }
}

// The rest of the current run, or the next run. There must be one.
static inline int64_t peek(struct runs *r) {
  if (r->left.count == 0)
    r->left = next_run(r);
  return r->left.count;
}

// The next n positions; n is at most the length of the run that peek returns.
static inline struct run take(struct runs *r, int64_t n) {
  struct run run = {r->left.start, r->left.stride, n};
  r->left.start += n * r->left.stride;
  r->left.count -= n;
  return run;
}

// Copies the points of a run. They are to bytes apart at the destination, and from bytes apart at
// the source.
static inline void copy_points(char *dst, int64_t to, const char *src, int64_t from, int64_t n,
                               size_t size) {
  if (n == 1 || (to == (int64_t)size && from == (int64_t)size))
    memcpy(dst, src, (size_t)n * size);
  else
    copy_run(dst, to, src, from, n, size);
}

// Copies the first bytes of a flow between the values of the field and a message.
static inline void copy(const struct goacp_couple_flow *f, char *data, char *values, size_t size,
                        uint64_t bytes, int sends) {
  struct runs all = {.at = f->runs, .end = f->runs + f->run_bytes};
  int64_t each = (int64_t)size;
  while (bytes > 0) {
    struct run r = next_run(&all);
    uint64_t n = (uint64_t)r.count * size;
    if (n > bytes) {
      n = bytes;
      r.count = (int64_t)(n / size);
    }
    char *point = data + r.start * each;
    if (sends)
      copy_points(values, each, point, r.stride * each, r.count, size);
    else
      copy_points(point, r.stride * each, values, each, r.count, size);
    values += n;
    bytes -= n;
  }
}

#endif
