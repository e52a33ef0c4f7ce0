// Keys of sets, multisets and maps that are found without Go.

#ifndef GOACP_FIND_H
#define GOACP_FIND_H

#include "bind.h"
#include "keys.h"

// Each function looks up a key if all memory concerned is mapped in this process. Returns 1, or 0
// if Go has to do it: some of the memory is not mapped, the lock of the slot is taken, or there is
// an error.

// goacp_try_find returns the iterator of acp_find_….
int goacp_try_find(int kind, struct goacp_tables t, acp_element_t key,
                    struct goacp_table_it *found);

// goacp_try_times returns the multiplicity of a key, 0 if it is not there.
int goacp_try_times(struct goacp_tables t, acp_element_t key, uint64_t *times);

// goacp_try_retrieve copies the value of a key, as much of it as there is room for, and returns how
// many bytes that were, 0 if the key is not there.
int goacp_try_retrieve(struct goacp_tables t, acp_element_t key, acp_element_t to, size_t *copied);

// The same for many keys: k has the keys that are left to Go. Each function stores the outcome for
// a key at its index. It returns the number of the other keys that it has found, or for which it
// has copied bytes.
int goacp_try_find_many(struct goacp_keys *k, int kind, struct goacp_tables t, const acp_element_t *keys,
                         int count, struct goacp_table_it *found);
int goacp_try_times_many(struct goacp_keys *k, struct goacp_tables t, const acp_element_t *keys, int count,
                          uint64_t *times);
int goacp_try_retrieve_many(struct goacp_keys *k, struct goacp_tables t, const acp_pair_t *pairs, int count,
                             size_t *copied);

#endif
