! Calls the functions of module acp for many keys and elements, and checks a result of each.
module many
  use, intrinsic :: iso_c_binding
  use acp
  use checks
  implicit none

contains

  subroutine many_calls(me, peer)
    integer(c_int), intent(in) :: me, peer
    call many_sets(me)
    call many_multisets(peer)
    call many_maps(me)
    call many_rows(peer)
    call many_lists(me, peer)
  end subroutine many_calls

  ! Three keys, of which the last equals the first.
  function three() result(keys)
    type(acp_element_t) :: keys(3)
    keys = [bytes(0, 'k1'), bytes(8, 'k2'), bytes(16, 'k1')]
  end function three

  subroutine many_sets(me)
    integer(c_int), intent(in) :: me
    type(acp_set_t) :: s
    type(acp_set_it_t) :: its(3)
    integer(c_int) :: results(3)
    s = acp_create_set(2, [0, 1], 3, me)
    call check(acp_insert_many_set(s, three(), 3, results) == 2, 'acp_insert_many_set')
    call check(all(results == [1, 1, 0]), 'results of acp_insert_many_set')
    call check(acp_find_many_set(s, three(), 3, its) == 3, 'acp_find_many_set')
    call check(its(1)%elem == its(3)%elem .and. its(2)%elem /= ACP_GA_NULL, 'acp_find_many_set')
    call check(acp_remove_many(s, three(), 3) == 2, 'acp_remove_many_set')
    call acp_destroy_set(s)
  end subroutine many_sets

  subroutine many_multisets(peer)
    integer(c_int), intent(in) :: peer
    type(acp_multiset_t) :: s
    type(acp_multiset_it_t) :: its(3)
    integer(c_int64_t) :: times(3)
    s = acp_create_multiset(2, [0, 1], 3, peer)
    call check(acp_insert_many_multiset(s, three(), 3) == 2, 'acp_insert_many_multiset')
    call check(acp_retrieve_many_multiset(s, three(), 3, times) == 3, 'acp_retrieve_many_multiset')
    call check(all(times == [2, 1, 2]), 'times of acp_retrieve_many_multiset')
    call check(acp_find_many_multiset(s, three(), 3, its) == 3, 'acp_find_many_multiset')
    call check(acp_remove_many_multiset(s, three(), 3) == 3, 'acp_remove_many_multiset')
    call acp_destroy_multiset(s)
  end subroutine many_multisets

  subroutine many_maps(me)
    integer(c_int), intent(in) :: me
    type(acp_map_t) :: m
    type(acp_map_it_t) :: its(3)
    type(acp_pair_t) :: pairs(2)
    integer(c_size_t) :: sizes(2)
    m = acp_create_map(2, [0, 1], 3, me)
    pairs = [acp_pair_t(bytes(0, 'k1'), bytes(64, 'one')), acp_pair_t(bytes(8, 'k2'), bytes(72, 'four'))]
    call check(acp_insert_many_map(m, pairs, 2) == 2, 'acp_insert_many_map')
    pairs%second = [bytes(80, '.....'), bytes(88, '..')]
    call check(acp_retrieve_many_map(m, pairs, 2, sizes) == 2, 'acp_retrieve_many_map')
    call check(all(sizes == [3, 2]) .and. has(80, 'one..') .and. has(88, 'fo'), 'acp_retrieve_many_map')
    call check(acp_find_many_map(m, three(), 3, its) == 3, 'acp_find_many_map')
    call check(acp_remove_many_map(m, three(), 3) == 2, 'acp_remove_many_map')
    call acp_destroy_map(m)
  end subroutine many_maps

  subroutine many_rows(peer)
    integer(c_int), intent(in) :: peer
    type(acp_vector_t) :: v
    type(acp_deque_t) :: d
    type(acp_element_t) :: to(2)
    to = [bytes(64, '.'), bytes(72, '..')]
    v = acp_create_vector(0_c_size_t, peer)
    call check(acp_push_back_many_vector(v, three(), 3) == 0, 'acp_push_back_many_vector')
    call check(acp_pop_back_many_vector(v, to, 2) == 3, 'acp_pop_back_many_vector')
    call check(has(64, '2') .and. has(72, 'k1'), 'acp_pop_back_many_vector')
    call acp_destroy_vector(v)
    d = acp_create_deque(0_c_size_t, peer)
    call check(acp_push_back_many_deque(d, three(), 2) == 0, 'acp_push_back_many_deque')
    call check(acp_push_front_many_deque(d, three(), 2) == 0, 'acp_push_front_many_deque')
    call check(acp_pop_front_many_deque(d, to, 2) == 3 .and. has(72, '1k'), 'acp_pop_front_many_deque')
    call check(acp_pop_back_many_deque(d, to, 2) == 3 .and. has(72, 'k2'), 'acp_pop_back_many_deque')
    call acp_destroy_deque(d)
  end subroutine many_rows

  subroutine many_lists(me, peer)
    integer(c_int), intent(in) :: me, peer
    type(acp_list_t) :: l
    type(acp_element_t) :: to(2)
    integer(c_size_t) :: sizes(2)
    to = [bytes(64, '...'), bytes(72, '.')]
    l = acp_create_list(peer)
    call check(acp_push_back_many_list(l, three(), 3, me) == 0, 'acp_push_back_many_list')
    call check(acp_push_front_many_list(l, three(), 1, peer) == 0, 'acp_push_front_many_list')
    call check(acp_pop_front_many_list(l, to, 2, sizes) == 2, 'acp_pop_front_many_list')
    call check(all(sizes == 2) .and. has(64, 'k1.') .and. has(72, 'k'), 'acp_pop_front_many_list')
    call check(acp_pop_back_many_list(l, to, 2) == 2 .and. has(64, 'k2.'), 'acp_pop_back_many_list')
    call acp_destroy_list(l)
  end subroutine many_lists

end module many
