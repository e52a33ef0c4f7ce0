// Locks that a thread holds all of while it forks.

#ifndef GOACP_HOOK_LOCK_H
#define GOACP_HOOK_LOCK_H

#include <pthread.h>

// Whether this thread is inside fork and holds every lock. Other handlers of fork may allocate
// during that time.
extern __thread int in_fork;

static inline void lock(pthread_mutex_t *m) {
  if (!in_fork)
    pthread_mutex_lock(m);
}

static inline void unlock(pthread_mutex_t *m) {
  if (!in_fork)
    pthread_mutex_unlock(m);
}

#endif
