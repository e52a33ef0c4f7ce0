! Sends arrays around by channels, and lets all ranks use a list, a map and a workspace.
program exchange
  use, intrinsic :: iso_c_binding
  use acp
  use checks
  implicit none

  integer(c_int) :: me, ranks

  call check(acp_init() == 0, 'acp_init')
  me = acp_rank()
  ranks = acp_procs()
  call open_scratch
  if (ranks > 1) call ring
  call shared_map
  call shared_workspace
  call check(acp_finalize() == 0, 'acp_finalize')

contains

  ! ring sends an array to the next rank, ten times, and receives that of the one before.
  subroutine ring
    integer(acp_ch_t) :: to, from
    integer(acp_request_t) :: requests(2)
    integer(c_size_t) :: sizes(2)
    real(c_double), target :: mine(3000), theirs(3000)
    integer :: next, before, i
    next = mod(me + 1, ranks)
    before = mod(me + ranks - 1, ranks)
    to = acp_create_ch(me, next)
    from = acp_create_ch(before, me)
    do i = 1, 10
      mine = me + 0.5_c_double * i
      requests = [acp_nbsend_ch(to, c_loc(mine), c_sizeof(mine)), acp_nbrecv_ch(from, c_loc(theirs), c_sizeof(theirs))]
      call check(acp_waitall_ch(requests, 2, sizes) == 0, 'acp_waitall_ch')
      call check(sizes(1) == 0 .and. sizes(2) == c_sizeof(theirs), 'sizes of messages')
      call check(all(abs(theirs - before - 0.5_c_double * i) < 1e-12_c_double), 'message')
    end do
    requests = [acp_nbfree_ch(to), acp_nbfree_ch(from)]
    call check(acp_waitall_ch(requests, 2) == 0, 'acp_nbfree_ch')
  end subroutine ring

  ! digit is the name of a rank.
  function digit(rank)
    integer, intent(in) :: rank
    character(1) :: digit
    digit = achar(iachar('0') + rank)
  end function digit

  ! shared_map lets every rank insert its pair into a map of rank 0 and find that of all.
  subroutine shared_map
    type(acp_map_t), pointer :: published
    type(acp_map_t) :: map
    integer :: r
    if (me == 0) then
      call c_f_pointer(acp_query_address(acp_query_starter_ga(0)), published)
      published = acp_create_map(ranks, [(r, r = 0, ranks - 1)], 7, 0)
    end if
    call check(acp_sync() == 0, 'acp_sync')
    map = found_map()
    call check(acp_insert_map(map, pair('rank ' // digit(me), 'value ' // digit(me))) == 1, 'acp_insert_map')
    call check(acp_sync() == 0, 'acp_sync')
    call check(acp_size_map(map) == ranks, 'acp_size_map')
    do r = 0, ranks - 1
      call check(acp_retrieve_map(map, pair('rank ' // digit(r), '.......')) == 7, 'acp_retrieve_map')
      call check(has(256, 'value ' // digit(r)), 'value of a map')
    end do
    call check(acp_sync() == 0, 'acp_sync')
    if (me == 0) call acp_destroy_map(map)
  end subroutine shared_map

  ! found_map reads the handle of the map from the starter memory of rank 0.
  function found_map() result(map)
    type(acp_map_t) :: map
    type(acp_map_t), pointer :: copied
    call acp_complete(acp_copy(scratch, acp_query_starter_ga(0), c_sizeof(map), ACP_HANDLE_NULL))
    call c_f_pointer(c_loc(here), copied)
    map = copied
  end function found_map

  ! shared_workspace lets every rank write a byte and read those of all.
  subroutine shared_workspace
    integer(acp_wsd_t) :: ws
    integer :: r
    call check(acp_setparams_ws(0_n, 2_n) == 0, 'acp_setparams_ws')
    ws = acp_create_ws(int(ranks, n))
    call check(ws /= ACP_WSD_NULL, 'acp_create_ws')
    call put(0, digit(me))
    call check(acp_write_ws(ws, scratch, 1_n, int(me, n)) == 0, 'acp_write_ws')
    call check(acp_sync() == 0, 'acp_sync')
    call check(acp_read_ws(ws, scratch, int(ranks, n), 0_n) == 0, 'acp_read_ws')
    do r = 0, ranks - 1
      call check(has(r, digit(r)), 'byte of a workspace')
    end do
    call check(acp_sync() == 0, 'acp_sync')
    call acp_destroy_ws(ws)
  end subroutine shared_workspace

end program exchange
