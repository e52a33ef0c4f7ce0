// Counts the transfers of this process. Mirrors Table.Add and OfCopy of internal/ground/traffic. A
// process that does not count has no table; the fast path reads this in the cache line of the table
// for direct access.
//
// One thread of C has private counters, which it updates without atomic instructions: an operation
// costs 2 ns, an atomic addition 5 ns.

#ifndef GOACP_TRAFFIC_H
#define GOACP_TRAFFIC_H

#include "atomics.h"
#include "direct.h"

#include <pthread.h>

#ifdef __has_builtin
#if __has_builtin(__builtin_thread_pointer)
#define GOACP_THREAD __builtin_thread_pointer()
#endif
#endif
#ifndef GOACP_THREAD
#define GOACP_THREAD pthread_self()
#endif

// Identifies the calling thread: the same in libacp, libarmci and libgp.
static inline uint64_t goacp_thread(void) { return (uintptr_t)GOACP_THREAD; }

// Where this process counts, NULL if it does not.
static inline struct goacp_traffic *goacp_traffic(const struct goacp_direct *t) {
  return goacp_load_relaxed(&t->traffic);
}

// Whether the calling thread has private counters. The first thread that calls the function gets
// them.
static inline int goacp_owns_counters(struct goacp_traffic *of) {
  uint64_t self = goacp_thread();
  uint64_t owner = goacp_load_relaxed(&of->owner);
  return owner == self ||
         (owner == 0 && goacp_compare_exchange_relaxed(&of->owner, &owner, self));
}

static inline void goacp_bump(uint64_t *counter, uint64_t n) {
  goacp_store_relaxed(counter, goacp_load_relaxed(counter) + n);
}

// Mirrors Counts.add and passQuarter. operations is 0 or 1.
static inline void goacp_add_shared(struct goacp_counts *c, uint64_t operations, uint64_t n) {
  const uint64_t rest = n >> GOACP_TRAFFIC_REST_SHIFT << GOACP_TRAFFIC_REST_SHIFT;
  const uint64_t byte_quarter = UINT64_C(1) << (GOACP_TRAFFIC_OPERATION_SHIFT - 2);
  const uint64_t operation_quarter = UINT64_C(1) << 62;

  if (rest != 0)
    goacp_fetch_add_relaxed(&c->rest, rest);
  uint64_t more = n - rest + (operations << GOACP_TRAFFIC_OPERATION_SHIFT);
  uint64_t before = goacp_fetch_add_relaxed(&c->shared, more);
  uint64_t changed = before ^ (before + more);
  if (__builtin_expect((changed & byte_quarter) != 0, 0))
    goacp_fetch_add_relaxed(&c->quarters, 1);
  if (__builtin_expect((changed & operation_quarter) != 0, 0))
    goacp_fetch_add_relaxed(&c->quarters, UINT64_C(1) << 32);
}

// Counts operations (0 or 1) that transfer n bytes with a member.
static inline void goacp_count_operations(struct goacp_traffic *of, uint32_t member, int kind, int path,
                                          uint64_t operations, uint64_t n) {
  struct goacp_counts *c =
      (struct goacp_counts *)((char *)of + GOACP_TRAFFIC_COUNTS_AT) +
      ((uint64_t)member * GOACP_TRAFFIC_KINDS + (uint64_t)kind) * GOACP_TRAFFIC_PATHS + path;
  if (goacp_owns_counters(of)) {
    goacp_bump(&c->own_operations, operations);
    goacp_bump(&c->own_bytes, n);
  } else {
    goacp_add_shared(c, operations, n);
  }
}

// Counts an operation that transfers n bytes with a member.
static inline void goacp_count(struct goacp_traffic *of, uint32_t member, int kind, int path,
                               uint64_t n) {
  goacp_count_operations(of, member, kind, path, 1, n);
}

// Counts a message of n bytes of a link. Mirrors Sent.Add.
static inline void goacp_count_sent(struct goacp_sent *sent, uint64_t n) {
  if (sent != NULL) {
    goacp_fetch_add_relaxed(&sent->messages, 1);
    goacp_fetch_add_relaxed(&sent->bytes, n);
  }
}

// Counts an operation on the memory of a rank.
static inline void goacp_count_rank(struct goacp_traffic *of, uint64_t rank, int kind, int path,
                                    uint64_t n) {
  goacp_count(of, of->members[rank], kind, path, n);
}

// If the process counts, counts an operation on a structure in the memory of a rank that this
// process has executed by loads and stores. If several calls count one operation, operations is 1
// in only one of them.
static inline void goacp_count_part(const struct goacp_direct *t, uint64_t rank, uint64_t operations,
                                    uint64_t n) {
  struct goacp_traffic *of = goacp_traffic(t);
  if (__builtin_expect(of != NULL, 0))
    goacp_count_operations(of, of->members[rank], GOACP_TRAFFIC_STRUCTURE, GOACP_TRAFFIC_SHM,
                           operations, n);
}

// The same for an operation that one call counts.
static inline void goacp_count_structure(const struct goacp_direct *t, uint64_t rank, uint64_t n) {
  goacp_count_part(t, rank, 1, n);
}

// Counts a copy that this process has made.
static inline void goacp_count_copy(const struct goacp_direct *t, struct goacp_traffic *of,
                                    uint64_t dst, uint64_t src, int path, uint64_t n) {
  uint64_t self = goacp_load_relaxed(&t->rank);
  uint64_t to = goacp_rank_of(dst), from = goacp_rank_of(src);
  if (from == self)
    goacp_count_rank(of, to, GOACP_TRAFFIC_PUT, path, n);
  else if (to == self)
    goacp_count_rank(of, from, GOACP_TRAFFIC_GET, path, n);
  else
    goacp_count_rank(of, to, GOACP_TRAFFIC_COPY, path, n);
}

#endif
