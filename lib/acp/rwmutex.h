// A reader-writer lock in memory that threads of several processes share. Mirrors those functions of
// internal/ground/futex/rwmutex.go that do not block. A thread that cannot take the lock calls Go.

#ifndef GOACP_RWMUTEX_H
#define GOACP_RWMUTEX_H

#include "futex.h"

// Locks a goacp_rwmutex for reading if no thread writes or waits to write. Returns whether it has. Does not block.
static inline int goacp_rwmutex_try_read(struct goacp_rwmutex *m) {
  uint32_t found = goacp_load_relaxed(&m->state);
  while ((found & (GOACP_RWMUTEX_WRITING | GOACP_RWMUTEX_WRITER_WAITS)) == 0)
    if (goacp_compare_exchange_acquire(&m->state, &found, found + 1))
      return 1;
  return 0;
}

// Locks a goacp_rwmutex for writing if no thread holds it. Returns whether it has. Does not block.
static inline int goacp_rwmutex_try_write(struct goacp_rwmutex *m) {
  uint32_t found = goacp_load_relaxed(&m->state);
  while ((found & (GOACP_RWMUTEX_WRITING | GOACP_RWMUTEX_READERS)) == 0)
    if (goacp_compare_exchange_acquire(&m->state, &found, (uint32_t)GOACP_RWMUTEX_WRITING))
      return 1;
  return 0;
}

// Wakes the threads that sleep until a goacp_rwmutex is free. The caller has given it back by an access with seq_cst.
static inline void goacp_rwmutex_wake(struct goacp_rwmutex *m) {
  if (__builtin_expect(goacp_load_seq_cst(&m->sleepers) != 0, 0)) {
    goacp_fetch_add_seq_cst(&m->changes, 1);
    goacp_futex_wake_all(&m->changes);
  }
}

// Undoes goacp_rwmutex_try_read. Does not block.
static inline void goacp_rwmutex_end_read(struct goacp_rwmutex *m) {
  if ((goacp_fetch_sub_seq_cst(&m->state, 1) & GOACP_RWMUTEX_READERS) == 1)
    goacp_rwmutex_wake(m);
}

// Undoes goacp_rwmutex_try_write. Does not block.
static inline void goacp_rwmutex_end_write(struct goacp_rwmutex *m) {
  goacp_store_seq_cst(&m->state, 0);
  goacp_rwmutex_wake(m);
}

#endif
