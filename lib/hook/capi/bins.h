// Bins hold free spans, sorted by length: spans below 64 units by the exact length, longer spans by
// eighths of a power of two.

#ifndef GOACP_HOOK_BINS_H
#define GOACP_HOOK_BINS_H

#include "spans.h"

#define EXACT 64
#define BINS 256 // for lengths below 2^30 units

struct bins {
  struct span *lists[BINS];
  uint64_t filled[BINS / 64]; // which bins have spans
  size_t units;               // of all spans
};

void bins_put(struct bins *bins, struct span *span);

void bins_remove(struct bins *bins, struct span *span);

// bins_find returns a span of at least units, NULL if there is none. It takes the bin of the
// shortest spans that has such a span, and in this bin the shortest of the first few that are long
// enough.
struct span *bins_find(struct bins *bins, size_t units);

// bins_longest returns a span of the longest bin, NULL if all bins are empty.
struct span *bins_longest(struct bins *bins);

#endif
