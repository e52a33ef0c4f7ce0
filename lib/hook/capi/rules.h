// Which blocks come from the pool.

#ifndef GOACP_HOOK_RULES_H
#define GOACP_HOOK_RULES_H

#include <stddef.h>
#include <stdint.h>

// The rules of this process. Before rules_read every block comes from libc.
struct rules {
  size_t low, high;     // low <= high
  unsigned char on[3];  // for small, large and huge blocks
  struct code {
    uintptr_t start;
    size_t size;
  } libc, threads; // the code of libc and of its threads, which in glibc before 2.34 is libpthread
};
extern struct rules rules;

// rules_read takes the rules from the program and from the environment.
void rules_read(void);

// rules_off sends all blocks to libc from now on.
void rules_off(void);

// Whether a block of n bytes comes from the pool.
static inline int by_size(size_t n) {
  return __atomic_load_n(&rules.on[(n >= rules.low) + (n >= rules.high)], __ATOMIC_RELAXED);
}

// Whether a block of n bytes for the code at caller comes from the pool. Blocks for libc itself do
// not: a child of fork resets FILEs and thread-specific values of other threads before it has its
// own pool (fork.c), and these must not be those of its parent.
static inline int by_rule(size_t n, const void *caller) {
  return by_size(n) && (uintptr_t)caller - rules.libc.start >= rules.libc.size &&
         (uintptr_t)caller - rules.threads.start >= rules.threads.size;
}

#endif
