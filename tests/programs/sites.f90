! Rank 0 waits for rank 1, which sleeps, in the line that has a comment. Each rank prints "rank R pid P" before.
program sites
  use acp
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    function pause_() bind(c, name="pause")
      import :: c_int
      integer(c_int) :: pause_
    end function pause_
    function getpid_() bind(c, name="getpid")
      import :: c_int
      integer(c_int) :: getpid_
    end function getpid_
  end interface
  integer(c_int) :: status

  if (acp_init() /= 0) stop 1
  write (*, '(a,i0,a,i0)') "rank ", acp_rank(), " pid ", getpid_()
  flush (6)
  if (acp_rank() == 0) call exchange()
  do
    status = pause_()
  end do
contains
  subroutine exchange()
    integer(c_int) :: result
    result = acp_sync() ! rank 0
    if (result /= 0) stop 1
  end subroutine exchange
end program sites
