! Numbers of default kinds in calls that take 8-byte numbers in C, by two ranks, of which each is a model. Literals and
! variables, alone and mixed with numbers of the kinds of C.
program narrow
  use, intrinsic :: iso_c_binding
  use acp
  use acp_couple
  use checks
  implicit none

  integer(c_int) :: me
  integer(acp_model_t) :: model
  character(:), allocatable :: mine, theirs

  call check(acp_init() == 0, 'acp_init')
  me = acp_rank()
  mine = trim(merge('left ', 'right', me == 0))
  theirs = trim(merge('right', 'left ', me == 0))
  call open_scratch
  call copies
  call structures
  call messages
  call values
  model = acp_create_model(mine, [me], 1)
  call steps
  call lists
  call weights
  call watched
  call limits
  call check(acp_finalize() == 0, 'acp_finalize')

contains

  ! copies uses sizes and the values of atomics.
  subroutine copies
    integer(acp_ga_t) :: block
    integer(acp_atkey_t) :: key
    integer(c_int64_t), pointer :: words(:)
    integer, target, asynchronous :: numbers(3)
    integer :: one = 1

    block = acp_malloc(32, me)
    call check(block /= ACP_GA_NULL, 'acp_malloc')
    call c_f_pointer(acp_query_address(block), words, [4])
    words = 7
    call acp_complete(acp_add8(block + 8, block, -one, ACP_HANDLE_NULL))
    call check(all(words == [6, 7, 7, 7]), 'acp_add8 of a variable')
    call acp_complete(acp_cas8(block + 8, block, 6, -2_c_int64_t, ACP_HANDLE_NULL))
    call acp_complete(acp_cas8(block + 16, block, -2_c_int64_t, 5, ACP_HANDLE_NULL))
    call acp_complete(acp_cas8(block + 24, block, 5, 4, ACP_HANDLE_NULL))
    call check(all(words == [4, 6, -2, 5]), 'acp_cas8')
    call acp_complete(acp_copy(block, block + 8, 16, ACP_HANDLE_NULL))
    call check(all(words == [6, -2, -2, 5]), 'acp_copy')
    call acp_free(block)

    key = acp_register_memory(numbers, 12, 0)
    call check(key /= ACP_ATKEY_NULL, 'acp_register_memory of an array')
    call check(acp_register_memory(numbers, 16, 0) == ACP_ATKEY_NULL, 'more than the array')
    call check(acp_unregister_memory(key) == 0, 'acp_unregister_memory')
  end subroutine copies

  ! structures passes sizes by specific and by generic names.
  subroutine structures
    type(acp_vector_t) :: v
    type(acp_deque_t) :: d
    type(acp_element_t) :: e

    v = acp_create_vector(0, me)
    d = acp_create_deque(8, me)
    e = bytes(0, 'abcd')
    call acp_push_back(v, e%ga, 4)
    call acp_push_back_vector(v, e%ga, 2)
    call acp_push_front(d, e%ga, 3)
    call acp_reserve(v, 100)
    call acp_pop_back(v, 1)
    call check(acp_size(v) == 5 .and. acp_size(d) == 3, 'acp_size')
    call check(is(acp_dereference_deque_it(acp_begin(d)), 'abc'), 'acp_dereference_deque_it of one argument')
    call acp_destroy(v)
    call acp_destroy(d)
  end subroutine structures

  ! messages sends an array of 3 elements by a channel.
  subroutine messages
    real, target, asynchronous :: numbers(3)
    integer(acp_ch_t) :: ch

    numbers = merge([1.0, 2.0, 3.0], 0.0, me == 0)
    ch = acp_create_ch(0, 1)
    call check(ch /= ACP_CH_NULL, 'acp_create_ch')
    if (me == 0) then
      call check(acp_wait_ch(acp_nbsend_ch(ch, numbers, 12)) == 0, 'acp_nbsend_ch')
    else
      call check(acp_wait_ch(acp_nbrecv_ch(ch, c_loc(numbers), 12)) == 12, 'acp_nbrecv_ch')
    end if
    call check(all(nint(numbers) == [1, 2, 3]), 'a message')
    call check(acp_free_ch(ch) == 0, 'acp_free_ch')
  end subroutine messages

  ! values waits for a version of default kind.
  subroutine values
    integer, target, asynchronous :: number

    number = 42
    if (me == 0) call check(acp_put_value('answer', number, 4) == 1, 'acp_put_value')
    number = 0
    call check(acp_wait_value('answer', 1, number, 4) == 4 .and. number == 42, 'acp_wait_value')
    call check(acp_wait_value('answer', 1_c_int64_t, c_loc(number), 4) == 4, 'acp_wait_value of mixed kinds')
  end subroutine values

  ! opened opens the link between the fields f of both models.
  function opened(field) result(link)
    integer(acp_field_t), intent(in) :: field
    integer(acp_link_t) :: link

    if (me == 0) then
      link = acp_open_link_to(field, 'right.f', 1, 1, -1.0)
    else
      link = acp_open_link_from(field, 'left.f', 1, 1, 60.0)
    end if
    call check(link /= ACP_LINK_NULL, acp_couple_message())
  end function opened

  ! moved sends or receives the values of a step, and closes the link.
  subroutine moved(link, step)
    integer(acp_link_t), intent(in) :: link
    integer, intent(in) :: step
    integer(c_int) :: status

    if (me == 0) then
      status = acp_send_link(link, step)
    else
      status = acp_receive_link(link, step)
    end if
    call check(status == 0, acp_couple_message())
    call check(acp_close_link(link) == 0, 'acp_close_link')
  end subroutine moved

  ! steps counts steps by an integer of default kind.
  subroutine steps
    real(c_double), target, asynchronous :: x(4)
    integer(acp_field_t) :: field
    integer(acp_link_t) :: link
    integer :: step
    integer(c_int) :: status

    field = acp_create_field_ranges(model, 'f', ACP_DOUBLE, 1, x, [0, 5], [3, 1], 2)
    call check(field /= ACP_FIELD_NULL, acp_couple_message())
    link = opened(field)
    do step = 0, 2
      x = merge(step + [0, 1, 2, 5], -1, me == 0)
      status = -1
      if (me == 0) status = acp_send_link(link, step)
      if (me == 1) status = acp_receive_link(link, step)
      call check(status == 0, acp_couple_message())
      call check(all(nint(x) == step + [0, 1, 2, 5]), 'a step')
    end do
    call check(acp_close_link(link) == 0, 'acp_close_link')
    call check(acp_free_field(field) == 0, 'acp_free_field')
  end subroutine steps

  ! lists declares the points of a list in each mixture of kinds. The receiver has them in another order.
  subroutine lists
    real(c_double), target, asynchronous :: x(3)
    integer(acp_field_t) :: field
    integer :: points(3), i

    points = merge([4, 2, 9], [9, 4, 2], me == 0)
    do i = 1, 4
      x = merge(i * points, -1, me == 0)
      select case (i)
      case (1)
        field = acp_create_field_list(model, 'f', ACP_DOUBLE, 1, x, points, 3)
      case (2)
        field = acp_create_field_list(model, 'f', ACP_DOUBLE, 1, x, points, 3_c_int64_t)
      case (3)
        field = acp_create_field_list(model, 'f', ACP_DOUBLE, 1, x, int(points, c_int64_t), 3)
      case (4)
        field = acp_create_field_list(model, 'f', ACP_DOUBLE, 1, c_loc(x), points, size(points))
      end select
      call check(field /= ACP_FIELD_NULL, acp_couple_message())
      call moved(opened(field), 0)
      call check(all(nint(x) == i * points), 'points of a list')
      call check(acp_free_field(field) == 0, 'acp_free_field')
    end do
  end subroutine lists

  ! weights has a matrix whose rows and columns are of default kind, at the receiver.
  subroutine weights
    real(c_double), target, asynchronous :: x(3)
    real(c_double) :: entries(3)
    integer(acp_field_t) :: field
    integer(acp_link_t) :: link
    integer :: i

    entries = [2.0, 0.5, 0.25]
    do i = 1, 4
      x = [8, 4, 1]
      field = acp_create_field_ranges(model, 'f', ACP_DOUBLE, 1, x(:merge(3, 2, me == 0)), [0], [merge(3, 2, me == 0)], 1)
      call check(field /= ACP_FIELD_NULL, acp_couple_message())
      if (me == 0) then
        link = opened(field)
      else if (i == 1) then
        link = acp_open_link_weighted_from(field, 'left.f', [1, 0, 0], [2, 0, 1], entries, 3, 1, 1, -1.0)
      else if (i == 2) then
        link = acp_open_link_weighted_from(field, 'left.f', [1, 0, 0], [2, 0, 1], entries, 3, 1, 1, -1.0d0)
      else if (i == 3) then
        link = acp_open_link_weighted_from(field, 'left.f', [1, 0, 0], [2, 0, 1], entries, 3_c_int64_t, 1, 1, -1.0)
      else
        link = acp_begin_link_weighted_from(field, 'left.f', [1, 0, 0] * 1_c_int64_t, [2, 0, 1] * 1_c_int64_t, entries, &
                                            size(entries), 1, 1, -1.0)
        call check(acp_complete_links([link], 1) == 0, acp_couple_message())
      end if
      call check(link /= ACP_LINK_NULL, acp_couple_message())
      call moved(link, i)
      call check(me == 0 .or. all(abs(x(:2) - [5, 2]) < 1e-9), 'sums with weights')
      call check(acp_free_field(field) == 0, 'acp_free_field')
    end do
  end subroutine weights

  ! watched publishes a field, which the other rank watches with time limits of default kind.
  subroutine watched
    real(c_double), target, asynchronous :: x(1)
    integer(acp_field_t) :: field
    integer(acp_link_t) :: link
    integer(c_int64_t) :: got
    integer, target, asynchronous :: seen
    integer :: step

    field = acp_create_field_ranges(model, 'w', ACP_DOUBLE, 1, x, [0], [1], 1)
    call check(field /= ACP_FIELD_NULL, acp_couple_message())
    if (me == 0) then
      link = acp_publish_link_to(field, 'right.w', 1)
      call check(link /= ACP_LINK_NULL, acp_couple_message())
      step = 0
      do while (acp_get_value('seen', seen, 4) == 0)
        x = step + 5
        call check(acp_send_link(link, step) == 0, acp_couple_message())
        step = step + 1
      end do
    else
      link = acp_watch_link_from(field, 'left.w', 60.0)
      call check(link /= ACP_LINK_NULL, acp_couple_message())
      call check(acp_next_link(link, got, 60.0) == 0, acp_couple_message())
      call check(nint(x(1)) == got + 5, 'a published step')
      seen = 1
      call check(acp_put_value('seen', seen, 4) > 0, 'acp_put_value')
    end if
    call check(acp_close_link(link) == 0, 'acp_close_link')
    call check(acp_free_field(field) == 0, 'acp_free_field')
  end subroutine watched

  ! limits sets time limits of default kind.
  subroutine limits
    real(c_double), target, asynchronous :: x(1)
    integer(acp_field_t) :: field

    field = acp_create_field_ranges(model, 'never', ACP_DOUBLE, 1, x, [0], [1], 1)
    call check(acp_open_link_to(field, theirs // '.nothing', 1, 1, 0.01) == ACP_LINK_NULL, 'a link that is never opened')
    call check(index(acp_couple_message(), 'not opened after') > 0, acp_couple_message())
    call check(acp_set_timeout(-1.0) == 0, 'acp_set_timeout')
    call check(acp_sync() == 0, 'acp_sync')
  end subroutine limits

end program narrow
