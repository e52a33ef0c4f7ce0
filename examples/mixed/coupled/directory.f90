! How the programs of the coupled example find each other: the twin of directory.h, where it is
! explained.
module directory
  use, intrinsic :: iso_c_binding
  use acp
  use heat, only: reports
  implicit none

  integer, parameter :: max_ranks = 64
  integer(c_int64_t), parameter :: kind_ocean = 1, kind_atmosphere = 2

  ! One rank as the others see it. All components are 8 bytes wide, so that the layout is the same in
  ! every language.
  type, bind(C) :: rank_entry
    integer(c_int64_t) :: kind
    integer(c_int64_t) :: first, count ! columns owned
    integer(c_int64_t) :: need_first, need_count ! columns of the other model that it needs
    integer(acp_ga_t) :: inbox ! two buffers of need_count numbers
    integer(acp_ga_t) :: ready ! two counters, one for each buffer
    integer(acp_ga_t) :: board ! progress: type(progress)
  end type rank_entry

  ! What a rank lets others see of its progress. A report is written before it is counted and never
  ! changed later.
  type, bind(C) :: progress
    integer(c_int64_t) :: count
    real(c_double) :: heat(reports)
  end type progress

  ! How every rank uses its starter memory: struct starter, and behind it a word of this program alone.
  type, bind(C) :: starter
    type(rank_entry) :: directory(0:max_ranks - 1) ! on rank 0 the original, elsewhere a copy
    type(rank_entry) :: mine
    integer(c_int64_t) :: ready(0:1)
    integer(c_int64_t) :: old ! receives what atomics find; never looked at
    type(progress) :: board
    integer(c_int64_t) :: looked ! what was in ready when this rank looked
  end type starter

  ! Where they lie, as directory.h asserts.
  integer(acp_ga_t), parameter :: mine_at = 4096, ready_at = 4160, old_at = 4176, board_at = 4184, looked_at = 4280

contains

  ! issued returns the handle of a GMA. If the GMA was not issued, it ends the run.
  function issued(handle, what)
    integer(acp_handle_t), intent(in) :: handle
    character(*), intent(in) :: what
    integer(acp_handle_t) :: issued
    if (handle == ACP_HANDLE_NULL) call acp_abort(what)
    issued = handle
  end function issued

  ! publish makes an array accessible to all ranks. Returns its global address, and the key with which
  ! to take that back.
  function publish(memory, bytes, key) result(ga)
    type(c_ptr), intent(in) :: memory
    integer(c_size_t), intent(in) :: bytes
    integer(acp_atkey_t), intent(out) :: key
    integer(acp_ga_t) :: ga
    key = acp_register_memory(memory, bytes, 0)
    if (key == ACP_ATKEY_NULL) call acp_abort('memory cannot be registered')
    ga = acp_query_ga(key, memory)
  end function publish

  ! starter_memory returns where the own starter memory lies.
  function starter_memory() result(s)
    type(starter), pointer :: s
    call c_f_pointer(acp_query_address(acp_query_starter_ga(acp_rank())), s)
  end function starter_memory

  ! directory_join announces this rank by its entry s%mine and fills s%directory with the entries of
  ! all. Collective.
  subroutine directory_join(s)
    type(starter), intent(inout) :: s
    integer(acp_ga_t) :: here, original, place

    if (acp_procs() > max_ranks) call acp_abort('the directory has no room for so many ranks')
    here = acp_query_starter_ga(acp_rank())
    original = acp_query_starter_ga(0)
    place = original + acp_rank() * c_sizeof(s%mine)
    call acp_complete(issued(acp_copy(place, here + mine_at, c_sizeof(s%mine), ACP_HANDLE_NULL), &
                             'the directory cannot be written'))
    ! The entry is there, now wait for those of the others.
    if (acp_sync() /= 0) call acp_abort('the others have not come')
    call acp_complete(issued(acp_copy(here, original, c_sizeof(s%directory), ACP_HANDLE_NULL), &
                             'the directory cannot be read'))
  end subroutine directory_join

end module directory
