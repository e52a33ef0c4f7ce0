// Barriers and reductions of groups without a call into Go, if the members share memory.

#ifndef ARMCI_AREA_H
#define ARMCI_AREA_H

#include "internal.h"

// Combines the n elements of left and right into dst, which is one of both.
typedef void goacp_armci_combine_t(void *dst, const void *left, const void *right, size_t n);

// How to combine elements. prepare changes the elements of a process before; it may be NULL.
struct goacp_armci_combiner {
  void (*prepare)(void *x, size_t n);
  goacp_armci_combine_t *combine;
};

// The operator that text names, for elements of a type, or NULL if there is none. size is set to
// the bytes of an element.
HIDDEN const struct goacp_armci_combiner *goacp_armci_combiner(const char *text, int type, size_t *size);

// The collective area of a group, or NULL.
HIDDEN struct goacp_armci_area *goacp_armci_area(uint64_t group);

// Barrier of the processes of a collective area. Returns 0 or a negative number.
HIDDEN int goacp_armci_meet(call_t call, struct goacp_armci_area *b);

// Combines the n elements x of size bytes of all processes of a collective area. Returns 0 or a negative number.
HIDDEN int goacp_armci_combine(call_t call, struct goacp_armci_area *b, void *x, size_t n, size_t size,
                               const struct goacp_armci_combiner *f);

#endif
