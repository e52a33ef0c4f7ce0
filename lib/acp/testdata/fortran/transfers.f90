! Copies between arrays of all ranks, in both directions and between two others, and counts by
! atomics.
program transfers
  use, intrinsic :: iso_c_binding
  use acp
  use checks
  implicit none

  ! What a rank tells the others about itself, in starter memory.
  type, bind(C) :: entry
    integer(acp_ga_t) :: field, counter
  end type entry
  integer, parameter :: columns = 5, rows = 1000

  real(c_double), allocatable, target :: field(:, :)
  integer(c_int64_t), target :: counters(2) ! one that all change, and where atomics put what they find
  type(entry), allocatable :: entries(:)
  integer(acp_atkey_t) :: keys(2)
  integer(c_int) :: me, ranks

  call check(acp_init() == 0, 'acp_init')
  me = acp_rank()
  ranks = acp_procs()
  allocate (field(rows, columns), entries(0:ranks - 1))
  counters = 0
  keys(1) = acp_register_memory(c_loc(field), c_sizeof(field(1, 1)) * size(field), 0)
  keys(2) = acp_register_memory(c_loc(counters), c_sizeof(counters), 0)
  call meet
  call put_and_get
  call count_together
  call between_others
  call check(acp_unregister_memory(keys(1)) == 0, 'acp_unregister_memory')
  call check(acp_unregister_memory(keys(2)) == 0, 'acp_unregister_memory')
  call check(acp_finalize() == 0, 'acp_finalize')

contains

  ! meet lets every rank know where the arrays of the others are.
  subroutine meet
    type(entry), pointer :: mine
    type(entry), target :: theirs
    integer(acp_atkey_t) :: key
    integer(acp_ga_t) :: here_too
    integer :: r
    call c_f_pointer(acp_query_address(acp_query_starter_ga(me)), mine)
    mine = entry(acp_query_ga(keys(1), c_loc(field)), acp_query_ga(keys(2), c_loc(counters)))
    call check(acp_sync() == 0, 'acp_sync')
    key = acp_register_memory(c_loc(theirs), c_sizeof(theirs), 0)
    here_too = acp_query_ga(key, c_loc(theirs))
    do r = 0, ranks - 1
      call acp_complete(acp_copy(here_too, acp_query_starter_ga(r), c_sizeof(theirs), ACP_HANDLE_NULL))
      entries(r) = theirs
      call check(acp_query_rank(theirs%field) == r, 'rank of a field')
    end do
    call check(acp_unregister_memory(key) == 0, 'acp_unregister_memory')
  end subroutine meet

  ! at returns the global address of an element of the field of a rank.
  function at(rank, row, column)
    integer, intent(in) :: rank, row, column
    integer(acp_ga_t) :: at
    at = entries(rank)%field + 8 * (row - 1 + rows * (column - 1))
  end function at

  ! put_and_get writes column 1 into column 2 of the next rank, and reads column 1 of the one before.
  subroutine put_and_get
    integer(acp_handle_t) :: put, get
    integer :: next, before
    next = mod(me + 1, ranks)
    before = mod(me + ranks - 1, ranks)
    field = -1
    field(:, 1) = me + 1
    call check(acp_sync() == 0, 'acp_sync')
    put = acp_copy(at(next, 1, 2), at(me, 1, 1), 8_n * rows, ACP_HANDLE_NULL)
    get = acp_copy(at(me, 1, 3), at(before, 1, 1), 8_n * rows, put)
    call check(put /= ACP_HANDLE_NULL .and. get > put, 'acp_copy')
    call acp_complete(get)
    call check(acp_inquire(put) == 0 .and. acp_inquire(get) == 0, 'acp_inquire')
    call check(acp_sync() == 0, 'acp_sync')
    call check(all(nint(field(:, 2)) == before + 1), 'put')
    call check(all(nint(field(:, 3)) == before + 1), 'get')
    call check(all(nint(field(:, 4:)) == -1), 'other columns')
  end subroutine put_and_get

  ! count_together adds to the counters of all ranks.
  subroutine count_together
    integer(acp_handle_t) :: last
    integer :: i, r
    last = ACP_HANDLE_NULL
    do i = 1, 100
      do r = 0, ranks - 1
        last = acp_add8(entries(me)%counter + 8, entries(r)%counter, int(i, c_int64_t), ACP_HANDLE_NULL)
        call check(last /= ACP_HANDLE_NULL, 'acp_add8')
      end do
    end do
    call acp_complete(last)
    call check(acp_sync() == 0, 'acp_sync')
    call check(counters(1) == 5050 * ranks, 'sum')
    call check(acp_copy(ACP_GA_NULL, at(me, 1, 1), 8_n, ACP_HANDLE_NULL) == ACP_HANDLE_NULL, 'a copy to nowhere')
    call check(ACP_ERRNO == 14, 'ACP_ERRNO of a copy to nowhere')
  end subroutine count_together

  ! between_others lets the last rank copy column 1 of every rank into column 5 of the next one.
  subroutine between_others
    integer :: r
    if (me == ranks - 1) then
      do r = 0, ranks - 1
        call check(acp_copy(at(mod(r + 1, ranks), 1, 5), at(r, 1, 1), 8_n * rows, ACP_HANDLE_NULL) /= 0, 'acp_copy')
      end do
      call acp_complete(ACP_HANDLE_ALL)
    end if
    call check(acp_sync() == 0, 'acp_sync')
    call check(all(nint(field(:, 5)) == mod(me + ranks - 1, ranks) + 1), 'copies between others')
  end subroutine between_others

end program transfers
