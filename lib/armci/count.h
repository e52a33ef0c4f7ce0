// Counts transfers that C has made on mapped memory. Mirrors
// internal/system/armci/transfer/count.go. The functions return 1.

#ifndef ARMCI_COUNT_H
#define ARMCI_COUNT_H

#include "internal.h"

#include "traffic.h"

_Static_assert((int)GOACP_ARMCI_PUT == (int)GOACP_TRAFFIC_PUT && (int)GOACP_ARMCI_GET == (int)GOACP_TRAFFIC_GET &&
                   (int)GOACP_ARMCI_ACCUMULATE == (int)GOACP_TRAFFIC_ATOMIC,
               "transfers are counted as other kinds");

// Counts an operation on n bytes of a process.
static inline int count_bytes(const struct goacp_armci *t, int proc, int kind, uint64_t n) {
  struct goacp_traffic *of = goacp_traffic(t->direct);
  if (of != NULL)
    goacp_count_rank(of, t->entries[proc].rank, kind, GOACP_TRAFFIC_SHM, n);
  return 1;
}

static inline int count_strided(const struct goacp_armci *t, int kind, const struct goacp_armci_strided *s) {
  if (goacp_traffic(t->direct) == NULL)
    return 1;
  uint64_t bytes = (uint64_t)s->count[0];
  for (int i = 1; i <= s->levels; i++)
    bytes *= (uint64_t)s->count[i];
  return count_bytes(t, s->proc, kind, bytes);
}

static inline int count_vector(const struct goacp_armci *t, int kind, const struct goacp_armci_giov *descriptors,
                               int n, int proc) {
  if (goacp_traffic(t->direct) == NULL)
    return 1;
  uint64_t bytes = 0;
  for (int i = 0; i < n; i++)
    bytes += (uint64_t)descriptors[i].bytes * (uint64_t)descriptors[i].length;
  return count_bytes(t, proc, kind, bytes);
}

#endif
