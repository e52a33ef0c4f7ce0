// Objects of Go that C finds by their numbers.

#ifndef GOACP_LOOKUP_H
#define GOACP_LOOKUP_H

#include "atomics.h"
#include "layout.h"

// The object with a number, or NULL if Go has to look it up. All pointers to it have been stored
// before.
static inline void *goacp_look_up(const struct goacp_lookup *t, uint64_t number) {
  const struct goacp_lookup_entry *e = &t->entries[number % GOACP_LOOKUP_SIZE];
  return goacp_load_acquire(&e->number) == number ? goacp_load_relaxed(&e->object)
                                                                  : NULL;
}

#endif
