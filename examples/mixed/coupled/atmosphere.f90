! The atmosphere in Fortran: an MPI program that is coupled with the ocean by ACP.
!
!     cd coupled
!     macpfc heat.f90 halo.f90 atmosphere.f90 -o ../atmosphere_f
!     cd .. && macprun coupled/coupled-fortran.inputfile
!
! heat.f90 holds the physics, halo.f90 what the ranks of this model do by MPI. couple and run couple it with the
! other model.
program atmosphere
  use, intrinsic :: iso_c_binding
  use mpi
  use acp
  use acp_couple
  use halo
  use heat
  implicit none

  integer :: rank, ranks, ierr
  type(span) :: own, needs
  type(part), target :: air
  real(real64), allocatable, target :: below(:)
  real(real64) :: error
  ! This model sends its temperatures: the ocean wants those at the interface, the watcher all.
  integer(acp_field_t) :: mine, theirs
  integer(acp_link_t) :: in, out, watched

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  if (acp_init() /= 0) call MPI_Abort(MPI_COMM_WORLD, 1, ierr)

  own = heat_share(atmosphere_medium%columns, rank, ranks)
  if (own%count < 1) call acp_abort('more processes than columns')
  call heat_open(air, atmosphere_medium, own)
  needs = heat_needs_of_atmosphere(own)
  allocate (below(needs%count))
  call couple
  call run
  error = heat_error(air)
  print '(a, 1x, i0, a, i0, a, i0, a, i0, a, i0, a, es8.1)', trim(air%medium%name), rank, ' of ', ranks, &
    ', ACP rank ', acp_rank(), ', columns ', own%first, '-', own%first + own%count - 1, &
    ': differs from the serial run by ', error
  if (acp_finalize() /= 0) error stop 'acp_finalize failed'
  call MPI_Finalize(ierr)
  if (.not. error <= 1e-12_real64) error stop

contains

  ! need ends the run with the reason unless a call of the library has succeeded.
  subroutine need(ok)
    logical, intent(in) :: ok
    if (.not. ok) call acp_abort(acp_couple_message())
  end subroutine need

  ! couple declares the temperatures of this rank, and those of the ocean that it needs, and opens the links. Points are
  ! numbered as in the grid, so the first ones are those at the interface.
  subroutine couple
    integer(acp_model_t) :: model
    real(c_double), parameter :: forever = -1

    model = acp_create_model('atmosphere', count=0)
    mine = acp_create_field_block(model, 'all', ACP_DOUBLE, 1, air%cells(:, :, air%now), 2, &
      [air%medium%columns, air%medium%rows], [own%first, 0], [own%count, air%medium%rows], [1, 0], ACP_ORDER_FORTRAN)
    theirs = acp_create_field_block(model, 'below', ACP_DOUBLE, 1, below, 1, &
      [ocean_medium%columns], [needs%first], [needs%count], flags=ACP_SAME_NUMBERS)
    call need(mine /= ACP_FIELD_NULL .and. theirs /= ACP_FIELD_NULL)
    in = acp_open_link_from(theirs, 'ocean.all', 1, 1, forever)
    call need(in /= ACP_LINK_NULL)
    out = acp_open_link_to(mine, 'ocean.above', 1, 1, forever)
    call need(out /= ACP_LINK_NULL)
    watched = acp_open_link_to(mine, 'watcher.atmosphere', reports, report_every, forever)
    call need(watched /= ACP_LINK_NULL)
  end subroutine couple

  ! run computes all steps. Sending goes on behind the halo exchange.
  subroutine run
    integer(c_int64_t) :: step

    do step = 0, steps
      call need(acp_use_field(mine, air%cells(:, :, air%now)) == 0)
      call need(acp_send_link(watched, step) == 0) ! acts in each report_every-th step
      if (step == steps) exit
      call need(acp_send_link(out, step) == 0)
      call halo_exchange(air)
      call need(acp_receive_link(in, step) == 0)
      call heat_flux_atmosphere(air, below)
      call heat_step(air)
      call heat_advance(air)
    end do
    call need(acp_close_link(in) == 0)
    call need(acp_close_link(out) == 0)
    call need(acp_close_link(watched) == 0)
  end subroutine run

end program atmosphere
