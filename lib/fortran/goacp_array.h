/*
 * goacp_array.h - an array of Fortran, as the modules give it to the library. Descriptors differ between
 * compilers, and this struct does not.
 */
#ifndef GOACP_ARRAY_H
#define GOACP_ARRAY_H

#include <stdint.h>

/* Fortran has no arrays of more dimensions. */
#define GOACP_MOST_DIMS 15

/* An array, or a variable, which has no dimensions. The modules have a type with the same components. */
struct goacp_array {
  void *base;      /* the first element; NULL if the array is not allocated or associated */
  int64_t element; /* bytes of an element */
  int32_t type;    /* of the elements: one of ACP_INT8 ... ACP_DOUBLE_COMPLEX, or 0 for any other */
  int32_t dims;
  int64_t extents[GOACP_MOST_DIMS]; /* elements in each dimension */
  int64_t strides[GOACP_MOST_DIMS]; /* from an element to the next one in each dimension, in bytes */
};

#endif
