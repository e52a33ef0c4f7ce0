// What the test programs of libacphook have in common.

#ifndef CHECK_H
#define CHECK_H

#include "../pool.h"

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(what)                                                              \
  do {                                                                           \
    if (!(what)) {                                                               \
      dprintf(2, "%s:%d: not so: %s (errno %d)\n", __FILE__, __LINE__, #what, errno); \
      abort();                                                                   \
    }                                                                            \
  } while (0)

int goacp_hook_pool(struct goacp_hook_pool *pool) __attribute__((weak));

// Whether p lies in the pool.
static inline int in_pool(const void *p) {
  struct goacp_hook_pool pool;
  return goacp_hook_pool != NULL && goacp_hook_pool(&pool) == 0 &&
         (uintptr_t)p - (uintptr_t)pool.base < pool.size;
}

// A generator of random numbers.
static inline uint64_t next_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

// A size of which small ones are frequent, up to 2^most.
static inline size_t random_size(uint64_t *state, unsigned most) {
  return next_random(state) & (((size_t)1 << next_random(state) % (most + 1)) - 1);
}

// fill writes a pattern that belongs to a number, and filled returns whether it is there.
static inline void fill(unsigned char *p, size_t n, uint64_t number) {
  for (size_t i = 0; i < n; i++)
    p[i] = (unsigned char)(number * 31 + i * 7 + (i >> 8));
}

static inline int filled(const unsigned char *p, size_t n, uint64_t number) {
  for (size_t i = 0; i < n; i++)
    if (p[i] != (unsigned char)(number * 31 + i * 7 + (i >> 8)))
      return 0;
  return 1;
}

#endif
