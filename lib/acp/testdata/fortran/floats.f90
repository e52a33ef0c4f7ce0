! A link with weights and masks between two ranks, of which each is a model, in a program that is compiled with
! -ffpe-trap. Rank 0 has infinities.
program floats
  use, intrinsic :: ieee_arithmetic, only: ieee_is_finite, ieee_is_nan, ieee_negative_inf, ieee_positive_inf, ieee_value
  use, intrinsic :: iso_c_binding
  use acp
  use acp_couple
  use checks
  implicit none

  ! Row 0 is infinity less infinity, row 1 is too large for a real of 4 bytes, and row 2 has a masked column.
  integer(c_int64_t), parameter :: rows(5) = [0, 0, 1, 2, 2], columns(5) = [0, 1, 2, 1, 3]
  real(c_double), parameter :: weights(5) = [1.0_c_double, 1.0_c_double, 1e300_c_double, 1.0_c_double, 2.0_c_double]
  real(c_float), target :: x(4)
  integer(c_int) :: me
  integer(acp_model_t) :: model
  integer(acp_field_t) :: field
  integer(acp_link_t) :: link
  character :: name
  integer :: at

  call check(acp_init() == 0, 'acp_init')
  me = acp_rank()
  model = acp_create_model(trim(merge('left ', 'right', me == 0)), [me], 1)
  do at = 0, 1
    name = merge('f', 'g', at == 0)
    x = 0
    if (me == 0) x = [ieee_value(x(1), ieee_positive_inf), ieee_value(x(1), ieee_negative_inf), 10.0_c_float, 4.0_c_float]
    field = acp_create_field_ranges(model, name, ACP_FLOAT, 1, c_loc(x), [0_c_int64_t], [4_c_int64_t], 1)
    call check(acp_mask_field(field, [1, 1, 1, me], 4_c_int64_t) == 0, acp_couple_message())
    if (me == at) then
      link = weighted()
    else if (me == 0) then
      link = acp_open_link_to(field, 'right.'//name, 1, 1, -1.0_c_double)
    else
      link = acp_open_link_from(field, 'left.'//name, 1, 1, -1.0_c_double)
    end if
    call check(link /= ACP_LINK_NULL, acp_couple_message())
    if (me == 0) call check(acp_send_link(link, 0_c_int64_t) == 0, acp_couple_message())
    if (me == 1) then
      call check(acp_receive_link(link, 0_c_int64_t) == 0, acp_couple_message())
      call check(ieee_is_nan(x(1)), 'infinity less infinity')
      call check(.not. ieee_is_finite(x(2)) .and. .not. ieee_is_nan(x(2)), 'a sum that is too large')
      call check(.not. ieee_is_finite(x(3)), 'a row with a masked column')
    end if
    call check(acp_close_link(link) == 0, 'acp_close_link')
  end do
  call check(acp_finalize() == 0, 'acp_finalize')

contains

  ! weighted opens the side of the link that has the weights.
  function weighted() result(opened)
    integer(acp_link_t) :: opened
    if (me == 0) then
      opened = acp_open_link_weighted_to(field, 'right.'//name, rows, columns, weights, 5_c_int64_t, 1, 1, -1.0_c_double)
    else
      opened = acp_open_link_weighted_from(field, 'left.'//name, rows, columns, weights, 5_c_int64_t, 1, 1, -1.0_c_double)
    end if
  end function weighted

end program floats
