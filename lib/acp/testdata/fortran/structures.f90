! Calls the functions of module acp for data structures, with single elements, and checks a result of each.
module structures
  use, intrinsic :: iso_c_binding
  use acp
  use checks
  implicit none
  private
  public :: structure_calls

contains

  subroutine structure_calls(me, peer)
    integer(c_int), intent(in) :: me, peer
    call vectors(me, peer)
    call deques(me, peer)
    call lists(me, peer)
    call sets(me, peer)
    call multisets(me, peer)
    call maps(me, peer)
  end subroutine structure_calls

  subroutine vectors(me, peer)
    integer(c_int), intent(in) :: me, peer
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

  subroutine deques(me, peer)
    integer(c_int), intent(in) :: me, peer
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

  subroutine push_all(list, text, me, peer)
    type(acp_list_t), intent(in) :: list
    character(*), intent(in) :: text
    integer(c_int), intent(in) :: me, peer
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

  subroutine lists(me, peer)
    integer(c_int), intent(in) :: me, peer
    type(acp_list_t) :: l, m
    type(acp_list_it_t) :: begin, end, it
    l = acp_create_list(peer)
    m = acp_create_list(me)
    call check(l%ga /= ACP_GA_NULL .and. acp_empty_list(l) == 1, 'acp_create_list')
    call push_all(l, 'cab', me, peer)
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
    call push_all(m, 'bd', me, peer)
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

  subroutine sets(me, peer)
    integer(c_int), intent(in) :: me, peer
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

  subroutine multisets(me, peer)
    integer(c_int), intent(in) :: me, peer
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

  subroutine maps(me, peer)
    integer(c_int), intent(in) :: me, peer
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

end module structures
