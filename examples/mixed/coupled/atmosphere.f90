! The atmosphere in Fortran: an MPI program that is coupled with the ocean by ACP.
!
!     cd coupled
!     macpfc heat.f90 halo.f90 directory.f90 coupling.f90 atmosphere.f90 -o ../atmosphere_f
!     cd .. && macprun coupled/coupled-fortran.inputfile
!
! heat.f90 holds the physics, halo.f90 what the ranks of this model do by MPI, coupling.f90 the exchange
! with the other model.
program atmosphere
  use mpi
  use acp
  use coupling
  use halo
  use heat
  implicit none

  integer :: rank, ranks, ierr
  type(span) :: own
  type(part), target :: air
  real(real64) :: error

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  if (acp_init() /= 0) call MPI_Abort(MPI_COMM_WORLD, 1, ierr)

  own = heat_share(atmosphere_medium%columns, rank, ranks)
  if (own%count < 1) call acp_abort('more processes than columns')
  call heat_open(air, atmosphere_medium, own)
  call coupler_open(air, heat_needs_of_atmosphere(own))
  call run
  call coupler_close
  error = heat_error(air)
  print '(a, 1x, i0, a, i0, a, i0, a, i0, a, i0, a, es8.1)', trim(air%medium%name), rank, ' of ', ranks, &
    ', ACP rank ', acp_rank(), ', columns ', own%first, '-', own%first + own%count - 1, &
    ': differs from the serial run by ', error

  ! Starter memory lives until all have come here, so a watcher that is late can still read the reports.
  if (acp_finalize() /= 0) error stop 'acp_finalize failed'
  call MPI_Finalize(ierr)
  if (.not. error <= 1e-12_real64) error stop

contains

  ! run computes all steps. Sending goes on behind the halo exchange.
  subroutine run
    integer :: step

    call coupler_report(air)
    do step = 0, steps - 1
      call coupler_send(air, step)
      call halo_exchange(air)
      call heat_flux_atmosphere(air, coupler_receive(step))
      call heat_step(air)
      call coupler_sent ! this time level is overwritten in the next step
      call heat_advance(air)
      if (mod(step + 1, report_every) == 0) call coupler_report(air)
    end do
  end subroutine run

end program atmosphere
