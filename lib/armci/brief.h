// Locks that threads hold for a few nanoseconds at a time. Locking takes one atomic instruction,
// and unlocking none. A thread that holds a lock for longer marks it: other threads then sleep.

#ifndef ARMCI_BRIEF_H
#define ARMCI_BRIEF_H

#include "atomics.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

// The zero value is a free lock.
struct brief {
  uint32_t state; // one of these values
};

enum { BRIEF_FREE, BRIEF_HELD, BRIEF_KEPT };

static inline void brief_lock(struct brief *l) {
  uint32_t found = BRIEF_FREE;
  while (!goacp_compare_exchange_acquire(&l->state, &found, BRIEF_HELD)) {
    if (found == BRIEF_KEPT)
      syscall(SYS_futex, &l->state, FUTEX_WAIT_PRIVATE, BRIEF_KEPT, NULL, NULL, 0);
    else
      sched_yield();
    found = BRIEF_FREE;
  }
}

// The holder keeps the lock for a long time: other threads sleep.
static inline void brief_keep(struct brief *l) { goacp_store_relaxed(&l->state, BRIEF_KEPT); }

static inline void brief_unlock(struct brief *l) {
  int kept = goacp_load_relaxed(&l->state) == BRIEF_KEPT; // the holder alone changes it
  goacp_store_release(&l->state, BRIEF_FREE);
  if (kept)
    syscall(SYS_futex, &l->state, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

#endif
