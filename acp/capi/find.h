// Keys of sets, multisets and maps that are found without Go.

#ifndef GOACP_FIND_H
#define GOACP_FIND_H

#include "bind.h"

// goacp_find_here looks for a key where this process reaches all that it takes by loads.
// Returns 1, with the iterator of acp_find_…, or 0 if it is left to Go: then something
// lies elsewhere, the slot is in use, or something is wrong.
int goacp_find_here(int kind, struct goacp_tables t, acp_element_t key,
                    struct goacp_table_it *found);

#endif
