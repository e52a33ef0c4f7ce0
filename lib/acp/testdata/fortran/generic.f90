! Uses the generic names, which are the same for all structures.
program generic
  use, intrinsic :: iso_c_binding
  use acp
  use checks
  implicit none

  integer(c_int) :: me, next

  call check(acp_init() == 0, 'acp_init')
  me = acp_rank()
  next = mod(me + 1, acp_procs())
  call open_scratch
  call rows
  call a_list
  call a_set
  call check(acp_finalize() == 0, 'acp_finalize')

contains

  ! rows does the same with a vector and a deque on the next rank.
  subroutine rows
    type(acp_vector_t) :: v
    type(acp_deque_t) :: d
    type(acp_element_t) :: e
    v = acp_create_vector(0_n, next)
    d = acp_create_deque(0_n, next)
    e = bytes(0, 'abcd')
    call acp_push_back(v, e%ga, e%size)
    call acp_push_back(d, e%ga, e%size)
    call acp_pop_back(v, 1_n)
    call acp_pop_back(d, 1_n)
    call check(acp_size(v) == 3 .and. acp_size(d) == 3, 'acp_size')
    call check(acp_distance(acp_begin(v), acp_end(v)) == 3, 'acp_distance of vectors')
    call check(acp_distance(acp_begin(d), acp_end(d)) == 3, 'acp_distance of deques')
    call check(is(acp_dereference(acp_advance(acp_begin(v), 1)), 'bc'), 'acp_dereference')
    call check(is(acp_at(d, 1), 'bc'), 'acp_at')
    call acp_destroy(v)
    call acp_destroy(d)
  end subroutine rows

  subroutine a_list
    type(acp_list_t) :: l
    type(acp_list_it_t) :: it
    type(acp_element_t) :: e
    l = acp_create_list(me)
    call acp_push_back(l, bytes(0, 'b'), next)
    call acp_push_front(l, bytes(0, 'c'), me)
    it = acp_insert(acp_begin(l), bytes(0, 'd'), next)
    call acp_sort(l, by_first)
    call check(acp_size(l) == 3 .and. acp_empty(l) == 0, 'acp_size of a list')
    e = acp_dereference(acp_increment(acp_begin(l)))
    call check(is(e%ga, 'c'), 'acp_increment')
    call acp_destroy(l)
  end subroutine a_list

  subroutine a_set
    type(acp_set_t) :: s
    type(acp_set_it_t) :: it, end
    s = acp_create_set(1, [next], 3, me)
    call check(acp_insert(s, bytes(0, 'key')) == 1, 'acp_insert')
    it = acp_find(s, bytes(0, 'key'))
    end = acp_end(s)
    call check(it%elem /= end%elem, 'acp_find')
    call acp_remove(s, bytes(0, 'key'))
    call check(acp_empty(s) == 1, 'acp_empty')
    call acp_destroy(s)
  end subroutine a_set

end program generic
