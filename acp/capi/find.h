// Keys of sets, multisets and maps that are found without Go.

#ifndef GOACP_FIND_H
#define GOACP_FIND_H

#include "bind.h"

// goacp_find_here looks for a key if this process reaches all of the memory concerned by loads.
// Returns 1 and the iterator of acp_find_…, or 0 if Go has to look: some of the memory is not
// mapped, the lock of the slot is taken, or something is wrong.
int goacp_find_here(int kind, struct goacp_tables t, acp_element_t key,
                    struct goacp_table_it *found);

#endif
