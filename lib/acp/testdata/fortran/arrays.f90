! Arrays and sections of arrays as the memory of fields, by two ranks, of which each is a model: what rank 0 has in an
! array, rank 1 gets in another one, and then back.
module pairs
  use, intrinsic :: iso_c_binding
  use acp
  use acp_couple
  use checks
  implicit none

  integer(c_int) :: me
  integer(acp_model_t) :: model
  character(:), allocatable :: mine, theirs

contains

  ! listed returns the numbers from 0 to n-1.
  pure function listed(n)
    integer, intent(in) :: n
    integer(c_int64_t) :: listed(n)
    integer :: i
    listed = [(int(i, c_int64_t), i=0, n - 1)]
  end function listed

  ! over sends the values of a field from the rank from to the other one.
  subroutine over(field, from)
    integer(acp_field_t), intent(in) :: field
    integer, intent(in) :: from
    integer(acp_link_t) :: link
    call check(field /= ACP_FIELD_NULL, acp_couple_message())
    if (me == from) then
      link = acp_open_link_to(field, theirs // '.f', 1, 1, -1.0_c_double)
      call check(link /= ACP_LINK_NULL, acp_couple_message())
      call check(acp_send_link(link, 0_c_int64_t) == 0, acp_couple_message())
    else
      link = acp_open_link_from(field, theirs // '.f', 1, 1, -1.0_c_double)
      call check(link /= ACP_LINK_NULL, acp_couple_message())
      call check(acp_receive_link(link, 0_c_int64_t) == 0, acp_couple_message())
    end if
    call check(acp_close_link(link) == 0, 'acp_close_link')
    call check(acp_free_field(field) == 0, 'acp_free_field')
  end subroutine over

  ! passed is given a section by its caller, and declares it.
  function passed(x, n) result(field)
    real(c_double), intent(inout), target :: x(:)
    integer, intent(in) :: n
    integer(acp_field_t) :: field
    field = acp_create_field_ranges(model, 'f', ACP_DOUBLE, 1, x, [0_c_int64_t], [int(n, c_int64_t)], 1)
  end function passed

  ! any_rank is given an array of any rank.
  function any_rank(x, n) result(field)
    real(c_double), intent(inout), target :: x(..)
    integer, intent(in) :: n
    integer(acp_field_t) :: field
    real(c_double), pointer :: p(:, :)
    field = ACP_FIELD_NULL
    select rank (x)
    rank (2)
      p => x
      field = acp_create_field_list(model, 'f', ACP_DOUBLE, 1, p, listed(n), int(n, c_int64_t))
    end select
  end function any_rank
end module pairs

program arrays
  use pairs
  implicit none

  call check(acp_init() == 0, 'acp_init')
  me = acp_rank()
  mine = trim(merge('left ', 'right', me == 0))
  theirs = trim(merge('right', 'left ', me == 0))
  model = acp_create_model(mine, [me], 1)
  call check(model /= ACP_MODEL_NULL, acp_couple_message())
  call rows(0)
  call rows(1)
  call inner(0)
  call inner(1)
  call kinds(0)
  call kinds(1)
  call ranks
  call components
  call values
  call levels
  call large
  call weighted
  call masked
  call refused
  call transfers
  call check(acp_free_model(model) == 0, 'acp_free_model')
  call check(acp_finalize() == 0, 'acp_finalize')

contains

  ! filled returns an array in which each element has another value.
  function filled()
    real(c_double) :: filled(4, 6)
    integer :: i, j
    filled = reshape([((10.0_c_double * i + j, i=1, 4), j=1, 6)], [4, 6])
  end function filled

  ! same reports whether two arrays have the same values.
  pure elemental logical function same(a, b)
    real(c_double), intent(in) :: a, b
    same = abs(a - b) < 1e-9
  end function same

  ! rows sends rows, a part of one, one in the other direction, and one by a pointer.
  subroutine rows(from)
    integer, intent(in) :: from
    real(c_double), allocatable, target :: t(:, :)
    real(c_double), target :: line(6)
    real(c_double), pointer :: p(:)

    allocate (t, source=filled())
    line = -1
    if (me == from) then
      call over(passed(t(2, :), 6), from)
      call over(passed(t(3, 6:1:-1), 6), from)
      call over(passed(t(4, ::2), 3), from)
      p => t(1, 2:4)
      call over(acp_create_field_ranges(model, 'f', ACP_DOUBLE, 1, p, [0_c_int64_t], [3_c_int64_t], 1), from)
      call check(all(same(t, filled())), 'sent values')
    else
      t = -1
      call over(passed(line, 6), from)
      call check(all(same(line, [21, 22, 23, 24, 25, 26] * 1.0_c_double)), 'a row')
      call over(passed(t(2, :), 6), from)
      call check(all(same(t(2, :), [36, 35, 34, 33, 32, 31] * 1.0_c_double)), 'a row of a row backwards')
      call over(passed(t(3, 5:1:-2), 3), from)
      call check(all(same(t(3, :), [45, -1, 43, -1, 41, -1] * 1.0_c_double)), 'every second value')
      call over(acp_create_field_list(model, 'f', ACP_DOUBLE, 1, t(4:4, 3:5), listed(3), 3_c_int64_t), from)
      call check(all(same(t(4, :), [-1, -1, 12, 13, 14, -1] * 1.0_c_double)), 'a row by a pointer')
      call check(all(same(t(1, :), -1.0_c_double)), 'memory of no field')
    end if
  end subroutine rows

  ! inner sends the inside of an array as a block, and what an array of any rank has.
  subroutine inner(from)
    integer, intent(in) :: from
    real(c_double), target :: t(0:5, 0:7), part(4, 6)

    t = -1
    if (me == from) then
      t(1:4, 1:6) = filled()
      call over(acp_create_field_block(model, 'f', ACP_DOUBLE, 1, t(1:4, 1:6), 2, [4, 6], [0, 0], [4, 6], &
                                       flags=ACP_ORDER_FORTRAN), from)
      call over(any_rank(t(4:1:-1, 1:6:2), 12), from)
    else
      call over(acp_create_field_block(model, 'f', ACP_DOUBLE, 1, part, 2, [4, 6], [0, 0], [4, 6], flags=ACP_ORDER_FORTRAN), from)
      call check(all(same(part, filled())), 'the inside')
      call over(any_rank(t(2:5, 7:3:-2), 12), from)
      part = filled()
      call check(all(same(t(2:5, 7:3:-2), part(4:1:-1, 1:6:2))), 'a section of any rank')
      call check(count(same(t, -1.0_c_double)) == 6 * 8 - 12, 'memory around a section')
    end if
  end subroutine inner

  ! kinds sends a row of each type of values.
  subroutine kinds(from)
    integer, intent(in) :: from
    integer(c_int8_t), target :: i1(2, 3)
    integer(c_int16_t), target :: i2(2, 3)
    integer(c_int32_t), target :: i4(2, 3)
    integer(c_int64_t), target :: i8(2, 3)
    real(c_float), target :: r4(2, 3)
    complex(c_float_complex), target :: z4(2, 3)
    complex(c_double_complex), target :: z8(2, 3)
    integer(c_int) :: many

    many = merge(1, -1, me == from)
    i1 = int(many, c_int8_t)
    i2 = int(2 * many, c_int16_t)
    i4 = 3 * many
    i8 = 4 * many
    r4 = real(5 * many, c_float)
    z4 = cmplx(6 * many, 7, c_float_complex)
    z8 = cmplx(8 * many, 9, c_double_complex)
    call over(acp_create_field_list(model, 'f', ACP_INT8, 1, i1(2, :), listed(3), 3_c_int64_t), from)
    call over(acp_create_field_list(model, 'f', ACP_INT16, 1, i2(2, :), listed(3), 3_c_int64_t), from)
    call over(acp_create_field_list(model, 'f', ACP_INT32, 1, i4(2, :), listed(3), 3_c_int64_t), from)
    call over(acp_create_field_list(model, 'f', ACP_UINT64, 1, i8(2, :), listed(3), 3_c_int64_t), from)
    call over(acp_create_field_list(model, 'f', ACP_FLOAT, 1, r4(2, :), listed(3), 3_c_int64_t), from)
    call over(acp_create_field_list(model, 'f', ACP_FLOAT_COMPLEX, 1, z4(2, :), listed(3), 3_c_int64_t), from)
    call over(acp_create_field_list(model, 'f', ACP_DOUBLE_COMPLEX, 1, z8(2, :), listed(3), 3_c_int64_t), from)
    call check(all(i1(1, :) == many) .and. all(i1(2, :) == 1), 'int8')
    call check(all(i2(1, :) == 2 * many) .and. all(i2(2, :) == 2), 'int16')
    call check(all(i4(1, :) == 3 * many) .and. all(i4(2, :) == 3), 'int32')
    call check(all(i8(1, :) == 4 * many) .and. all(i8(2, :) == 4), 'int64')
    call check(all(nint(r4(1, :)) == 5 * many) .and. all(nint(r4(2, :)) == 5), 'float')
    call check(all(nint(z4%re) == reshape([6 * many, 6, 6 * many, 6, 6 * many, 6], [2, 3])), 'complex')
    call check(all(nint(z8%re) == reshape([8 * many, 8, 8 * many, 8, 8 * many, 8], [2, 3])), 'double complex')
  end subroutine kinds

  ! ranks sends a variable, an element, and arrays of 1 to 5 dimensions, and an empty one.
  subroutine ranks
    real(c_double), target :: s, x(24), x3(2, 3, 4), x4(2, 3, 2, 2), x5(1, 2, 3, 2, 2), none(0)

    s = me
    x = me
    x3 = me
    x4 = me
    x5 = me
    call over(acp_create_field_list(model, 'f', ACP_DOUBLE, 1, s, [0_c_int64_t], 1_c_int64_t), 0)
    call over(acp_create_field_list(model, 'f', ACP_DOUBLE, 1, x(7), [0_c_int64_t], 1_c_int64_t), 0)
    call check(same(s, 0.0_c_double) .and. nint(sum(x)) == 23 * me, 'a variable and an element')
    call over(acp_create_field_list(model, 'f', ACP_DOUBLE, 1, x, listed(24), 24_c_int64_t), 0)
    call over(acp_create_field_list(model, 'f', ACP_DOUBLE, 1, x3, listed(24), 24_c_int64_t), 0)
    call over(acp_create_field_list(model, 'f', ACP_DOUBLE, 1, x4, listed(24), 24_c_int64_t), 0)
    call over(acp_create_field_list(model, 'f', ACP_DOUBLE, 1, x5(:, 2:1:-1, :, 2, :), listed(12), 12_c_int64_t), 0)
    call check(nint(sum(x) + sum(x3) + sum(x4) + sum(x5)) == 12 * me, 'arrays of all ranks')
    call check(acp_free_field(acp_create_field_list(model, 'none', ACP_DOUBLE, 1, none, listed(0), 0_c_int64_t)) == 0, &
               'an empty array')
  end subroutine ranks

  ! components sends one component of the elements of an array of a type.
  subroutine components
    type cell
      real(c_double) :: heat, salt
    end type cell
    type(cell), target :: cells(5)

    cells%heat = me
    cells%salt = 7
    call over(acp_create_field_list(model, 'f', ACP_DOUBLE, 1, cells%heat, listed(5), 5_c_int64_t), 0)
    call check(all(same(cells%heat, 0.0_c_double)) .and. all(same(cells%salt, 7.0_c_double)), 'components')
  end subroutine components

  ! values sends two values for each point, of every second point.
  subroutine values
    real(c_double), target :: t(2, 6), wrong(3, 4)

    t = me
    call over(acp_create_field_list(model, 'f', ACP_DOUBLE, 2, t(:, ::2), listed(3), 3_c_int64_t), 0)
    call check(all(same(t(:, ::2), 0.0_c_double)) .and. nint(sum(t)) == 6 * me, 'several values')
    call wants(acp_create_field_list(model, 'g', ACP_DOUBLE, 2, wrong(:2, :), listed(4), 4_c_int64_t), &
               'array of rank 2 with shape [2 4], float64: dimension 2 has a stride of 24 bytes')
  end subroutine values

  ! levels lets a field have its values in the next time level.
  subroutine levels
    real(c_double), target :: t(3, 4, 2)
    integer(acp_field_t) :: field

    t = me
    field = acp_create_field_list(model, 'f', ACP_DOUBLE, 1, t(2, :, 1), listed(4), 4_c_int64_t)
    call check(acp_use_field(field, t(3, :, 2)) == 0, acp_couple_message())
    call check(acp_use_field(field, c_loc(t(1, 1, 1))) == 0, acp_couple_message())
    call check(acp_use_field(field, t(1, :, 2)) == 0, acp_couple_message())
    call check(acp_use_field(field, t(:, 1:2, 1)) == -1, 'another size')
    call check(index(acp_couple_message(), 'has 6 elements, and 4 points with 1 values each need 4') > 0, acp_couple_message())
    call check(acp_use_field(field, t(1:1, 4:1:-1, 1)) == -1, 'another direction')
    call check(index(acp_couple_message(), '[4] points with strides of [-3] points, declared [4] points with strides of [3]') > 0, &
               acp_couple_message())
    call over(field, 0)
    call check(all(same(t(1, :, 2), 0.0_c_double)) .and. nint(sum(t)) == 20 * me, 'the next level')
  end subroutine levels

  ! large sends the inside of a large array in several steps to the inside of one in memory that the sender maps.
  subroutine large
    integer, parameter :: nx = 150, ny = 120
    real(c_double), pointer :: t(:, :)
    integer(acp_field_t) :: field
    integer(acp_link_t) :: link
    integer(acp_ga_t) :: block
    integer :: i, step

    block = acp_malloc(8_c_size_t * (nx + 2) * (ny + 2), me)
    call check(block /= ACP_GA_NULL, 'acp_malloc')
    call c_f_pointer(acp_query_address(block), t, [nx + 2, ny + 2])
    t = -1
    field = acp_create_field_block(model, 'f', ACP_DOUBLE, 1, t(2:nx + 1, ny + 1:2:-1), 2, [nx, ny], [0, 0], [nx, ny], &
                                   flags=ACP_ORDER_FORTRAN)
    call check(field /= ACP_FIELD_NULL, acp_couple_message())
    if (me == 0) then
      link = acp_open_link_to(field, 'right.f', 2, 1, -1.0_c_double)
    else
      link = acp_open_link_from(field, 'left.f', 2, 1, -1.0_c_double)
    end if
    call check(link /= ACP_LINK_NULL, acp_couple_message())
    do step = 0, 9
      if (me == 0) then
        t(2:nx + 1, 2:ny + 1) = reshape([(real(step + i, c_double), i=1, nx * ny)], [nx, ny])
        call check(acp_send_link(link, int(step, c_int64_t)) == 0, acp_couple_message())
      else
        call check(acp_receive_link(link, int(step, c_int64_t)) == 0, acp_couple_message())
        call check(all(same(t(2:nx + 1, 2:ny + 1), reshape([(real(step + i, c_double), i=1, nx * ny)], [nx, ny]))), &
                   'a large section')
      end if
    end do
    call check(count(same(t, -1.0_c_double)) == 2 * (nx + 2) + 2 * ny, 'memory around a large section')
    call check(acp_close_link(link) == 0, 'acp_close_link')
    call check(acp_free_field(field) == 0, 'acp_free_field')
  end subroutine large

  ! weighted sends rows with weights at the sender, and at the receiver.
  subroutine weighted
    real(c_double), target :: t(2, 3)
    integer(acp_field_t) :: field
    integer(acp_link_t) :: link
    integer :: at

    do at = 0, 1
      t(1, :) = 5
      t(2, :) = merge([1, 2, 3], [0, 0, 0], me == 0)
      field = acp_create_field_list(model, 'f', ACP_DOUBLE, 1, t(2, :), listed(3), 3_c_int64_t)
      if (me == 0 .and. at == 0) then
        link = acp_open_link_weighted_to(field, 'right.f', [0, 0, 2] * 1_c_int64_t, [0, 1, 2] * 1_c_int64_t, &
                                         [1, 2, 3] * 1.0_c_double, 3_c_int64_t, 1, 1, -1.0_c_double)
      else if (me == 0) then
        link = acp_open_link_to(field, 'right.f', 1, 1, -1.0_c_double)
      else if (at == 1) then
        link = acp_open_link_weighted_from(field, 'left.f', [0, 0, 2] * 1_c_int64_t, [0, 1, 2] * 1_c_int64_t, &
                                           [1, 2, 3] * 1.0_c_double, 3_c_int64_t, 1, 1, -1.0_c_double)
      else
        link = acp_open_link_from(field, 'left.f', 1, 1, -1.0_c_double)
      end if
      call check(link /= ACP_LINK_NULL, acp_couple_message())
      if (me == 0) then
        call check(acp_send_link(link, 0_c_int64_t) == 0, acp_couple_message())
      else
        call check(acp_receive_link(link, 0_c_int64_t) == 0, acp_couple_message())
        call check(all(same(t(2, :), [5, 0, 9] * 1.0_c_double)) .and. all(same(t(1, :), 5.0_c_double)), 'a row with weights')
      end if
      call check(acp_close_link(link) == 0, 'acp_close_link')
      call check(acp_free_field(field) == 0, 'acp_free_field')
    end do
  end subroutine weighted

  ! masked sends the inside of an array, the columns backwards, without a point that the sender masks. The receiver masks another one.
  subroutine masked
    real(c_double), target :: t(4, 5)
    integer(c_int) :: wet(2, 3)
    integer(acp_field_t) :: field

    wet = 1
    if (me == 0) then
      t = -2
      t(2:3, 4:2:-1) = reshape([1, 2, 3, 4, 5, 6] * 1.0_c_double, [2, 3])
      wet(2, 1) = 0
    else
      t = -1
      wet(1, 3) = 0
    end if
    field = acp_create_field_block(model, 'f', ACP_DOUBLE, 1, t(2:3, 4:2:-1), 2, [2, 3], [0, 0], [2, 3], flags=ACP_ORDER_FORTRAN)
    call check(field /= ACP_FIELD_NULL, acp_couple_message())
    call check(acp_mask_field(field, wet, 6_c_int64_t) == 0, acp_couple_message())
    call over(field, 0)
    if (me == 0) return
    call check(all(same(reshape(t(2:3, 4:2:-1), [6]), [1, -1, 3, 4, -1, 6] * 1.0_c_double)), 'a masked section')
    call check(count(same(t, -1.0_c_double)) == 16, 'memory around a masked section')
  end subroutine masked

  ! wants checks that there is no field, and that the message says why.
  subroutine wants(field, text)
    integer(acp_field_t), intent(in) :: field
    character(*), intent(in) :: text
    call check(field == ACP_FIELD_NULL, text)
    call check(index(acp_couple_message(), 'field g of model ' // mine) == 1, acp_couple_message())
    call check(index(acp_couple_message(), text) > 0, acp_couple_message())
  end subroutine wants

  ! refused declares fields with arrays that cannot be theirs.
  subroutine refused
    real(c_double), target :: t(4, 6)
    integer(c_int), target :: i(4)
    real(c_double), pointer :: nothing(:)

    nullify (nothing)
    call wants(acp_create_field_list(model, 'g', ACP_FLOAT, 1, t(:, 1), listed(4), 4_c_int64_t), &
               'an array of rank 1 with shape [4], float64, for values of type float32')
    call wants(acp_create_field_list(model, 'g', ACP_DOUBLE, 1, i, listed(4), 4_c_int64_t), 'int32, for values of type float64')
    call wants(acp_create_field_list(model, 'g', ACP_DOUBLE, 1, t, listed(4), 4_c_int64_t), &
               'shape [4 6], float64, has 24 elements, and 4 points with 1 values each need 4')
    call wants(acp_create_field_list(model, 'g', ACP_DOUBLE, 1, t(1, 1), listed(4), 4_c_int64_t), &
               'a variable, float64, has 1 elements')
    call wants(acp_create_field_list(model, 'g', ACP_DOUBLE, 1, nothing, listed(4), 4_c_int64_t), 'not allocated or associated')
    call wants(acp_create_field_list(model, 'g', ACP_DOUBLE, 1, c_null_ptr, listed(4), 4_c_int64_t), 'data is NULL')
  end subroutine refused

  ! transfers gives arrays to the functions of acp.h.
  subroutine transfers
    real(c_double), target :: t(4, 6)
    integer(c_int64_t), target :: x(3)
    integer(acp_atkey_t) :: key
    integer(acp_ch_t) :: ch
    integer(acp_request_t) :: request

    key = acp_register_memory(t, 192_c_size_t, 0)
    call check(key /= ACP_ATKEY_NULL, 'acp_register_memory')
    call check(acp_query_ga(key, t(1, 2)) == acp_query_ga(key, t) + 32, 'acp_query_ga')
    call check(acp_query_ga(key, t(:, 2)) == acp_query_ga(key, c_loc(t)) + 32, 'acp_query_ga of a column')
    call check(acp_query_ga(key, t(2, :)) == 0 .and. ACP_ERRNO == 22, 'the address of a row')
    call check(acp_unregister_memory(key) == 0, 'acp_unregister_memory')
    call check(acp_register_memory(t, 193_c_size_t, 0) == ACP_ATKEY_NULL .and. ACP_ERRNO == 22, 'more than the array')
    call check(acp_register_memory(t(2, :), 8_c_size_t, 0) == ACP_ATKEY_NULL .and. ACP_ERRNO == 22, 'a row in registered memory')
    t = me
    ch = acp_create_ch(0, 1)
    if (me == 0) then
      request = acp_nbsend_ch(ch, t(:, 3), 32_c_size_t)
    else
      request = acp_nbrecv_ch(ch, t(:, 4), 32_c_size_t)
    end if
    call check(acp_wait_ch(request) == merge(0, 32, me == 0), 'acp_wait_ch')
    call check(nint(sum(t)) == 20 * me, 'a column over a channel')
    call check(acp_nbsend_ch(ch, t(2, :), 8_c_size_t) == ACP_REQUEST_NULL .and. ACP_ERRNO == 22, 'a row over a channel')
    call check(acp_free_ch(ch) == 0, 'acp_free_ch')
    x = me
    call check(acp_broadcast(x, 24_c_size_t, 1, [0, 1], 2) == 0, 'acp_broadcast')
    call check(all(x == 1), 'what acp_broadcast gives')
    call check(acp_put_value(mine, x, 24_c_size_t) == 1, 'acp_put_value')
    call check(acp_get_value(mine, x(2:), 24_c_size_t) == -1 .and. ACP_ERRNO == 22, 'a value larger than the array')
  end subroutine transfers
end program arrays
