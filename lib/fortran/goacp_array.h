/*
 * goacp_array.h - an array of Fortran, as the modules pass it to the library. The layout of
 * descriptors depends on the compiler; the layout of this struct does not.
 */
#ifndef GOACP_ARRAY_H
#define GOACP_ARRAY_H

#include <stdint.h>

/* The maximum number of dimensions in Fortran. */
#define GOACP_MOST_DIMS 15

/* An array, or a variable, which has dims 0. The modules have a type with the same components. */
struct goacp_array {
  void *base;      /* the first element; NULL if the array is not allocated or associated */
  int64_t element; /* bytes of an element */
  int32_t type;    /* of the elements: one of ACP_INT8 ... ACP_DOUBLE_COMPLEX, or 0 for any other */
  int32_t dims;
  int64_t extents[GOACP_MOST_DIMS]; /* elements in each dimension */
  int64_t strides[GOACP_MOST_DIMS]; /* from an element to the next one in each dimension, in bytes */
};

#endif
