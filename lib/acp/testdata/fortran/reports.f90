! Gives sections that are not contiguous, and too small arrays, to functions of acp.h.
program reports
  use, intrinsic :: iso_c_binding
  use acp
  implicit none

  real(c_double), target :: t(4, 5)

  if (acp_init() /= 0) error stop 'acp_init'
  t = 0
  if (c_associated(acp_address(t(2, :)))) error stop 'acp_address'
  if (acp_register_memory(t(2, :), 40_c_size_t, 0) /= ACP_ATKEY_NULL) error stop 'acp_register_memory'
  if (acp_put_value('t', t, 161_c_size_t) /= -1) error stop 'acp_put_value'
  if (acp_finalize() /= 0) error stop 'acp_finalize'
end program reports
