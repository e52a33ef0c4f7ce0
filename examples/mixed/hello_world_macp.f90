! Hello from a program in Fortran that uses MPI inside its job and ACP across all jobs.
!
!     macpfc hello.f90 hello_world_macp.f90 -o hello_macp_f
!     macprun -np 6 inputfile-fortran
program hello_world_macp
  use mpi
  use acp
  use hello
  implicit none

  integer :: rank, size, ierr
  character(64) :: role

  ! Errors of MPI end the program: that is what MPI_COMM_WORLD does with them unless told otherwise.
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  if (acp_init() /= 0) call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  write (role, '(a, i0, a, i0)') 'in Fortran, MPI rank ', rank, ' of ', size
  call hello_exchange(trim(role))
  if (acp_finalize() /= 0) error stop 'acp_finalize failed'
  call MPI_Finalize(ierr)
end program hello_world_macp
