// Small copies and atomics that the program issues while others for the same rank are in flight. C puts
// them into the submission queue of package maptable, from which Go takes many of them at a time.

#ifndef GOACP_SUBMISSION_H
#define GOACP_SUBMISSION_H

#include "atomics.h"
#include "direct.h"

// goacp_submit_copy and goacp_submit_atomic submit a copy or an atomic without an order, and return
// its handle. If they return 0, they have changed nothing, and Go is to do it. They do not block.
uint64_t goacp_submit_copy(struct goacp_direct *t, uint64_t dst, uint64_t src, uint64_t n)
    __attribute__((visibility("hidden")));
uint64_t goacp_submit_atomic(struct goacp_direct *t, int op, int width, uint64_t dst, uint64_t src,
                            uint64_t operand, uint64_t compare) __attribute__((visibility("hidden")));

// Whether operations for some rank may be submitted.
static inline int goacp_submissions_open(const struct goacp_direct *t) {
  return t != NULL && goacp_load_relaxed(&t->submissions.to) != 0;
}

#endif
