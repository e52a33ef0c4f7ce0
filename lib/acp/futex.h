// Sleeping on a word of memory that threads of several processes share, and a mutex in such memory. Mirrors
// internal/ground/futex.

#ifndef GOACP_FUTEX_H
#define GOACP_FUTEX_H

#include "atomics.h"
#include "layout.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Sleeps while *word is value, until a thread wakes the sleepers on the word, but at most the given
// number of nanoseconds, which is less than a second. It may return earlier. The caller checks the
// word again.
static inline void goacp_futex_wait(uint32_t *word, uint32_t value, int64_t nanoseconds) {
  struct timespec longest = {0, nanoseconds};
  syscall(SYS_futex, word, FUTEX_WAIT, value, &longest, NULL, 0);
}

// Wakes one thread that sleeps on a word.
static inline void goacp_futex_wake_one(uint32_t *word) {
  syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

// Wakes all threads that sleep on a word.
static inline void goacp_futex_wake_all(uint32_t *word) {
  syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

// Locks a mutex if it is unlocked. Returns whether it has. Does not block.
static inline int goacp_mutex_try_lock(struct goacp_mutex *m) {
  uint32_t found = GOACP_MUTEX_UNLOCKED;
  return goacp_compare_exchange_acquire(&m->word, &found, GOACP_MUTEX_LOCKED);
}

// Whether a mutex is unlocked at the moment. A spinning thread checks this before it tries to lock,
// so that it does not take the cache line away from the holder.
static inline int goacp_mutex_is_unlocked(const struct goacp_mutex *m) {
  return goacp_load_relaxed(&m->word) == GOACP_MUTEX_UNLOCKED;
}

// Whether another thread may sleep until a mutex is unlocked.
static inline int goacp_mutex_is_contended(const struct goacp_mutex *m) {
  return goacp_load_relaxed(&m->word) == GOACP_MUTEX_CONTENDED;
}

// Locks a mutex after goacp_mutex_try_lock has failed. Blocks until it is unlocked. A holder that dies leaves it locked:
// then the run ends, and this process with it.
static inline void goacp_mutex_lock_slow(struct goacp_mutex *m) {
  for (int i = 0; i < GOACP_MUTEX_SPINS; i++) {
    if (goacp_mutex_is_unlocked(m) && goacp_mutex_try_lock(m))
      return;
    goacp_pause();
  }
  while (goacp_exchange_acquire(&m->word, GOACP_MUTEX_CONTENDED) != GOACP_MUTEX_UNLOCKED)
    goacp_futex_wait(&m->word, GOACP_MUTEX_CONTENDED, GOACP_MUTEX_LONGEST_NAP);
}

// Unlocks a mutex that the caller has locked, and wakes a thread that sleeps until then. Does not block.
static inline void goacp_mutex_unlock(struct goacp_mutex *m) {
  if (__builtin_expect(goacp_exchange_release(&m->word, GOACP_MUTEX_UNLOCKED) == GOACP_MUTEX_CONTENDED, 0))
    goacp_futex_wake_one(&m->word);
}

#endif
