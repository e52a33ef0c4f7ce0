// A shelf has free runs, sorted by their length: those below 64 units by the exact length, longer ones by
// eighths of a power of two.

#ifndef GOACP_HOOK_SHELF_H
#define GOACP_HOOK_SHELF_H

#include "runs.h"

#define EXACT 64
#define BINS 256 // for lengths below 2^30 units

struct shelf {
  struct run *bins[BINS];
  uint64_t filled[BINS / 64]; // which bins have runs
  size_t units;               // of all runs
};

void shelf_put(struct shelf *shelf, struct run *run);

void shelf_remove(struct shelf *shelf, struct run *run);

// shelf_find returns a run of at least so many units, NULL if there is none. It takes the shortest bin that
// has one, and in this bin the shortest of the first few that are long enough.
struct run *shelf_find(struct shelf *shelf, size_t units);

// shelf_longest returns a run of the longest bin, NULL if the shelf is empty.
struct run *shelf_longest(struct shelf *shelf);

#endif
