! An ocean that gives heat to the air of air.f90. It sends its temperatures, and receives how much heat each cell loses. The air
! is on another grid, and has the weights for both ways.
program ocean
  use, intrinsic :: iso_c_binding
  use acp
  use acp_couple
  use grids
  implicit none

  real(c_double), allocatable, target, asynchronous :: t(:, :), loss(:, :)
  real(c_double) :: before
  type(part) :: own
  integer(acp_model_t) :: model
  integer(acp_field_t) :: sst, flux
  integer(acp_link_t) :: links(2)
  integer :: step

  if (acp_init() /= 0) error stop 'acp_init'
  own = own_part(of_ocean)
  allocate (t(of_ocean%nx, own%count), loss(of_ocean%nx, own%count))
  t(:of_ocean%nx / 2, :) = 20
  t(of_ocean%nx / 2 + 1:, :) = 10
  before = heat()

  model = acp_create_model('ocean', count=0)
  sst = acp_create_field_block(model, 'sst', ACP_DOUBLE, 1, t, 2, [of_ocean%nx, of_ocean%ny], [0, own%first], &
                               [of_ocean%nx, own%count], flags=ACP_ORDER_FORTRAN)
  flux = acp_create_field_block(model, 'flux', ACP_DOUBLE, 1, loss, 2, [of_ocean%nx, of_ocean%ny], [0, own%first], &
                                [of_ocean%nx, own%count], flags=ACP_ORDER_FORTRAN)
  links(1) = acp_begin_link_to(sst, 'air.below', 1, 1, 60.0)
  links(2) = acp_begin_link_from(flux, 'air.flux', 1, 1, 60.0)
  if (acp_complete_links(links, 2) /= 0) call acp_abort(acp_couple_message())
  do step = 1, steps
    if (acp_send_link(links(1), step) /= 0) call acp_abort(acp_couple_message())
    if (acp_receive_link(links(2), step) /= 0) call acp_abort(acp_couple_message())
    t = t - loss
  end do
  if (acp_close_link(links(1)) /= 0) call acp_abort(acp_couple_message())
  if (acp_close_link(links(2)) /= 0) call acp_abort(acp_couple_message())
  call report(before, heat())
  if (acp_finalize() /= 0) error stop 'acp_finalize'

contains

  ! heat returns the heat of the cells of this rank.
  function heat()
    real(c_double) :: heat

    heat = sum(t) / (of_ocean%nx * of_ocean%ny)
  end function heat

end program ocean
