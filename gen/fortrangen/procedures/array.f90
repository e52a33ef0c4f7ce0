  ! An array, as struct goacp_array has it in C.
  type, bind(C) :: goacp_array
    type(c_ptr) :: base
    integer(c_int64_t) :: element
    integer(c_int32_t) :: type, dims
    integer(c_int64_t) :: extents(15), strides(15)
  end type goacp_array
