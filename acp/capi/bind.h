// What Go calls, and the numbers that both sides know.

#ifndef GOACP_BIND_H
#define GOACP_BIND_H

#include "acp.h"
#include "direct.h"

#include <stdlib.h>
#include <unistd.h>

// What goacp_init returns for a wrong argument; the other values are acp_init's.
enum { GOACP_USAGE = -2 };

// How C tells Go which atomic with one operand is meant.
enum goacp_op {
  GOACP_ADD,
  GOACP_AND,
  GOACP_OR,
  GOACP_XOR,
  GOACP_SWAP,
};

static inline void goacp_publish(void *table) {
  __atomic_store_n(&goacp_table, (struct goacp_direct *)table,
                   __ATOMIC_RELEASE);
}

static inline void goacp_free_at(uintptr_t block) { free((void *)block); }

static inline void goacp_set_errno(int number) {
  __atomic_store_n(&ACP_ERRNO, number, __ATOMIC_RELAXED);
}

static inline int goacp_errno(void) {
  return __atomic_load_n(&ACP_ERRNO, __ATOMIC_RELAXED);
}

#endif
