/* Gets and puts of elements that are mapped here, without a call into Go. The functions handle the
   usual cases and leave all other cases to Go, errors included. They mirror internal/system/gp/grid
   (Section, List) and internal/system/gp/array (near, loadAll, Get, GetInto, Put). */

#ifndef GP_NEAR_H
#define GP_NEAR_H

#include "gp_bind.h"

/* A function that only other files of the library use. */
#define HIDDEN __attribute__((visibility("hidden")))

/* The places of a call, and its buffers, as the program describes them. */
struct places {
  int number;            /* of the array */
  const int *lo, *hi;    /* of a section */
  const int *subscripts; /* of n places, if lo is NULL */
  int n;
  void **pointers; /* buf_ptr, and its strides */
  const int *ld;
  int *sizes; /* buf_size, and its strides */
  const int *ld_size;
};

/* They return the bytes of all elements together, or -1 if they have done nothing. */

/* Copies elements to buf, one after the other, and stores the address of each. */
HIDDEN int near_get(const struct places *p, void *buf);
/* Copies the beginning of elements to the buffers. */
HIDDEN int near_get_into(const struct places *p);
/* Copies the buffers to the beginning of elements. exact: to all of each. */
HIDDEN int near_put(const struct places *p, int exact);

#endif
