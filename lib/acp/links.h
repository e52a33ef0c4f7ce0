// Lists that are used without Go.

#ifndef GOACP_LINKS_H
#define GOACP_LINKS_H

#include "acp.h"
#include "layout.h"

// Each function uses the list at an address if all memory concerned is mapped in this process.
// Returns 1, or 0 without a change if Go has to do it: some of the memory is not mapped, the heap
// has no free block of the size, or there is an error. A place is the address of an element, or for
// the end the address of the list.

// goacp_try_insert inserts a copy of value, as an element on a rank, before a place, which is 0 for the
// first. It returns where the element is.
int goacp_try_insert(acp_ga_t list, acp_ga_t place, acp_element_t value, int rank, acp_ga_t *made);

// goacp_try_erase erases the element at a place; 0 means the first element, and the address of the
// list the last. It returns the place after it. In an empty list it erases nothing.
int goacp_try_erase(acp_ga_t list, acp_ga_t place, acp_ga_t *behind);

// goacp_try_count returns the first place and the number of elements.
int goacp_try_count(acp_ga_t list, acp_ga_t *first, uint64_t *n);

// goacp_try_next and goacp_try_previous return the place after and the place before. After the
// end, and before the first element, there is none: they return the place itself.
int goacp_try_next(acp_ga_t list, acp_ga_t place, acp_ga_t *next);
int goacp_try_previous(acp_ga_t list, acp_ga_t place, acp_ga_t *previous);

// goacp_try_value returns where the value of an element is.
int goacp_try_value(acp_ga_t list, acp_ga_t elem, acp_element_t *value);

#endif
