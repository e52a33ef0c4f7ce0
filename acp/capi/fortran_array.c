// What the Fortran modules call with arrays in place of addresses: the functions with a parameter data of acp_couple.h,
// under whose names they fail.

#include "_cgo_export.h"
#include "acp_couple.h"

#include "../fortran/goacp_array.h"

acp_field_t goacp_fortran_create_field_ranges(acp_model_t model, const char *name, int type, int values,
                                              struct goacp_array *data, const int64_t *firsts,
                                              const int64_t *counts, int ranges) {
  goacp_site = GOACP_SITE_;
  return (acp_field_t)GO_FOR("acp_create_field_ranges", create_field_ranges,
                             ((uintptr_t)model, (char *)name, type, values, NULL, data,
                              (int64_t *)firsts, (int64_t *)counts, ranges),
                             model, name, type, values, data, firsts, counts, ranges);
}

acp_field_t goacp_fortran_create_field_block(acp_model_t model, const char *name, int type, int values,
                                             struct goacp_array *data, int dims, const int *sizes,
                                             const int *firsts, const int *extents, const int *halos,
                                             int flags) {
  goacp_site = GOACP_SITE_;
  return (acp_field_t)GO_FOR("acp_create_field_block", create_field_block,
                             ((uintptr_t)model, (char *)name, type, values, NULL, data, dims,
                              (int *)sizes, (int *)firsts, (int *)extents, (int *)halos, flags),
                             model, name, type, values, data, dims, sizes, firsts, extents, halos,
                             flags);
}

acp_field_t goacp_fortran_create_field_list(acp_model_t model, const char *name, int type, int values,
                                            struct goacp_array *data, const int64_t *points,
                                            int64_t count) {
  goacp_site = GOACP_SITE_;
  return (acp_field_t)GO_FOR(
      "acp_create_field_list", create_field_list,
      ((uintptr_t)model, (char *)name, type, values, NULL, data, (int64_t *)points, count), model,
      name, type, values, data, points, count);
}

int goacp_fortran_use_field(acp_field_t field, struct goacp_array *data) {
  goacp_site = GOACP_SITE_;
  return GO_FOR("acp_use_field", use_field, ((uintptr_t)field, NULL, data), field, data);
}

// is_usable returns whether the memory of an array is contiguous and has room for bytes.
static int is_usable(const struct goacp_array *data, size_t bytes) {
  if (data->base == NULL)
    return bytes == 0;
  int64_t next = data->element;
  for (int d = 0; d < data->dims; d++) {
    if (data->extents[d] == 0)
      return bytes == 0;
    if (data->extents[d] != 1 && data->strides[d] != next)
      return 0;
    if (data->extents[d] < 0) // the last one of an array of assumed size
      return 1;
    next *= data->extents[d];
  }
  return bytes <= (size_t)next;
}

// goacp_fortran_usable returns 1 if a function of acp.h may use some bytes from the base of an array on, and 0 after
// a failure under the name of that function: the array is not contiguous, or has less memory.
int goacp_fortran_usable(struct goacp_array *data, size_t bytes, const char *function) {
  if (is_usable(data, bytes))
    return 1;
  goacp_site = GOACP_SITE_;
  GO_FOR(function, refuse_array, (data, bytes), data, bytes);
  goacp_function = "acp_address"; // the name is memory of the caller
  return 0;
}
