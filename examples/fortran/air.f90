! The air above the ocean of ocean.f90, on a coarser grid. Each cell gets the mean temperature of the cells of the ocean below
! it. Each cell of the ocean gets the mean loss of the cells above it. The air has the weights of both links, as the receiver
! of one and the sender of the other.
program air
  use, intrinsic :: iso_c_binding
  use acp
  use acp_couple
  use grids
  implicit none

  real(c_double), allocatable, target, asynchronous :: t(:, :), ocean(:, :), flux(:, :)
  real(c_double) :: before
  type(part) :: own
  integer(acp_model_t) :: model
  integer(acp_field_t) :: below, loss
  integer(acp_link_t) :: links(2)
  integer, allocatable :: rows(:), columns(:)
  real(c_double), allocatable :: weights(:)
  integer :: step

  if (acp_init() /= 0) error stop 'acp_init'
  own = own_part(of_air)
  allocate (t(of_air%nx, own%count), ocean(of_air%nx, own%count), flux(of_air%nx, own%count))
  t = 5
  before = heat()

  model = acp_create_model('air', count=0)
  below = acp_create_field_block(model, 'below', ACP_DOUBLE, 1, ocean, 2, [of_air%nx, of_air%ny], [0, own%first], &
                                 [of_air%nx, own%count], flags=ACP_ORDER_FORTRAN)
  loss = acp_create_field_block(model, 'flux', ACP_DOUBLE, 1, flux, 2, [of_air%nx, of_air%ny], [0, own%first], &
                                [of_air%nx, own%count], flags=ACP_ORDER_FORTRAN)
  call overlaps(of_ocean, of_air, own, rows, columns, weights)
  links(1) = acp_begin_link_weighted_from(below, 'ocean.sst', rows, columns, weights, size(weights), 1, 1, 60.0)
  call overlaps_of_own
  links(2) = acp_begin_link_weighted_to(loss, 'ocean.flux', rows, columns, weights, size(weights), 1, 1, 60.0)
  if (acp_complete_links(links, 2) /= 0) call acp_abort(acp_couple_message())
  do step = 1, steps
    if (acp_receive_link(links(1), step) /= 0) call acp_abort(acp_couple_message())
    flux = exchange * (ocean - t)
    t = t + flux
    if (acp_send_link(links(2), step) /= 0) call acp_abort(acp_couple_message())
  end do
  if (acp_close_link(links(1)) /= 0) call acp_abort(acp_couple_message())
  if (acp_close_link(links(2)) /= 0) call acp_abort(acp_couple_message())
  call report(before, heat())
  if (acp_finalize() /= 0) error stop 'acp_finalize'

contains

  ! overlaps_of_own makes the matrix from the air to the ocean, with the entries that this rank applies as a sender: those whose
  ! columns are its cells.
  subroutine overlaps_of_own
    logical, allocatable :: mine(:)

    call overlaps(of_air, of_ocean, part(0, of_ocean%ny), rows, columns, weights)
    mine = columns >= of_air%nx * own%first .and. columns < of_air%nx * (own%first + own%count)
    rows = pack(rows, mine)
    weights = pack(weights, mine)
    columns = pack(columns, mine)
  end subroutine overlaps_of_own

  ! heat returns the heat of the cells of this rank.
  function heat()
    real(c_double) :: heat

    heat = sum(t) / (of_air%nx * of_air%ny)
  end function heat

end program air
