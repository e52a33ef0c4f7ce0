// Functions that the Fortran modules call with arrays instead of addresses. They correspond to the functions of
// acp_couple.h with a parameter data, and report errors under their names.

#include "_cgo_export.h"
#include "acp_couple.h"

#include "../fortran/goacp_array.h"

acp_field_t goacp_fortran_create_field_ranges(acp_model_t model, const char *name, int type, int values,
                                              struct goacp_array *array, const int64_t *firsts,
                                              const int64_t *counts, int ranges) {
  void *data = array->base;
  goacp_site = GOACP_SITE_;
  return (acp_field_t)GO_FOR("acp_create_field_ranges", create_field_ranges,
                             ((uintptr_t)model, (char *)name, type, values, NULL, array,
                              (int64_t *)firsts, (int64_t *)counts, ranges),
                             model, name, type, values, data, firsts, counts, ranges);
}

acp_field_t goacp_fortran_create_field_block(acp_model_t model, const char *name, int type, int values,
                                             struct goacp_array *array, int dims, const int *sizes,
                                             const int *firsts, const int *extents, const int *halos,
                                             int flags) {
  void *data = array->base;
  goacp_site = GOACP_SITE_;
  return (acp_field_t)GO_FOR("acp_create_field_block", create_field_block,
                             ((uintptr_t)model, (char *)name, type, values, NULL, array, dims,
                              (int *)sizes, (int *)firsts, (int *)extents, (int *)halos, flags),
                             model, name, type, values, data, dims, sizes, firsts, extents, halos,
                             flags);
}

acp_field_t goacp_fortran_create_field_list(acp_model_t model, const char *name, int type, int values,
                                            struct goacp_array *array, const int64_t *points,
                                            int64_t count) {
  void *data = array->base;
  goacp_site = GOACP_SITE_;
  return (acp_field_t)GO_FOR(
      "acp_create_field_list", create_field_list,
      ((uintptr_t)model, (char *)name, type, values, NULL, array, (int64_t *)points, count), model,
      name, type, values, data, points, count);
}

int goacp_fortran_use_field(acp_field_t field, struct goacp_array *array) {
  void *data = array->base;
  goacp_site = GOACP_SITE_;
  return GO_FOR("acp_use_field", use_field, ((uintptr_t)field, NULL, array), field, data);
}

int goacp_fortran_add_implicit(acp_implicit_t implicit, const char *name, struct goacp_array *array,
                               int64_t count) {
  void *data = array->base;
  goacp_site = GOACP_SITE_;
  return GO_FOR("acp_add_implicit", add_implicit, ((uintptr_t)implicit, (char *)name, NULL, array, count), implicit,
                name, data, count);
}

int goacp_fortran_keep_implicit(acp_implicit_t implicit, struct goacp_array *array, int64_t bytes) {
  void *data = array->base;
  goacp_site = GOACP_SITE_;
  return GO_FOR("acp_keep_implicit", keep_implicit, ((uintptr_t)implicit, NULL, array, bytes), implicit, data, bytes);
}

// is_usable returns whether the memory of an array is contiguous and has room for bytes.
static int is_usable(const struct goacp_array *array, size_t bytes) {
  int64_t next = array->element;
  int side_by_side = 1;
  if (array->base == NULL)
    return bytes == 0;
  for (int d = 0; d < array->dims; d++) {
    int64_t extent = array->extents[d];
    if (extent == 0)
      return bytes == 0;
    side_by_side &= extent == 1 || array->strides[d] == next;
    if (extent < 0) // the last dimension of an array of assumed size
      return side_by_side;
    next *= extent;
  }
  return side_by_side && bytes <= (size_t)next;
}

// goacp_fortran_usable returns 1 if a function of acp.h may use some bytes from the base of an array on, and 0 after
// a failure under the name of that function: the array is not contiguous, or has less memory.
int goacp_fortran_usable(struct goacp_array *array, size_t bytes, const char *function) {
  if (is_usable(array, bytes))
    return 1;
  void *data = array->base;
  goacp_site = GOACP_SITE_;
  GO_FOR(function, refuse_array, (array, bytes), data, bytes);
  goacp_function = "acp_address"; // the name is memory of the caller
  return 0;
}
