// Where memory lies that this process reaches by loads and stores. The functions mirror, in
// this order:
//
//   goacp_move                 Move of internal/fabric
//   goacp_idle, _quiet, _next  Table.Idle, Table.Quiet and Table.Next of internal/memory/maptable
//   goacp_heap_position        Layout.HeapOffset of internal/memory/segment (layout.go)
//   goacp_at                   Table.At and Table.HeapAt of internal/memory/maptable
//   goacp_heap_of, _in_heap    View.Window and Window.At of internal/memory/heapview
//   goacp_registered           Process.registered of acp/access.go
//   goacp_count_in, _out       table.enter and table.leave of segment (underway.go)
//   goacp_region_at            table.lookupOnce of segment (table.go)
//   goacp_own                  Space.Resolve for registered memory
//   goacp_pooled               Table.Pooled of internal/memory/maptable, PoolExtent.At of segment (pool.go)
//
// With them a put or get of 8 bytes takes less time than a mere call into Go. docs/performance.md
// measures it as "one host: put 8 B" and "own registered memory: put 8 B".

#ifndef GOACP_DIRECT_H
#define GOACP_DIRECT_H

#include "atomics.h"
#include "layout.h"
#include "process.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// A copy of an aligned word is one load and one store, so that no reader sees half of it. They are
// acquire and release, because the word may be the flag that follows the data.
static inline void goacp_move(void *dst, const void *src, size_t n) {
  uintptr_t both = (uintptr_t)dst | (uintptr_t)src;
  if (n == 8 && both % 8 == 0)
    goacp_store_release((uint64_t *)dst, goacp_load_acquire((const uint64_t *)src));
  else if (n == 4 && both % 4 == 0)
    goacp_store_release((uint32_t *)dst, goacp_load_acquire((const uint32_t *)src));
  else
    memmove(dst, src, n);
}

// The table of the initialised library, NULL before and after.
static inline struct goacp_direct *goacp_direct(void) {
  return goacp_load_acquire(&goacp_process.table);
}

// Whether nothing is in flight, so that every order is satisfied.
static inline int goacp_idle(const struct goacp_direct *t) {
  return t != NULL && goacp_load_acquire(&t->pending) == 0;
}

// Whether nothing is in flight, and no failure has to be reported.
static inline int goacp_quiet(const struct goacp_direct *t) {
  return goacp_idle(t) && goacp_load_acquire(&t->failed) == 0;
}

static inline uint64_t goacp_rank_of(uint64_t ga) { return ga >> GOACP_POSITION_BITS; }

static inline uint64_t goacp_position_of(uint64_t ga) {
  return ga & (((uint64_t)1 << GOACP_POSITION_BITS) - 1);
}

// The position of the heap of a rank.
static inline uint64_t goacp_heap_position(const struct goacp_peer *peer) {
  uint64_t starter = goacp_load_relaxed(&peer->starter);
  return (GOACP_STARTER_OFFSET + starter + GOACP_PAGE_SIZE + GOACP_SPAN_SIZE - 1) &
         ~(uint64_t)(GOACP_SPAN_SIZE - 1);
}

// Whether the n bytes at pos lie in the size bytes from from on.
static inline int goacp_within(uint64_t pos, uint64_t n, uint64_t from,
                               uint64_t size) {
  uint64_t offset = pos - from; // huge if pos lies before it
  return offset <= size && n <= size - offset;
}

// The address of the n bytes at ga, or NULL if they are not in the table.
static inline void *goacp_at(const struct goacp_direct *t, uint64_t ga,
                             uint64_t n) {
  uint64_t rank = goacp_rank_of(ga);
  if (rank >= goacp_load_relaxed(&t->procs))
    return NULL;
  const struct goacp_peer *peer = &t->peers[rank];
  uint64_t heap_len = goacp_load_acquire(&peer->heap_len);
  char *base = goacp_load_acquire(&peer->base);
  uint64_t pos = goacp_position_of(ga);
  if (base != NULL && (goacp_within(pos, n, GOACP_STARTER_OFFSET,
                                 goacp_load_relaxed(&peer->starter)) ||
                    goacp_within(pos, n, goacp_heap_position(peer), heap_len)))
    return base + pos;
  return NULL;
}

// The heap of a rank, as far as it is mapped.
struct goacp_heap {
  char *start;    // where it lies in this process
  uint64_t first; // its address
  uint64_t size;  // bytes that are mapped, 0 if none are
};

static inline struct goacp_heap goacp_heap_of(const struct goacp_direct *t, uint64_t rank) {
  if (rank >= goacp_load_relaxed(&t->procs))
    return (struct goacp_heap){NULL, 0, 0};
  const struct goacp_peer *peer = &t->peers[rank];
  uint64_t size = goacp_load_acquire(&peer->heap_len);
  char *base = goacp_load_acquire(&peer->base);
  if (base == NULL)
    return (struct goacp_heap){NULL, 0, 0};
  uint64_t from = goacp_heap_position(peer);
  return (struct goacp_heap){base + from, (rank << GOACP_POSITION_BITS) + from, size};
}

// The address of the n bytes at ga, or NULL if the heap does not have them.
static inline void *goacp_in_heap(const struct goacp_heap *h, uint64_t ga, uint64_t n) {
  return h->start != NULL && goacp_within(ga, n, h->first, h->size) ? h->start + (ga - h->first)
                                                                    : NULL;
}

// The same for words of 8 bytes. It is NULL, too, if ga is no multiple of 8.
static inline void *goacp_words_in_heap(const struct goacp_heap *h, uint64_t ga, uint64_t n) {
  return ga % 8 == 0 ? goacp_in_heap(h, ga, n) : NULL;
}

// Whether ga can be registered memory of this process.
static inline int goacp_registered(const struct goacp_direct *t, uint64_t ga) {
  return goacp_position_of(ga) >= GOACP_USER_BASE &&
         goacp_rank_of(ga) == goacp_load_relaxed(&t->rank) &&
         goacp_load_acquire(&t->procs) != 0;
}

// Counts an access to registered memory as begun, before it looks up the address: unregistering
// waits for it. Returns what goacp_count_out needs. Package segment does the same.
static inline uint32_t goacp_count_in(struct goacp_regions *r) {
  for (;;) {
    uint32_t epoch = goacp_load_seq_cst(&r->epoch);
    goacp_fetch_add_seq_cst(&r->under_way[epoch & 1], 1);
    // If Go has switched counters in the meantime, it may already have seen 0.
    if (goacp_load_seq_cst(&r->epoch) == epoch)
      return epoch;
    goacp_fetch_sub_seq_cst(&r->under_way[epoch & 1], 1);
  }
}

// Counts the access out after the last use of its address.
static inline void goacp_count_out(struct goacp_regions *r, uint32_t epoch) {
  goacp_fetch_sub_seq_cst(&r->under_way[epoch & 1], 1);
}

// Finds the region with the n bytes at position pos in a table of registered memory, and the
// sequence number of the table. Returns 0 if there is none, while the owner changes the table, and
// if the table has more than mapped leaves.
static inline int goacp_region_at(const struct goacp_regions *r, uint32_t mapped, uint64_t pos,
                                  uint64_t n, struct goacp_region *region, uint32_t *seen) {
  uint32_t seq = goacp_load_acquire(&r->seq);
  uint32_t low = 0, high = goacp_load_relaxed(&r->leaves);
  const struct goacp_leaf *index = (const struct goacp_leaf *)(r + 1);
  if (high > GOACP_MAX_LEAVES || goacp_load_relaxed(&r->made) > mapped)
    return 0;
  while (low < high) { // the first leaf that begins after pos
    uint32_t middle = low + (high - low) / 2;
    if (goacp_load_relaxed(&index[middle].first) <= pos)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0)
    return 0;
  uint64_t first = goacp_load_relaxed(&index[low - 1].at);
  high = goacp_load_relaxed(&index[low - 1].count);
  if (first + high > (uint64_t)mapped * GOACP_LEAF_SIZE) // the owner changes the table
    return 0;
  const struct goacp_region *at = (const struct goacp_region *)(index + GOACP_MAX_LEAVES) + first;
  for (low = 0; low < high;) { // the first region that begins after pos
    uint32_t middle = low + (high - low) / 2;
    if (goacp_load_relaxed(&at[middle].pos) <= pos)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0)
    return 0;
  const struct goacp_region *found = &at[low - 1];
  region->pos = goacp_load_relaxed(&found->pos);
  region->size = goacp_load_relaxed(&found->size);
  region->addr = goacp_load_relaxed(&found->addr);
  // The data is valid only if the owner has not changed the table in the meantime.
  goacp_fence_acquire();
  *seen = seq;
  return seq % 2 == 0 && goacp_load_relaxed(&r->seq) == seq &&
         goacp_within(pos, n, region->pos, region->size);
}

// The address of the n bytes at ga if they are registered memory of this process, and otherwise
// NULL. It is also NULL while Go changes the regions. The caller has begun a visit, or has counted
// itself in.
static inline void *goacp_own(const struct goacp_direct *t, uint64_t ga,
                              uint64_t n) {
  if (!goacp_registered(t, ga))
    return NULL;
  const struct goacp_regions *r = goacp_load_acquire(&t->regions);
  struct goacp_region region;
  uint32_t seen;
  uint64_t pos = goacp_position_of(ga);
  if (!goacp_region_at(r, GOACP_MAX_LEAVES, pos, n, &region, &seen))
    return NULL;
  return (void *)(region.addr + (pos - region.pos));
}

// Where registered memory in the pool of a rank lies in this process.
struct goacp_in_pool {
  uint64_t first, size; // address of the memory and its bytes; size is 0 if a part of the region is elsewhere
  char *here;
  const struct goacp_regions *regions; // the table with this entry
  uint32_t seen;                       // its sequence number then
};

// The address of the n bytes at ga if they are registered memory in the pool of a rank that is mapped,
// and otherwise NULL. Then found describes the region. The pool stays mapped, so the caller need not
// have begun a visit.
static inline void *goacp_find_pooled(const struct goacp_direct *t, uint64_t ga, uint64_t n,
                                      struct goacp_in_pool *found) {
  uint64_t rank = goacp_rank_of(ga), pos = goacp_position_of(ga);
  if (pos < GOACP_USER_BASE || rank >= goacp_load_relaxed(&t->procs))
    return NULL;
  const struct goacp_peer *peer = &t->peers[rank];
  uint32_t mapped = goacp_load_acquire(&peer->mapped_leaves);
  if (mapped == 0)
    return NULL;
  struct goacp_region region;
  found->regions = goacp_load_acquire(&peer->regions);
  if (!goacp_region_at(found->regions, mapped, pos, n, &region, &found->seen))
    return NULL;
  uint64_t size = (uint64_t)goacp_load_relaxed(&peer->pages) * GOACP_PAGE_SIZE;
  uint64_t from = goacp_load_relaxed(&peer->pool_at), offset = pos - region.pos;
  if (!goacp_within(region.addr + offset, n, from, size))
    return NULL;
  found->first = ga - offset;
  found->size = goacp_within(region.addr, region.size, from, size) ? region.size : 0;
  found->here = goacp_load_relaxed(&peer->pool) + (region.addr - from);
  return found->here + offset;
}

// The same for callers that do not need the region.
static inline void *goacp_pooled(const struct goacp_direct *t, uint64_t ga, uint64_t n) {
  struct goacp_in_pool found;
  return goacp_find_pooled(t, ga, n, &found);
}

static inline uint64_t goacp_next(struct goacp_direct *t) {
  return goacp_add_fetch_relaxed(&t->issued, 1);
}

#endif
