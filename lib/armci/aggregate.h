// Operations of aggregate handles that are held back until there are many of them.

#ifndef ARMCI_AGGREGATE_H
#define ARMCI_AGGREGATE_H

#include "near.h"

// Handles that hold operations back. Zero costs a function that covers them one look.
extern HIDDEN int goacp_armci_holding;

static inline int goacp_armci_nothing_held(void) {
  return __atomic_load_n(&goacp_armci_holding, __ATOMIC_ACQUIRE) == 0;
}

// The highest bit of the slot of an aggregate handle. Handles of Go do not have it.
#define GOACP_ARMCI_AGGREGATE 0x80000000u

// Whether an operation belongs to a handle that may hold it back. Go knows another handle then.
static inline int goacp_armci_is_aggregate(const struct goacp_armci_action *a) {
  return a->handle != NULL && (a->handle->slot & GOACP_ARMCI_AGGREGATE) != 0;
}

// Holds a transfer back and returns 1, or does nothing and returns 0: the handle is no aggregate one,
// or the transfer is long, or not contiguous, or Go has to say what is wrong with it. If the handle
// holds much back already, that is started; without call the result is 0.
HIDDEN int goacp_armci_hold(call_t call, const struct goacp_armci_action *action,
                            const struct goacp_armci_strided *transfer);

// Returns the handle that Go knows in place of an aggregate one, and any other handle itself.
HIDDEN struct goacp_armci_handle *goacp_armci_inner(struct goacp_armci_handle *handle);

// Starts what an aggregate handle holds back. The result is that of the operations.
HIDDEN int goacp_armci_start(call_t call, armci_hdl_t *handle);

// Starts what all handles hold back, and returns call: for functions that cover operations that the
// program has not waited for, such as fences.
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
         __atomic_load_n(&t->confirmed, __ATOMIC_ACQUIRE) == __atomic_load_n(&t->sent, __ATOMIC_RELAXED);
}

// Makes a handle an aggregate one, if the table of them has room, and an ordinary one.
HIDDEN void goacp_armci_set_aggregate(armci_hdl_t *handle);
HIDDEN void goacp_armci_unset_aggregate(call_t call, armci_hdl_t *handle);

// Makes all handles ordinary ones, after the end of the world.
HIDDEN void goacp_armci_unset_all(void);

#endif
