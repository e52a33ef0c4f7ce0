// Signal handlers of the program in threads that run Go. The stack of a goroutine is small, so a handler runs on the
// alternate stack of the thread, which this file makes large enough.

#ifndef GOACP_SIGNALS_H
#define GOACP_SIGNALS_H

#include "atomics.h"

#include <pthread.h>
#include <time.h>

// Bytes of the alternate stack of a thread that enters Go, or that the runtime of Go has made.
enum { GOACP_SIGNAL_STACK = 256 << 10 };

// Whether the calling thread has its alternate stack, and the tick of the clock at which handlers were looked at.
extern __thread int goacp_has_signal_stack
    __attribute__((visibility("hidden"), tls_model("initial-exec")));
extern long goacp_handlers_seen __attribute__((visibility("hidden")));

// goacp_make_signal_stack gives the calling thread an alternate stack of GOACP_SIGNAL_STACK bytes, above a page that
// cannot be accessed, unless the thread has a larger stack.
void goacp_make_signal_stack(void) __attribute__((visibility("hidden"), cold));

// goacp_create_thread is pthread_create for threads with such a stack. The command that builds the libraries defines
// pthread_create as this function, so the runtime of Go makes its threads by it: it keeps the stack that it finds.
int goacp_create_thread(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
    __attribute__((visibility("hidden")));

// goacp_keep_processors lets threads that goacp_create_thread makes from now on run on the processors of the calling thread. Without
// it they run on those of the thread that makes them, which the program may have bound to one.
void goacp_keep_processors(void) __attribute__((visibility("hidden")));

// goacp_mark_handlers sets SA_ONSTACK of all handlers that the program has installed without it.
void goacp_mark_handlers(void) __attribute__((visibility("hidden"), cold));

// goacp_has_default_action returns 1 if the default action follows a signal, otherwise 0.
int goacp_has_default_action(int number) __attribute__((visibility("hidden"), cold));

// goacp_mark_some_handlers is goacp_mark_handlers for eight signals. Each call takes the next eight, so that eight calls
// cover all signals.
void goacp_mark_some_handlers(void) __attribute__((visibility("hidden"), cold));

// goacp_signal_tick returns a number that changes every few milliseconds.
static inline long goacp_signal_tick(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now); // takes no system call
  return now.tv_nsec;
}

// goacp_ready_for_signals prepares the calling thread for Go. Some handlers are looked at once in a tick, which takes
// about two microseconds.
static inline void goacp_ready_for_signals(void) {
  if (__builtin_expect(!goacp_has_signal_stack, 0))
    goacp_make_signal_stack();
  if (__builtin_expect(goacp_signal_tick() != goacp_load_relaxed(&goacp_handlers_seen), 0))
    goacp_mark_some_handlers();
}

#endif
