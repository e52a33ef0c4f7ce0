! Prints the number of bytes of starter memory. Without a launcher it does so again after it has
! initialised the library once more.
program arguments
  use, intrinsic :: iso_c_binding
  use acp
  use checks
  implicit none

  call check(acp_init() == 0, 'acp_init')
  print '(i0)', bytes_of_starter_memory()
  call check(acp_init() == -1 .and. ACP_ERRNO == 114, 'the second acp_init')
  call check(acp_finalize() == 0, 'acp_finalize')
  call check(acp_procs() == -1 .and. ACP_ERRNO == 1, 'acp_procs afterwards')

contains

  function bytes_of_starter_memory() result(size)
    integer(acp_ga_t) :: ga, size
    ga = acp_query_starter_ga(acp_rank())
    size = 0
    do while (c_associated(acp_query_address(ga + size)))
      size = size + 1
    end do
    size = size - 1
  end function bytes_of_starter_memory

end program arguments
