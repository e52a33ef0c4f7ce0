// The C functions that Go calls, and the numbers that C and Go share.

#ifndef GOACP_BIND_H
#define GOACP_BIND_H

#include "acp.h"
#include "atomics.h"
#include "call.h"
#include "descriptors.h"
#include "direct.h"
#include "signals.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// The functions that cgo generates for exported Go functions enter Go by crosscall2 of package
// runtime/cgo. cgo puts the preambles of all files before them, so this definition redirects them
// to the function in floats.c.
#define crosscall2 goacp_crosscall

// The result of goacp_init for a wrong argument; its other results are those of acp_init.
enum { GOACP_USAGE = -2 };

// All handles and iterators of sets, multisets and maps have this layout.
struct goacp_tables {
  acp_ga_t ga;
  uint64_t num_ranks, num_slots;
};

struct goacp_table_it {
  struct goacp_tables of;
  int rank, slot;
  acp_ga_t elem;
};

// The iterators of vectors and deques have this layout.
struct goacp_sequence_it {
  acp_ga_t ga;
  int index;
};

// The operations of Go on a set, multiset or map, and on two.
enum goacp_whole {
  GOACP_CLEAR,
  GOACP_CLEAR_LOCAL,
  GOACP_DESTROY,
};

enum goacp_both {
  GOACP_ASSIGN,
  GOACP_ASSIGN_LOCAL,
  GOACP_MERGE,
  GOACP_MERGE_LOCAL,
  GOACP_MOVE,
  GOACP_MOVE_LOCAL,
  GOACP_EXCHANGE,
};

// The iterators and numbers that Go returns.
enum goacp_place { GOACP_BEGIN, GOACP_BEGIN_LOCAL, GOACP_END_LOCAL };
enum goacp_number { GOACP_SIZE, GOACP_SIZE_LOCAL, GOACP_EMPTY, GOACP_EMPTY_LOCAL };

// A function of the program that compares two elements of a list. It may call the library.
typedef int (*goacp_comp)(const acp_element_t, const acp_element_t);

static inline int goacp_call_comp(goacp_comp comp, acp_element_t elem1,
                                  acp_element_t elem2) {
  const struct goacp_call *called = goacp_called;
  const char *function = goacp_function;
  const void *site = goacp_site;
  int order = comp(elem1, elem2);
  goacp_called = called;
  goacp_function = function;
  goacp_site = site;
  return order;
}

static inline void goacp_publish(void *table) {
  goacp_add_fetch_relaxed(&goacp_process.published, 1);
  goacp_store_release(&goacp_process.table, (struct goacp_direct *)table);
}

static inline void goacp_set_place(uint64_t procs, uint64_t rank) {
  goacp_store_relaxed(&goacp_process.place, procs << 32 | rank);
}

static inline const struct goacp_call *goacp_failed_call(void) { return goacp_called; }

// Which function the program has called, and where.
struct goacp_caller {
  const char *function;
  uintptr_t site;
};

static inline struct goacp_caller goacp_caller(void) {
  return (struct goacp_caller){goacp_function, (uintptr_t)goacp_site};
}

static inline void goacp_free_at(uintptr_t block) { free((void *)block); }

// The memory from which the allocator of the program takes blocks that peers map.
struct goacp_found_pool {
  int fd;
  void *base;
  uint64_t size;
};

// goacp_find_pool returns 0 if there is none: pool.c.
int goacp_find_pool(struct goacp_found_pool *found) __attribute__((visibility("hidden")));

extern int *goacp_errno_place; // of the ACP_ERRNO that the program reads: errno.c

// goacp_set_errno sets ACP_ERRNO and the number of this thread. A signal handler may call it.
void goacp_set_errno(int number) __attribute__((visibility("hidden")));

// goacp_set_reason makes text the reason of the last failure of this thread, after goacp_set_errno.
void goacp_set_reason(const char *text) __attribute__((visibility("hidden")));

// The time limit of calls of this thread in nanoseconds; 0 if there is none: timeout.c.
int64_t goacp_time_limit(void) __attribute__((visibility("hidden")));
void goacp_limit_time(int64_t nanoseconds) __attribute__((visibility("hidden")));

static inline int goacp_errno(void) {
  return goacp_load_relaxed(goacp_errno_place);
}

#endif
