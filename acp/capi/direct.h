// The table of memory that this process reaches by loads and stores, as package
// internal/direct lays it out. A test compares the two.

#ifndef GOACP_DIRECT_H
#define GOACP_DIRECT_H

#include "process.h"

#include <stddef.h>
#include <stdint.h>

struct goacp_peer {
  uintptr_t base;   // address here of the rank's position 0; 0 if not mapped
  uint64_t starter; // bytes of its starter memory, from which follows where its heap is
  uintptr_t books;  // address here of the books of its heap
  uint64_t heaplen; // bytes of its heap that are mapped; read before base and books, which
                    // lead to no less when they have changed
};

// This process's part in the barrier of the ranks of its host. The caller that is in the
// barrier, in Go or C, changes count and marked; the rest does not change.
struct goacp_barrier {
  uint32_t *arrived;  // members that have entered, of all barriers together; NULL if
                      // the barrier is Go's alone
  uint32_t *released; // barriers completed
  uint32_t *sleepers; // members that are about to sleep, or do
  uint64_t count;     // barriers begun by this process
  uint32_t group;     // ranks that share the words
  uint32_t spin;      // nanoseconds to look before sleeping
  uint64_t *marks;    // what the ranks have come to even and odd barriers for, added up;
                      // acp_sync adds 0
  uint64_t marked[2]; // the same, if all have come for what this process has come for
};

struct goacp_direct {
  uint64_t issued;  // newest handle
  uint64_t pending; // operations in flight
  uint64_t procs;   // 0 when the table is not to be used
  uint64_t rank;    // of this process
  struct goacp_peer *peers;
  struct goacp_regions *regions; // registered memory of this process
  struct goacp_channels *channels; // NULL until there are any
  struct goacp_windows *windows; // NULL if there are none
  struct goacp_barrier barrier;
};

// How memory in windows of MPI is reached, as package rma lays it out. The functions
// carry out one operation on memory of the library and return 1, or do nothing and
// return 0: then it is Go's. If atomic is not NULL all atomics are its, also those on mapped
// memory.
struct goacp_windows {
  int (*copy)(struct goacp_windows *w, uint64_t ga, void *here, uint64_t n,
              int get);
  int (*atomic)(struct goacp_windows *w, int op, int width, uint64_t ga,
                uint64_t operand, uint64_t compare, uint64_t *old);
};

// The atomics, numbered as in package fabric.
enum goacp_op {
  GOACP_ADD = 1,
  GOACP_CAS,
  GOACP_SWAP,
  GOACP_AND,
  GOACP_OR,
  GOACP_XOR,
};

// A region of registered memory.
struct goacp_region {
  uint64_t pos;  // first position
  uint64_t size; // bytes
  uint64_t addr; // of the first byte in its process
};

// Regions in order of position, as package segment lays them out. Go changes them
// under a lock that C does not take; seq is odd meanwhile and different afterwards.
struct goacp_regions {
  uint32_t seq;
  uint32_t count;
  uint32_t epoch; // its lowest bit selects the counter in use
  char reserved[20];
  uint32_t under_way[2]; // accesses; see goacp_count_in
  char reserved2[24];
  struct goacp_region at[];
};

_Static_assert(sizeof(void *) == 8, "addresses have 64 bits");
_Static_assert(sizeof(struct goacp_direct) == 128, "two cache lines");
_Static_assert(offsetof(struct goacp_direct, barrier) == 64, "one for the barrier");
_Static_assert(sizeof(struct goacp_peer) == 32, "four words");
_Static_assert(offsetof(struct goacp_regions, under_way) == 32 &&
                   offsetof(struct goacp_regions, at) == 64,
               "as the header of a table in package segment");

#define GOACP_RANK_SHIFT 44
#define GOACP_STARTER_OFFSET 4096
#define GOACP_PAGE 4096
#define GOACP_HEAP_UNIT 65536
#define GOACP_USER_BASE ((uint64_t)1 << 40)
#define GOACP_MAX_REGIONS ((uint32_t)1 << 20)

// The table of the initialised library, NULL before and after.
static inline struct goacp_direct *goacp_direct(void) {
  return __atomic_load_n(&goacp_process.table, __ATOMIC_ACQUIRE);
}

// Whether nothing is in flight, so that every order is satisfied.
static inline int goacp_idle(const struct goacp_direct *t) {
  return t != NULL && __atomic_load_n(&t->pending, __ATOMIC_ACQUIRE) == 0;
}

// The position of the heap of a rank.
static inline uint64_t goacp_heap_position(const struct goacp_peer *peer) {
  uint64_t starter = __atomic_load_n(&peer->starter, __ATOMIC_RELAXED);
  return (GOACP_STARTER_OFFSET + starter + GOACP_PAGE + GOACP_HEAP_UNIT - 1) &
         ~(uint64_t)(GOACP_HEAP_UNIT - 1);
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
  uint64_t rank = ga >> GOACP_RANK_SHIFT;
  if (rank >= __atomic_load_n(&t->procs, __ATOMIC_RELAXED))
    return NULL;
  const struct goacp_peer *peer = &t->peers[rank];
  uint64_t heaplen = __atomic_load_n(&peer->heaplen, __ATOMIC_ACQUIRE);
  uint64_t base = __atomic_load_n(&peer->base, __ATOMIC_ACQUIRE);
  uint64_t pos = ga & (((uint64_t)1 << GOACP_RANK_SHIFT) - 1);
  if (base != 0 && (goacp_within(pos, n, GOACP_STARTER_OFFSET,
                                 __atomic_load_n(&peer->starter, __ATOMIC_RELAXED)) ||
                    goacp_within(pos, n, goacp_heap_position(peer), heaplen)))
    return (void *)(base + pos);
  return NULL;
}

// Whether ga can be registered memory of this process.
static inline int goacp_registered(const struct goacp_direct *t, uint64_t ga) {
  return (ga & (((uint64_t)1 << GOACP_RANK_SHIFT) - 1)) >= GOACP_USER_BASE &&
         ga >> GOACP_RANK_SHIFT == __atomic_load_n(&t->rank, __ATOMIC_RELAXED) &&
         __atomic_load_n(&t->procs, __ATOMIC_ACQUIRE) != 0;
}

// Counts an access to registered memory in, before its address is looked up: unregistering
// waits for it. Returns what goacp_count_out needs. Package segment does the same.
static inline uint32_t goacp_count_in(struct goacp_regions *r) {
  for (;;) {
    uint32_t epoch = __atomic_load_n(&r->epoch, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&r->under_way[epoch & 1], 1, __ATOMIC_SEQ_CST);
    // If Go has switched counters meanwhile, it may have seen 0 already.
    if (__atomic_load_n(&r->epoch, __ATOMIC_SEQ_CST) == epoch)
      return epoch;
    __atomic_fetch_sub(&r->under_way[epoch & 1], 1, __ATOMIC_SEQ_CST);
  }
}

// Counts the access out when its address is used no more.
static inline void goacp_count_out(struct goacp_regions *r, uint32_t epoch) {
  __atomic_fetch_sub(&r->under_way[epoch & 1], 1, __ATOMIC_SEQ_CST);
}

// The address of the n bytes at ga if they are registered memory of this process,
// otherwise NULL; also if Go is just changing the regions. The caller has begun a visit, or
// counted itself in.
static inline void *goacp_own(const struct goacp_direct *t, uint64_t ga,
                              uint64_t n) {
  uint64_t pos = ga & (((uint64_t)1 << GOACP_RANK_SHIFT) - 1);
  if (!goacp_registered(t, ga))
    return NULL;
  const struct goacp_regions *r = __atomic_load_n(&t->regions, __ATOMIC_ACQUIRE);
  uint32_t seq = __atomic_load_n(&r->seq, __ATOMIC_ACQUIRE);
  uint32_t low = 0, high = __atomic_load_n(&r->count, __ATOMIC_RELAXED);
  if (high > GOACP_MAX_REGIONS)
    return NULL;
  while (low < high) { // the first region that begins behind pos
    uint32_t middle = low + (high - low) / 2;
    if (__atomic_load_n(&r->at[middle].pos, __ATOMIC_RELAXED) <= pos)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0)
    return NULL;
  const struct goacp_region *found = &r->at[low - 1];
  uint64_t offset = pos - __atomic_load_n(&found->pos, __ATOMIC_RELAXED);
  uint64_t size = __atomic_load_n(&found->size, __ATOMIC_RELAXED);
  uint64_t addr = __atomic_load_n(&found->addr, __ATOMIC_RELAXED);
  // What was read counts only if it was not changed meanwhile.
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  if (seq % 2 != 0 || __atomic_load_n(&r->seq, __ATOMIC_RELAXED) != seq ||
      offset > size || n > size - offset)
    return NULL;
  return (void *)(addr + offset);
}

static inline uint64_t goacp_next(struct goacp_direct *t) {
  return __atomic_add_fetch(&t->issued, 1, __ATOMIC_RELAXED);
}

#endif
