// Data of this process, which a forked child does not have. A forked child must not call Go: the
// threads of the Go runtime, the connections and the rank belong to its parent.

#ifndef GOACP_PROCESS_H
#define GOACP_PROCESS_H

#include "atomics.h"
#include "layout.h"

#include <stddef.h>
#include <stdint.h>

// goacp_end writes a line of n bytes to standard error and ends the process. It calls
// nothing but system calls.
void goacp_end(const char *line, size_t n)
    __attribute__((visibility("hidden"), noreturn));

// It has a page of its own, for which the kernel gives a forked child a page of zeros. So the child
// finds no table, and the fast path in C needs no check.
struct goacp_process {
  struct goacp_direct *table; // of the initialised library, NULL before and after
  uint64_t place; // procs << 32 | rank of the initialised library, 0 before and after
  struct goacp_armci *armci; // table of the world of ARMCI, NULL if there is none
  const struct goacp_gp *gp; // table of global pointer arrays, NULL if GP is not initialised
  uint32_t alive; // not 0 in the process that has loaded the library
  uint32_t limited; // not 0 if a thread has ever limited the time of its calls
  uint32_t published; // how often there was another table, or the same after acp_reset
} __attribute__((aligned(4096)));

extern struct goacp_process goacp_process __attribute__((visibility("hidden")));

// goacp_enter_dead is goacp_enter if the process may be a forked child.
void goacp_enter_dead(const char *function) __attribute__((visibility("hidden"), cold));

// goacp_enter ends a forked child with one line, which names the function that it called.
static inline void goacp_enter(const char *function) {
  if (__builtin_expect(goacp_load_relaxed(&goacp_process.alive) == 0, 0))
    goacp_enter_dead(function);
}

// goacp_limited reports whether a thread has ever limited the time of its calls. Then a collective
// function may have to continue an earlier call, which Go does.
static inline int goacp_limited(void) {
  return __builtin_expect(goacp_load_relaxed(&goacp_process.limited) != 0, 0);
}

#endif
