// Keys of sets, multisets and maps that are inserted and removed without Go.

#ifndef GOACP_CHANGE_H
#define GOACP_CHANGE_H

#include "bind.h"
#include "keys.h"

// Each function changes a structure if all memory concerned is mapped in this process. Returns 1,
// or 0 without a change if Go has to do it: some of the memory is not mapped, a lock is taken, the
// heap has no free block of the size, or there is an error.

// goacp_try_add inserts a key, in a map with a value, which is empty otherwise. *added becomes 1
// if the key is new.
int goacp_try_add(int kind, struct goacp_tables t, acp_element_t key, acp_element_t value, int *added);

// goacp_try_remove removes a key, from a multiset this many times. *removed becomes 1 if the key was there.
int goacp_try_remove(int kind, struct goacp_tables t, acp_element_t key, uint64_t times, int *removed);

// The same for many keys, which step says are followed by values (2) or not (1), and which are taken away
// once: k says which are left to Go. results gets 1 for a key that was added, or that was there, and 0 for
// others; it may be NULL. Each function returns how many ones these are.
int goacp_try_add_many(struct goacp_keys *k, int kind, struct goacp_tables t, const acp_element_t *keys,
                        size_t step, int count, int *results);
int goacp_try_remove_many(struct goacp_keys *k, int kind, struct goacp_tables t, const acp_element_t *keys,
                           int count, int *results);

#endif
