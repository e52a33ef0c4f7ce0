// Operations of aggregate handles that are held back until there are many of them.

#ifndef ARMCI_AGGREGATE_H
#define ARMCI_AGGREGATE_H

#include "atomics.h"
#include "near.h"

// The number of handles that hold back operations. While it is zero, functions that cover them only
// read this word.
extern HIDDEN int goacp_armci_holding;

static inline int goacp_armci_nothing_held(void) {
  return goacp_load_acquire(&goacp_armci_holding) == 0;
}

// The highest bit of the slot of an aggregate handle. Handles of Go do not have it.
#define GOACP_ARMCI_AGGREGATE 0x80000000u

// Whether an operation belongs to a handle that may hold it back. Such a handle has another handle
// in Go.
static inline int goacp_armci_is_aggregate(const struct goacp_armci_action *a) {
  return a->handle != NULL && (a->handle->slot & GOACP_ARMCI_AGGREGATE) != 0;
}

// Holds a transfer back and returns 1, or does nothing and returns 0: the handle is not an
// aggregate handle, or the transfer is long, not contiguous, or wrong, and Go has to report the
// error. If the handle already holds back many transfers, they are started; without call the result
// is 0.
HIDDEN int goacp_armci_hold(call_t call, const struct goacp_armci_action *action,
                            const struct goacp_armci_strided *transfer);

// Returns the Go handle of an aggregate handle, and any other handle itself.
HIDDEN struct goacp_armci_handle *goacp_armci_inner(struct goacp_armci_handle *handle);

// Starts the operations that an aggregate handle holds back, and returns their result.
HIDDEN int goacp_armci_start(call_t call, armci_hdl_t *handle);

// Starts the operations that all handles hold back, and returns call: for functions such as fences,
// which cover operations for which the program has not waited.
HIDDEN void goacp_armci_start_all(call_t call);

static inline call_t goacp_armci_covering(call_t call) {
  if (!goacp_armci_nothing_held())
    goacp_armci_start_all(call);
  return call;
}

// Whether all stores of this process are visible.
static inline int goacp_armci_all_are_visible(void) {
  const struct goacp_armci *t = goacp_armci_table();
  return t != NULL && goacp_armci_nothing_held() &&
         goacp_load_acquire(&t->confirmed) == goacp_load_relaxed(&t->sent);
}

// Make a handle an aggregate handle, if the table of aggregate handles has room, and an ordinary
// handle.
HIDDEN void goacp_armci_set_aggregate(armci_hdl_t *handle);
HIDDEN void goacp_armci_unset_aggregate(call_t call, armci_hdl_t *handle);

// Makes all handles ordinary, after the end of the world.
HIDDEN void goacp_armci_unset_all(void);

#endif
