// Operations on vectors and deques whose storage has room. Go makes new storage, and executes operations that move
// bytes.
//
// Mirrors internal/structure/sequence: struct ring, open_ring, save, position, advance, retreat and write_bytes
// are ring, open, save, position, advance, retreat and write (ring.go), goacp_try_push and
// goacp_try_pop are push and pop, goacp_try_state and goacp_try_locate are OpState and find
// (perform.go). If the bytes that go in are part of the storage, Go does it: it copies them first.
//
// docs/performance.md measures it as "one host: vector, push and pop of 8 B" and "one host: deque, push
// and pop of 8 B".

#include "sequence.h"
#include "input.h"
#include "traffic.h"

#include <string.h>

// A copy of a control block, and where the storage is.
struct ring {
  void *control;
  int is_deque;
  char *storage;
  uint64_t data, offset, size, capacity; // offset is 0 in a vector
};

// Reads the control block at ga. Returns 0 if there is none, or if it is damaged.
static inline int open_ring(const struct goacp_direct *d, acp_ga_t ga, int is_deque, struct ring *r) {
  struct goacp_heap heap = goacp_heap_of(d, goacp_rank_of(ga));
  uint64_t mark;
  if (is_deque) {
    const struct goacp_deque *c = goacp_words_in_heap(&heap, ga, sizeof *c);
    if (c == NULL)
      return 0;
    *r = (struct ring){(void *)c, 1, NULL, c->data, c->offset, c->size, c->capacity};
    mark = c->mark ^ GOACP_DEQUE_MARK;
  } else {
    const struct goacp_vector *c = goacp_words_in_heap(&heap, ga, sizeof *c);
    if (c == NULL)
      return 0;
    *r = (struct ring){(void *)c, 0, NULL, c->data, 0, c->size, c->capacity};
    mark = c->mark ^ GOACP_VECTOR_MARK;
  }
  if (mark != ga || r->size > r->capacity || (r->offset > 0 && r->offset >= r->capacity))
    return 0;
  r->storage = goacp_in_heap(&heap, r->data, r->capacity);
  return r->storage != NULL || r->capacity == 0;
}

// Writes back the words that a push or a pop has changed.
static inline void save(const struct ring *r) {
  if (r->is_deque) {
    struct goacp_deque *c = r->control;
    c->offset = r->offset;
    c->size = r->size;
  } else {
    struct goacp_vector *c = r->control;
    c->size = r->size;
  }
}

// Where in the storage byte i lies.
static inline uint64_t position(const struct ring *r, uint64_t i) {
  uint64_t at = r->offset + i;
  return at >= r->capacity ? at - r->capacity : at;
}

static inline void advance(struct ring *r, uint64_t n) {
  r->offset += n;
  if (r->offset >= r->capacity)
    r->offset -= r->capacity;
}

static inline void retreat(struct ring *r, uint64_t n) {
  if (r->offset < n)
    r->offset += r->capacity;
  r->offset -= n;
}

// Copies n bytes to the bytes from i on, which may lie in two parts.
static inline void write_bytes(const struct ring *r, uint64_t i, const char *bytes, uint64_t n) {
  uint64_t at = position(r, i), first = r->capacity - at;
  if (__builtin_expect(n == 8 && first >= 8, 1)) {
    memcpy(r->storage + at, bytes, 8);
  } else if (n <= first) {
    memcpy(r->storage + at, bytes, n);
  } else {
    memcpy(r->storage + at, bytes, first);
    memcpy(r->storage, bytes + first, n - first);
  }
}

// Whether some of the n bytes are part of the storage.
static inline int owns(const struct ring *r, const char *bytes, uint64_t n) {
  uint64_t offset = (uintptr_t)bytes - (uintptr_t)r->storage;
  return offset < r->capacity || offset > -n;
}

// Adds bytes that stay valid during the call.
static inline int push(const struct goacp_direct *d, acp_ga_t at, int is_deque, uint64_t end,
                       const char *bytes, uint64_t n) {
  struct ring r;
  if (!open_ring(d, at, is_deque, &r) || n > r.capacity - r.size || owns(&r, bytes, n))
    return 0;
  uint64_t to = r.size;
  if (end == GOACP_FRONT) {
    retreat(&r, n);
    to = 0;
  }
  write_bytes(&r, to, bytes, n);
  r.size += n;
  save(&r);
  goacp_count_structure(d, goacp_rank_of(at), n);
  return 1;
}

int goacp_try_push(acp_ga_t at, int is_deque, uint64_t end, acp_ga_t ga, size_t size) {
  const struct goacp_direct *d = goacp_direct();
  struct goacp_input in;
  if (d == NULL || size == 0 ||
      !goacp_bring(d, (acp_element_t){ga, size}, (acp_element_t){ACP_GA_NULL, 0}, &in))
    return 0;
  int pushed = push(d, at, is_deque, end, in.data, size);
  goacp_release(&in);
  return pushed;
}

int goacp_try_pop(acp_ga_t at, int is_deque, uint64_t end, size_t size) {
  const struct goacp_direct *d = goacp_direct();
  struct ring r;
  if (d == NULL || !open_ring(d, at, is_deque, &r))
    return 0;
  uint64_t n = size < r.size ? size : r.size;
  if (end == GOACP_FRONT)
    advance(&r, n);
  r.size -= n;
  save(&r);
  goacp_count_structure(d, goacp_rank_of(at), 0);
  return 1;
}

int goacp_try_state(acp_ga_t at, int is_deque, uint64_t *size, uint64_t *capacity) {
  const struct goacp_direct *d = goacp_direct();
  struct ring r;
  if (d == NULL || !open_ring(d, at, is_deque, &r))
    return 0;
  *size = r.size;
  *capacity = r.capacity;
  goacp_count_structure(d, goacp_rank_of(at), 0);
  return 1;
}

int goacp_try_locate(acp_ga_t at, int is_deque, int offset, acp_ga_t *ga) {
  const struct goacp_direct *d = goacp_direct();
  struct ring r;
  if (d == NULL || offset < 0 || !open_ring(d, at, is_deque, &r) || (uint64_t)offset >= r.size)
    return 0;
  *ga = r.data + position(&r, (uint64_t)offset);
  goacp_count_structure(d, goacp_rank_of(at), 0);
  return 1;
}
