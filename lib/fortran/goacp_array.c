// The modules call goacp_describe for the addresses and extents of an array. It is compiled with the header of the
// Fortran compiler, whose descriptors it reads.

#include "goacp_array.h"
#include "acp_couple.h"

#include <ISO_Fortran_binding.h>

// type_of returns the type of the elements of an array, or 0 if fields do not support the type.
static int type_of(CFI_type_t type) {
  static const struct {
    CFI_type_t fortran;
    int acp;
  } types[] = {
      {CFI_type_int8_t, ACP_INT8},   {CFI_type_int16_t, ACP_INT16},
      {CFI_type_int32_t, ACP_INT32}, {CFI_type_int64_t, ACP_INT64},
      {CFI_type_float, ACP_FLOAT},   {CFI_type_double, ACP_DOUBLE},
      {CFI_type_float_Complex, ACP_FLOAT_COMPLEX},
      {CFI_type_double_Complex, ACP_DOUBLE_COMPLEX},
  };
  for (unsigned i = 0; i < sizeof types / sizeof types[0]; i++)
    if (types[i].fortran == type)
      return types[i].acp;
  return 0;
}

// goacp_describe fills array with the properties of data. A dimension of a whole array of assumed size has
// an extent of -1.
void goacp_describe(const CFI_cdesc_t *data, struct goacp_array *array) {
  array->base = data->base_addr;
  array->element = (int64_t)data->elem_len;
  array->type = type_of(data->type);
  array->dims = data->rank < GOACP_MOST_DIMS ? data->rank : GOACP_MOST_DIMS;
  for (int d = 0; d < array->dims; d++) {
    array->extents[d] = data->dim[d].extent;
    array->strides[d] = data->dim[d].sm;
  }
}
