! Calls every function of module acp, between two ranks, and checks a result of each: the data structures by modules
! structures and many, the rest here.
program every
  use, intrinsic :: iso_c_binding
  use acp
  use checks
  use many
  use structures
  implicit none

  integer(c_int) :: me, peer

  call check(acp_init() == 0, 'acp_init')
  call check(acp_procs() == 2, 'acp_procs')
  call check(acp_reset(1 - acp_rank()) == 0, 'acp_reset')
  me = acp_rank()
  peer = 1 - me
  call check(acp_query_starter_ga(peer) /= ACP_GA_NULL, 'acp_query_starter_ga')
  call open_scratch
  call memory
  call channels
  call segments
  call structure_calls(me, peer)
  call many_calls(me, peer)
  call workspaces
  call jobs
  call groups
  call values
  call stats
  call errors
  call acp_free(scratch)
  call check(acp_sync() == 0, 'acp_sync')
  call check(acp_finalize() == 0, 'acp_finalize')

contains

  subroutine memory
    integer(c_int64_t), target :: words(8)
    integer(acp_atkey_t) :: key
    integer(acp_ga_t) :: ga, result
    integer(acp_handle_t) :: copied
    words = 0
    key = acp_register_memory(c_loc(words), c_sizeof(words), acp_colors() - 1)
    call check(key /= ACP_ATKEY_NULL, 'acp_register_memory')
    ga = acp_query_ga(key, c_loc(words))
    call check(acp_query_rank(ga) == me .and. acp_query_color(ga) == 0, 'acp_query_ga')
    call check(c_associated(acp_query_address(ga), c_loc(words)), 'acp_query_address')
    result = ga + 8
    call acp_complete(acp_add4(result, ga, 5, ACP_HANDLE_NULL))
    call acp_complete(acp_or4(result, ga, 2, ACP_HANDLE_NULL))
    call acp_complete(acp_and4(result, ga, 6, ACP_HANDLE_NULL))
    call acp_complete(acp_xor4(result, ga, 1, ACP_HANDLE_NULL))
    call acp_complete(acp_cas4(result, ga, 7, 9, ACP_HANDLE_NULL))
    call acp_complete(acp_swap4(result, ga, -1, ACP_HANDLE_NULL))
    call check(words(2) == 9 .and. words(1) == 4294967295_c_int64_t, 'atomics of 4 bytes')
    call acp_complete(acp_add8(result, ga, -4294967290_c_int64_t, ACP_HANDLE_NULL))
    call acp_complete(acp_or8(result, ga, 2_c_int64_t, ACP_HANDLE_NULL))
    call acp_complete(acp_and8(result, ga, 6_c_int64_t, ACP_HANDLE_NULL))
    call acp_complete(acp_xor8(result, ga, 1_c_int64_t, ACP_HANDLE_NULL))
    call acp_complete(acp_cas8(result, ga, 7_c_int64_t, 9_c_int64_t, ACP_HANDLE_NULL))
    call acp_complete(acp_swap8(result, ga, 3_c_int64_t, ACP_HANDLE_ALL))
    call check(words(2) == 9 .and. words(1) == 3, 'atomics of 8 bytes')
    copied = acp_copy(ga + 16, ga, 8_n, ACP_HANDLE_CONT)
    call acp_complete(copied)
    call check(acp_inquire(copied) == 0 .and. words(3) == 3, 'acp_copy')
    call check(acp_unregister_memory(key) == 0, 'acp_unregister_memory')
    call check(acp_unregister_memory(key) == -1 .and. ACP_ERRNO == 2, 'ACP_ERRNO')
  end subroutine memory

  subroutine channels
    integer(acp_ch_t) :: ch, second
    integer(acp_request_t) :: requests(2)
    integer(c_size_t) :: sizes(2)
    character(kind=c_char), target :: text(8)
    ch = acp_create_ch(0, 1)
    second = acp_create_ch(1, 0)
    call check(ch /= ACP_CH_NULL, 'acp_create_ch')
    text = '.'
    if (me == 0) then
      text(1:5) = ['h', 'e', 'l', 'l', 'o']
      requests(1) = acp_nbsend_ch(ch, c_loc(text), 5_n)
    else
      requests(1) = acp_nbrecv_ch(ch, c_loc(text), 8_n)
    end if
    call check(requests(1) /= ACP_REQUEST_NULL, 'acp_nbsend_ch')
    call check(acp_waitall_ch(requests, 1, sizes) == 0 .and. sizes(1) == 5 * me, 'acp_waitall_ch')
    call check(all(text(5:6) == ['o', '.']), 'text of a channel')
    requests(2) = acp_nbfree_ch(second)
    call check(acp_waitall_ch(requests(2:), 1) == 0, 'acp_waitall_ch without sizes')
    call check(acp_wait_ch(ACP_REQUEST_NULL) == -1, 'acp_wait_ch')
    call check(acp_free_ch(ch) == 0, 'acp_free_ch')
  end subroutine channels

  subroutine segments
    real(c_double), target :: ring(2, 0:3)
    integer(acp_segbuf_t) :: s
    integer :: i
    if (me == 0) then
      s = acp_create_src_segbuf(1, c_loc(ring), 16_n, 4_n)
    else
      s = acp_create_dst_segbuf(0, c_loc(ring), 16_n, 4_n)
    end if
    call check(s /= ACP_SEGBUF_NULL, 'acp_create_src_segbuf')
    call check(acp_connect_segbuf(s) == 0 .and. acp_isconnected_segbuf(s) == 0, 'acp_connect_segbuf')
    do i = 1, 10
      if (me == 0) then
        do while (acp_isready_segbuf(s) /= 0)
        end do
        ring(:, acp_query_segbuf_tail(s)) = i
        call check(acp_ack_segbuf(s) == 0, 'acp_ack_segbuf')
        call check(acp_query_segbuf_sent(s) >= 0, 'acp_query_segbuf_sent')
      else
        do while (acp_isacked_segbuf(s) /= 0)
        end do
        call check(all(nint(ring(:, acp_query_segbuf_head(s))) == i), 'segment')
        call check(acp_ready_segbuf(s) == 0, 'acp_ready_segbuf')
      end if
    end do
    call check(acp_sync() == 0, 'acp_sync')
    call check(acp_disconnect_segbuf(s) == 0, 'acp_disconnect_segbuf')
    call check(acp_free_segbuf(s) == 0, 'acp_free_segbuf')
  end subroutine segments

  subroutine workspaces
    integer(acp_wsd_t) :: ws
    type(acp_wsditem), pointer :: item
    type(acp_element_t) :: e
    integer(acp_ga_t), pointer :: pieces(:)
    call check(acp_setparams_ws(1_n, 100_n) == 0, 'acp_setparams_ws')
    ws = acp_create_ws(250_n)
    call check(ws /= ACP_WSD_NULL, 'acp_create_ws')
    call c_f_pointer(transfer(ws, c_null_ptr), item)
    call check(item%size_ws == 250 .and. item%ngas == 3, 'acp_wsditem')
    call c_f_pointer(item%gas, pieces, [item%ngas])
    call check(acp_query_rank(pieces(1)) == 1 .and. acp_query_rank(pieces(2)) == 0, 'gas of acp_wsditem')
    e = bytes(0, merge('left', 'rite', me == 0))
    call check(acp_write_ws(ws, e%ga, 4_n, merge(98_n, 198_n, me == 0)) == 0, 'acp_write_ws')
    call check(acp_sync() == 0, 'acp_sync')
    call check(acp_read_ws(ws, e%ga, 4_n, merge(198_n, 98_n, me == 0)) == 0, 'acp_read_ws')
    call check(has(0, merge('rite', 'left', me == 0)), 'text of a workspace')
    call acp_destroy_ws(ws)
  end subroutine workspaces

  subroutine jobs
    integer :: ranks(2)

    call check(acp_jobs() == 1 .and. acp_job(peer) == 0 .and. acp_job_procs(0) == 2, 'acp_jobs')
    call check(len(acp_job_name(0)) > 0 .and. acp_job_find(acp_job_name(0)) == 0, 'acp_job_name')
    call check(acp_job_find('absent') == -1, 'acp_job_find')
    call check(acp_job_rank(0, 0) == 1 .and. acp_job_rank(0, 1) == 0, 'acp_job_rank')
    call check(acp_seats() >= 2 .and. acp_cohort(0) == 0, 'acp_seats, acp_cohort')
    call check(acp_state(0) == ACP_STATE_PRESENT, 'acp_state')
    call check(acp_await_change(-1_c_int64_t, -1d0) >= 0, 'acp_await_change')
    call check(acp_epoch() == 0 .and. acp_epoch_ranks(ranks, 2) == 2, 'acp_epoch, acp_epoch_ranks')
    call check(all(ranks == [0, 1]), 'the ranks of acp_epoch_ranks')
    call check(acp_asked(peer) == 0 .and. acp_ask_leave(peer) == -1, 'acp_asked, acp_ask_leave')
    call check(acp_ask_join(1) == -1, 'acp_ask_join')
    call check(acp_adopt(0) == -1 .and. acp_adopt(1) == 1, 'acp_adopt')
  end subroutine jobs

  subroutine groups
    integer(c_int64_t), target :: number
    call check(acp_sync_ranks([peer, me], 2) == 0 .and. acp_sync_job(0) == 0, 'acp_sync_ranks')
    number = merge(42, 0, me == 0)
    call check(acp_broadcast(c_loc(number), 8_n, 0, [peer, me], 2) == 0 .and. number == 42, 'acp_broadcast')
  end subroutine groups

  subroutine values
    integer(c_int64_t), target :: number
    integer(c_int64_t) :: version
    number = 42
    if (me == 0) call check(acp_put_value('answer', c_loc(number), 8_n) == 1, 'acp_put_value')
    number = 0
    call check(acp_wait_value('answer', 1_c_int64_t, c_loc(number), 8_n, version) == 8, 'acp_wait_value')
    call check(number == 42 .and. version == 1, 'version')
    call check(acp_get_value('answer', c_loc(number), 8_n) == 8, 'acp_get_value')
  end subroutine values

  subroutine stats
    integer(c_int64_t) :: volume
    volume = 0
    call check(acp_stats(-1, ACP_STATS_ALL, ACP_STATS_ALL, volume) > 0 .and. volume > 0, 'acp_stats')
    call check(acp_stats(peer, ACP_STATS_PUT, ACP_STATS_RMA) == 0, 'acp_stats of windows')
  end subroutine stats

  subroutine errors
    call check(acp_set_timeout(0.0_c_double) == -1 .and. acp_error_number() == 22, 'acp_set_timeout')
    call check(index(acp_error_message(), 'time limit') > 0, 'acp_error_message')
    call check(acp_set_timeout(60.0_c_double) == 0 .and. acp_set_timeout(-1.0_c_double) == 0, 'limits')
    call check(acp_version() == '2.1.0' .and. acp_library() == 'libacp' .and. acp_mpi_name() == '', 'names')
    call check(ACP_VERSION_MAJOR == 2 .and. ACP_VERSION_MINOR == 1, 'numbers')
  end subroutine errors

end program every
