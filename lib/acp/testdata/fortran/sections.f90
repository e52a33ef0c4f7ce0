! Arrays and sections of arrays as registered memory and as fields. A section that is not contiguous is
! refused.
program sections
  use, intrinsic :: iso_c_binding
  use acp
  use acp_couple
  implicit none

  real(c_double), allocatable, target :: field(:, :)
  integer(acp_model_t) :: model

  if (acp_init() /= 0) error stop 'acp_init'
  allocate (field(4, 5), source=0.0_c_double)
  if (.not. c_associated(acp_address(field), c_loc(field))) error stop 'an array has another address'
  if (.not. c_associated(acp_address(field(:, 2:3)), c_loc(field(1, 2)))) error stop 'columns'
  if (.not. c_associated(acp_address(field(:, 4)), c_loc(field(1, 4)))) error stop 'a column'
  call refused(field(2, :))
  call refused(field(2:3, 1:2))
  call refused(field(:, ::2))
  call refused(field(4:1:-1, 1))
  if (.not. c_associated(acp_address(field(::2, 5:4)))) error stop 'an empty section'
  model = acp_create_model('model', count=0)
  if (model == ACP_MODEL_NULL) call acp_abort('no model')
  if (acp_create_field_list(model, 'row', ACP_DOUBLE, 1, acp_address(field(2, :)), [0_c_int64_t, 1_c_int64_t], &
      2_c_int64_t) /= ACP_FIELD_NULL) error stop 'a row is a field'
  if (acp_create_field_list(model, 'column', ACP_DOUBLE, 1, acp_address(field(:, 2)), [0_c_int64_t, 1_c_int64_t], &
      2_c_int64_t) == ACP_FIELD_NULL) call acp_abort(acp_couple_message())
  if (acp_finalize() /= 0) error stop 'acp_finalize'

contains

  ! A section cannot be registered, also if it comes as an argument.
  subroutine refused(section)
    real(c_double), intent(in), target :: section(..)

    if (c_associated(acp_address(section))) error stop 'a section has an address'
    if (acp_register_memory(acp_address(section), 8_c_size_t, 0) /= ACP_ATKEY_NULL) error stop 'a section is registered'
  end subroutine refused
end program sections
