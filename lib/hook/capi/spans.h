// Spans of units of the pool, in use and free. Spans that have been freed keep their pages for a
// while, since new pages are slow. Free spans without pages are known to be zero. Neighbours that
// are free are joined if both have pages or both have none.

#ifndef GOACP_HOOK_SPANS_H
#define GOACP_HOOK_SPANS_H

#include "memory.h"

#include <pthread.h>
#include <stdint.h>

enum state { USED, DIRTY, CLEAN }; // DIRTY: free with pages, CLEAN: free and zero

struct span {
  size_t start, units; // in units
  enum state state;
  struct span *next, *previous; // in a bin of free spans, or in a class of blocks (slabs.c)
  struct slab *slab;           // the slab of the span; NULL if the span is one block
};

extern pthread_mutex_t spans_lock;

// The span of a unit: of its first and last one, and of all those of a slab.
extern struct span **span_of_unit;

// 0, or 1 + the class of the blocks in the unit.
extern uint8_t *class_of_unit;

// spans_begin makes the pool if there is none, and sends all blocks to libc if that fails. Returns 0 or -1.
int spans_begin(void);

// spans_ready makes the pool before the first block. Returns whether there is one.
static inline int spans_ready(void) {
  return __atomic_load_n(&memory.size, __ATOMIC_ACQUIRE) != 0 || spans_begin() == 0;
}

// spans_take takes units that begin at a multiple of alignment units. *zero says whether all is zero,
// unless zero is NULL. Returns NULL if the pool is full.
struct span *spans_take(size_t units, size_t alignment, int *zero);

// spans_give gives a span back. The pages go back to the kernel when too many are free.
void spans_give(struct span *span);

// spans_resize changes the length of a span in place. Returns 0, or -1 if the following units are
// in use.
int spans_resize(struct span *span, size_t units);

// spans_next returns the next span in the memory, NULL after the last; for NULL it returns the
// first. The caller holds the lock.
struct span *spans_next(struct span *span);

static inline void *span_address(const struct span *span) { return memory.base + (span->start << UNIT_SHIFT); }

// units_of returns the number of units of a span of this many bytes, at least one.
static inline size_t units_of(size_t bytes) { return bytes == 0 ? 1 : (bytes + UNIT - 1) >> UNIT_SHIFT; }

#endif
