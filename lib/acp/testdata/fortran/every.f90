! Calls every function of module acp, between two ranks, and checks a result of each.
program every
  use, intrinsic :: iso_c_binding
  use acp
  use checks
  use many
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
  call vectors
  call deques
  call lists
  call sets
  call multisets
  call maps
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

  subroutine vectors
    type(acp_vector_t) :: v, w
    type(acp_vector_it_t) :: begin, end, it
    type(acp_element_t) :: e
    v = acp_create_vector(0_n, peer)
    w = acp_create_vector(3_n, me)
    call check(v%ga /= ACP_GA_NULL .and. acp_empty_vector(v) == 1, 'acp_create_vector')
    call acp_reserve_vector(v, 64_n)
    call check(acp_capacity_vector(v) >= 64, 'acp_capacity_vector')
    e = bytes(0, 'abcdef')
    call acp_push_back_vector(v, e%ga, e%size)
    call acp_pop_back_vector(v, 2_n)
    begin = acp_begin_vector(v)
    end = acp_end_vector(v)
    call check(acp_distance_vector_it(begin, end) == 4 .and. acp_size_vector(v) == 4, 'acp_size_vector')
    call check(acp_at_vector(v, 1) == acp_dereference_vector_it(acp_advance_vector_it(begin, 1)), 'acp_at_vector')
    call acp_assign_vector(w, v)
    call check(is(acp_at_vector(w, 0), 'abcd'), 'acp_assign_vector')
    call acp_assign_range_vector(w, acp_advance_vector_it(begin, 2), end)
    it = acp_insert_vector(acp_begin_vector(w), e%ga, 1_n)
    it = acp_insert_range_vector(acp_end_vector(w), begin, acp_advance_vector_it(begin, 2))
    call check(it%index == 3 .and. is(acp_at_vector(w, 0), 'acdab'), 'acp_insert_range_vector')
    it = acp_erase_vector(acp_begin_vector(w), 1_n)
    it = acp_erase_range_vector(acp_begin_vector(w), acp_advance_vector_it(acp_begin_vector(w), 1))
    call acp_swap_vector(v, w)
    call check(acp_size_vector(v) == 3 .and. acp_size_vector(w) == 4, 'acp_swap_vector')
    call acp_clear_vector(v)
    call check(acp_size_vector(v) == 0, 'acp_clear_vector')
    call acp_destroy_vector(v)
    call acp_destroy_vector(w)
  end subroutine vectors

  subroutine deques
    type(acp_deque_t) :: d, f
    type(acp_deque_it_t) :: begin, end, it
    type(acp_element_t) :: e
    type(acp_pair_t) :: place
    d = acp_create_deque(8_n, peer)
    f = acp_create_deque(0_n, me)
    call check(d%ga /= ACP_GA_NULL .and. acp_empty_deque(d) == 1, 'acp_create_deque')
    call acp_reserve_deque(d, 16_n)
    call check(acp_capacity_deque(d) >= 16, 'acp_capacity_deque')
    e = bytes(0, 'abcdef')
    call acp_push_back_deque(d, e%ga, 4_n)
    call acp_push_front_deque(d, e%ga + 4, 2_n)
    call acp_pop_back_deque(d, 1_n)
    call acp_pop_front_deque(d, 1_n) ! fabc
    begin = acp_begin_deque(d)
    end = acp_end_deque(d)
    call check(acp_distance_deque_it(begin, end) == 4 .and. acp_size_deque(d) == 4, 'acp_size_deque')
    it = acp_advance_deque_it(acp_front_deque(d), 1)
    call check(it%index == begin%index, 'acp_front_deque')
    it = acp_advance_deque_it(acp_back_deque(d), 1)
    call check(it%index == end%index, 'acp_back_deque')
    place = acp_dereference_deque_it(begin, 4_n)
    call check(place%first%ga == acp_at_deque(d, 0), 'acp_dereference_deque_it')
    call check(place%first%size + place%second%size == 4, 'acp_dereference_deque_it')
    call check(acp_dereference_deque_it(begin) == place%first%ga, 'acp_dereference_deque_it of one argument')
    call acp_assign_deque(f, d)
    call check(is(acp_at_deque(f, 0), 'fabc'), 'acp_assign_deque')
    call acp_assign_range_deque(f, begin, acp_advance_deque_it(begin, 2))
    it = acp_insert_deque(acp_begin_deque(f), e%ga, 1_n)
    it = acp_insert_range_deque(acp_end_deque(f), begin, end) ! afafabc
    it = acp_erase_deque(acp_begin_deque(f), 2_n)
    it = acp_erase_range_deque(acp_begin_deque(f), acp_advance_deque_it(acp_begin_deque(f), 1))
    call check(acp_size_deque(f) == 4, 'acp_erase_range_deque')
    call acp_swap_deque(d, f)
    call acp_clear_deque(d)
    call check(acp_size_deque(d) == 0 .and. acp_size_deque(f) == 4, 'acp_swap_deque')
    call acp_destroy_deque(d)
    call acp_destroy_deque(f)
  end subroutine deques

  subroutine push_all(list, text)
    type(acp_list_t), intent(in) :: list
    character(*), intent(in) :: text
    integer :: i
    do i = 1, len(text)
      call acp_push_back_list(list, bytes(0, text(i:i)), merge(me, peer, mod(i, 2) == 0))
    end do
  end subroutine push_all

  ! expect checks that the elements of a list are the letters of a text.
  subroutine expect(list, text)
    type(acp_list_t), intent(in) :: list
    character(*), intent(in) :: text
    type(acp_list_it_t) :: it, end
    type(acp_element_t) :: e
    integer :: i
    call check(acp_size_list(list) == len(text), 'acp_size_list: ' // text)
    it = acp_begin_list(list)
    do i = 1, len(text)
      e = acp_dereference_list_it(it)
      call check(e%size == 1 .and. is(e%ga, text(i:i)), 'list: ' // text)
      it = acp_increment_list_it(it)
    end do
    end = acp_end_list(list)
    call check(it%elem == end%elem, 'acp_end_list')
  end subroutine expect

  subroutine lists
    type(acp_list_t) :: l, m
    type(acp_list_it_t) :: begin, end, it
    l = acp_create_list(peer)
    m = acp_create_list(me)
    call check(l%ga /= ACP_GA_NULL .and. acp_empty_list(l) == 1, 'acp_create_list')
    call push_all(l, 'cab')
    call acp_push_front_list(l, bytes(0, 'z'), peer)
    call acp_push_back_list(l, bytes(0, 'z'), peer)
    call expect(l, 'zcabz')
    call acp_pop_front_list(l)
    call acp_pop_back_list(l)
    call acp_sort_list(l, by_first)
    call expect(l, 'abc')
    call acp_reverse_list(l)
    call expect(l, 'cba')
    call acp_reverse_list(l)
    call push_all(m, 'bd')
    call acp_merge_list(l, m, by_first)
    call expect(l, 'abbcd')
    call expect(m, '')
    call acp_unique_list(l)
    call expect(l, 'abcd')
    call acp_assign_list(m, l)
    begin = acp_begin_list(m)
    end = acp_end_list(m)
    call check(acp_distance_list_it(begin, end) == 4, 'acp_distance_list_it')
    call acp_assign_range_list(l, acp_advance_list_it(begin, 1), acp_decrement_list_it(end))
    call expect(l, 'bc')
    it = acp_insert_list(acp_begin_list(l), bytes(0, 'x'), me)
    it = acp_insert_range_list(acp_end_list(l), begin, acp_increment_list_it(begin))
    call expect(l, 'xbca')
    it = acp_erase_list(acp_begin_list(l))
    it = acp_erase_range_list(acp_begin_list(l), acp_increment_list_it(acp_begin_list(l)))
    call expect(l, 'ca')
    call acp_splice_list(acp_begin_list(l), acp_begin_list(m))
    call acp_splice_range_list(acp_end_list(l), acp_begin_list(m), acp_end_list(m))
    call expect(l, 'acabcd')
    call acp_remove_list(l, bytes(0, 'a'))
    call expect(l, 'cbcd')
    call acp_swap_list(l, m)
    call expect(m, 'cbcd')
    call acp_clear_list(m)
    call expect(m, '')
    call acp_destroy_list(l)
    call acp_destroy_list(m)
  end subroutine lists

  subroutine sets
    type(acp_set_t) :: s, t
    type(acp_set_it_t) :: it, end
    type(acp_element_t) :: e
    integer(c_size_t) :: seen, here_seen
    s = acp_create_set(2, [0, 1], 3, me)
    t = acp_create_set(1, [0, 1], 2, peer)
    call check(s%ga /= ACP_GA_NULL .and. s%num_ranks == 2 .and. s%num_slots == 3, 'acp_create_set')
    call check(acp_empty_set(s) == 1 .and. acp_empty_local_set(s) == 1, 'acp_empty_set')
    call check(acp_insert_set(s, bytes(0, 'a')) == 1, 'acp_insert_set')
    call check(acp_insert_set(s, bytes(0, 'a')) == 1, 'acp_insert_set again')
    call check(acp_insert_set(s, bytes(0, 'b')) == 1, 'acp_insert_set')
    call check(acp_size_set(s) == 2 .and. acp_size_local_set(s) <= 2, 'acp_size_set')
    seen = 0
    here_seen = 0
    it = acp_begin_set(s)
    end = acp_end_set(s)
    do while (it%elem /= end%elem)
      e = acp_dereference_set_it(it)
      seen = seen + e%size
      it = acp_increment_set_it(it)
    end do
    it = acp_begin_local_set(s)
    end = acp_end_local_set(s)
    do while (it%elem /= end%elem)
      here_seen = here_seen + 1
      it = acp_increment_set_it(it)
    end do
    call check(seen == 2 .and. here_seen == acp_size_local_set(s), 'acp_increment_set_it')
    it = acp_find_set(s, bytes(0, 'b'))
    call check(it%elem /= ACP_GA_NULL, 'acp_find_set')
    call acp_merge_set(t, s)
    call acp_merge_local_set(t, s)
    call check(acp_size_set(t) == 2, 'acp_merge_set')
    call acp_assign_set(t, s)
    call acp_assign_local_set(t, s)
    call check(acp_size_set(t) == acp_size_local_set(s), 'acp_assign_local_set')
    call acp_move_local_set(t, s)
    call check(acp_size_local_set(s) == 0, 'acp_move_local_set')
    call acp_move_set(t, s)
    call check(acp_empty_set(s) == 1 .and. acp_size_set(t) == 2, 'acp_move_set')
    call acp_swap_set(s, t)
    call check(acp_empty_set(t) == 1 .and. acp_size_set(s) == 2, 'acp_swap_set')
    call acp_clear_local_set(t)
    call acp_remove_set(s, bytes(0, 'b'))
    it = acp_find_set(s, bytes(0, 'b'))
    call check(it%elem == ACP_GA_NULL, 'acp_remove_set')
    call acp_clear_set(s)
    call check(acp_empty_set(s) == 1, 'acp_clear_set')
    call acp_destroy_set(s)
    call acp_destroy_set(t)
  end subroutine sets

  subroutine multisets
    type(acp_multiset_t) :: s, t
    type(acp_multiset_it_t) :: it, end
    type(acp_element_t) :: e
    integer(c_size_t) :: seen, here_seen
    s = acp_create_multiset(2, [0, 1], 3, me)
    t = acp_create_multiset(1, [0, 1], 2, peer)
    call check(s%ga /= ACP_GA_NULL .and. s%num_ranks == 2 .and. s%num_slots == 3, 'acp_create_multiset')
    call check(acp_empty_multiset(s) == 1 .and. acp_empty_local_multiset(s) == 1, 'acp_empty_multiset')
    call check(acp_insert_multiset(s, bytes(0, 'a')) == 1, 'acp_insert_multiset')
    call check(acp_insert_multiset(s, bytes(0, 'a')) == 1, 'acp_insert_multiset again')
    call check(acp_insert_multiset(s, bytes(0, 'b')) == 1, 'acp_insert_multiset')
    call check(acp_size_multiset(s) == 2 .and. acp_size_local_multiset(s) <= 2, 'acp_size_multiset')
    seen = 0
    here_seen = 0
    it = acp_begin_multiset(s)
    end = acp_end_multiset(s)
    do while (it%elem /= end%elem)
      e = acp_dereference_multiset_it(it)
      seen = seen + e%size
      it = acp_increment_multiset_it(it)
    end do
    it = acp_begin_local_multiset(s)
    end = acp_end_local_multiset(s)
    do while (it%elem /= end%elem)
      here_seen = here_seen + 1
      it = acp_increment_multiset_it(it)
    end do
    call check(seen == 2 .and. here_seen == acp_size_local_multiset(s), 'acp_increment_multiset_it')
    it = acp_find_multiset(s, bytes(0, 'b'))
    call check(it%elem /= ACP_GA_NULL, 'acp_find_multiset')
    call acp_merge_multiset(t, s)
    call acp_merge_local_multiset(t, s)
    call check(acp_size_multiset(t) == 2, 'acp_merge_multiset')
    call acp_assign_multiset(t, s)
    call acp_assign_local_multiset(t, s)
    call check(acp_size_multiset(t) == acp_size_local_multiset(s), 'acp_assign_local_multiset')
    call acp_move_local_multiset(t, s)
    call check(acp_size_local_multiset(s) == 0, 'acp_move_local_multiset')
    call acp_move_multiset(t, s)
    call check(acp_empty_multiset(s) == 1 .and. acp_size_multiset(t) == 2, 'acp_move_multiset')
    call acp_swap_multiset(s, t)
    call check(acp_empty_multiset(t) == 1 .and. acp_size_multiset(s) == 2, 'acp_swap_multiset')
    call check(acp_retrieve_multiset(s, bytes(0, 'a')) >= 2, 'acp_retrieve_multiset')
    call acp_remove_all_multiset(s, bytes(0, 'a'))
    call check(acp_retrieve_multiset(s, bytes(0, 'a')) == 0, 'acp_remove_all_multiset')
    do while (acp_retrieve_multiset(s, bytes(0, 'b')) > 1)
      call acp_remove_multiset(s, bytes(0, 'b'))
    end do
    call acp_remove_multiset(s, bytes(0, 'b'))
    it = acp_find_multiset(s, bytes(0, 'b'))
    call check(it%elem == ACP_GA_NULL, 'acp_remove_multiset')
    call acp_clear_multiset(s)
    call check(acp_empty_multiset(s) == 1, 'acp_clear_multiset')
    call acp_destroy_multiset(s)
    call acp_destroy_multiset(t)
  end subroutine multisets

  subroutine maps
    type(acp_map_t) :: m, o
    type(acp_map_it_t) :: it, end
    type(acp_pair_t) :: p
    integer(c_size_t) :: seen, here_seen
    m = acp_create_map(2, [0, 1], 3, me)
    o = acp_create_map(1, [0, 1], 2, peer)
    call check(m%ga /= ACP_GA_NULL .and. acp_empty_map(m) == 1 .and. acp_empty_local_map(m) == 1, 'acp_create_map')
    call check(acp_insert_map(m, pair('one', '1')) == 1, 'acp_insert_map')
    call check(acp_insert_map(m, pair('two', '22')) == 1, 'acp_insert_map')
    call check(acp_insert_map(m, pair('two', '3')) == 0, 'acp_insert_map again')
    call check(acp_retrieve_map(m, pair('two', '....')) == 2 .and. has(256, '22..'), 'acp_retrieve_map')
    call check(acp_size_map(m) == 2 .and. acp_size_local_map(m) <= 2, 'acp_size_map')
    seen = 0
    here_seen = 0
    it = acp_begin_map(m)
    end = acp_end_map(m)
    do while (it%elem /= end%elem)
      p = acp_dereference_map_it(it)
      seen = seen + p%second%size
      it = acp_increment_map_it(it)
    end do
    it = acp_begin_local_map(m)
    end = acp_end_local_map(m)
    do while (it%elem /= end%elem)
      here_seen = here_seen + 1
      it = acp_increment_map_it(it)
    end do
    call check(seen == 3 .and. here_seen == acp_size_local_map(m), 'acp_increment_map_it')
    it = acp_find_map(m, bytes(0, 'one'))
    call check(it%elem /= ACP_GA_NULL, 'acp_find_map')
    call acp_merge_map(o, m)
    call acp_merge_local_map(o, m)
    call check(acp_size_map(o) == 2, 'acp_merge_map')
    call acp_assign_map(o, m)
    call acp_assign_local_map(o, m)
    call check(acp_size_map(o) == acp_size_local_map(m), 'acp_assign_map')
    call acp_move_local_map(o, m)
    call acp_move_map(o, m)
    call check(acp_empty_map(m) == 1 .and. acp_size_map(o) == 2, 'acp_move_map')
    call acp_swap_map(m, o)
    call acp_remove_map(m, bytes(0, 'two'))
    call check(acp_size_map(m) == 1 .and. acp_empty_map(o) == 1, 'acp_remove_map')
    call acp_clear_local_map(m)
    call acp_clear_map(m)
    call check(acp_empty_map(m) == 1, 'acp_clear_map')
    call acp_destroy_map(m)
    call acp_destroy_map(o)
  end subroutine maps

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
