// Lists that are used without Go.

#ifndef GOACP_LINKS_H
#define GOACP_LINKS_H

#include "acp.h"
#include "layout.h"

// Each function uses the list at an address if this process reaches all of the memory concerned by
// loads and stores. Returns 1, or 0 if Go has to do it: some of the memory is not mapped, the heap has
// no block at hand, or something is wrong. Then it has changed nothing. A place is the address of an
// element, or that of the list for the end.

// goacp_insert_here inserts a copy of value, as an element on a rank, before a place, which is 0 for the
// first. It returns where the element is.
int goacp_insert_here(acp_ga_t list, acp_ga_t place, acp_element_t value, int rank, acp_ga_t *made);

// goacp_erase_here erases the element at a place, which is 0 for the first and the list for the last. It
// returns the place behind. If there are no elements, it erases none.
int goacp_erase_here(acp_ga_t list, acp_ga_t place, acp_ga_t *behind);

// goacp_count_here returns the first place and the number of elements.
int goacp_count_here(acp_ga_t list, acp_ga_t *first, uint64_t *n);

// goacp_next_here and goacp_previous_here return the place behind and the place before. The end has
// none behind, and the first element has none before: they return the place itself then.
int goacp_next_here(acp_ga_t list, acp_ga_t place, acp_ga_t *next);
int goacp_previous_here(acp_ga_t list, acp_ga_t place, acp_ga_t *previous);

// goacp_value_here returns where the value of an element is.
int goacp_value_here(acp_ga_t list, acp_ga_t elem, acp_element_t *value);

#endif
