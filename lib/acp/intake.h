// Small copies and atomics that the program issues while others for the same rank are in flight. C leaves
// them in the Intake of package maptable, where Go takes many of them in at a time.

#ifndef GOACP_INTAKE_H
#define GOACP_INTAKE_H

#include "direct.h"

// goacp_leave_copy and goacp_leave_atomic leave a copy or an atomic without an order there, and return
// its handle. If they return 0, they have changed nothing, and Go is to do it. They do not block.
uint64_t goacp_leave_copy(struct goacp_direct *t, uint64_t dst, uint64_t src, uint64_t n)
    __attribute__((visibility("hidden")));
uint64_t goacp_leave_atomic(struct goacp_direct *t, int op, int width, uint64_t dst, uint64_t src,
                            uint64_t operand, uint64_t compare) __attribute__((visibility("hidden")));

// Whether operations for some rank may be left.
static inline int goacp_intake_open(const struct goacp_direct *t) {
  return t != NULL && __atomic_load_n(&t->intake.to, __ATOMIC_RELAXED) != 0;
}

#endif
