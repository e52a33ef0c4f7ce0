! Hello from a program without MPI, in Fortran.
!
!     acpfc hello.f90 hello_world_acp.f90 -o hello_acp_f
!     acprun -np 4 hello_acp_f
program hello_world_acp
  use acp
  use hello
  implicit none

  if (acp_init() /= 0) error stop 'acp_init failed'
  call hello_exchange('in Fortran, without MPI')
  if (acp_finalize() /= 0) error stop 'acp_finalize failed'
end program hello_world_acp
