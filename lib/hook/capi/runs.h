// Runs of units of the pool: those in use, and those that are free. Runs that have been freed keep their
// pages for a while, since new pages are slow. Free runs without pages are known to be zero. Neighbours
// that are free are joined if both have pages or both have none.

#ifndef GOACP_HOOK_RUNS_H
#define GOACP_HOOK_RUNS_H

#include "memory.h"

#include <pthread.h>
#include <stdint.h>

enum state { USED, DIRTY, CLEAN }; // DIRTY: free with pages, CLEAN: free and zero

struct run {
  size_t start, units; // in units
  enum state state;
  struct run *next, *previous; // on a shelf of free runs, or in a class of blocks (slabs.c)
  struct slab *slab;           // what slabs.c knows of the run; NULL if the run is one block
};

extern pthread_mutex_t runs_lock;

// The run of a unit: of its first and last one, and of all those of a slab.
extern struct run **run_of_unit;

// 0, or 1 + the class of the blocks in the unit.
extern uint8_t *class_of_unit;

// runs_begin makes the pool if there is none, and sends all blocks to libc if that fails. Returns 0 or -1.
int runs_begin(void);

// runs_ready makes the pool before the first block. Returns whether there is one.
static inline int runs_ready(void) {
  return __atomic_load_n(&memory.size, __ATOMIC_ACQUIRE) != 0 || runs_begin() == 0;
}

// runs_take takes units that begin at a multiple of alignment units. *zero says whether all is zero,
// unless zero is NULL. Returns NULL if the pool is full.
struct run *runs_take(size_t units, size_t alignment, int *zero);

// runs_give gives a run back. The pages go back to the kernel when too many are free.
void runs_give(struct run *run);

// runs_resize makes a run longer or shorter where it is. Returns 0, or -1 if what follows is in use.
int runs_resize(struct run *run, size_t units);

// runs_next returns the run that follows in the memory, NULL behind the last one; of NULL, the first one.
// The caller holds the lock.
struct run *runs_next(struct run *run);

static inline void *run_address(const struct run *run) { return memory.base + (run->start << UNIT_SHIFT); }

// units_of returns how many units a run of so many bytes has. A run has one at least.
static inline size_t units_of(size_t bytes) { return bytes == 0 ? 1 : (bytes + UNIT - 1) >> UNIT_SHIFT; }

#endif
