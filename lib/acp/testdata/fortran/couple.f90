! Every function of module acp_couple, by two ranks, of which each is a model: rank 0 sends, rank 1 receives.
program couple
  use, intrinsic :: ieee_arithmetic, only: ieee_positive_inf, ieee_quiet_nan, ieee_value
  use, intrinsic :: iso_c_binding
  use acp
  use acp_couple
  use checks
  implicit none

  integer(c_int) :: me, at
  integer(acp_model_t) :: model

  call check(acp_couple_message() == '', 'a message before the first failure')
  call check(acp_init() == 0, 'acp_init')
  me = acp_rank()
  model = acp_create_model(trim(merge('left ', 'right', me == 0)), [me], 1)
  call check(model /= ACP_MODEL_NULL, acp_couple_message())
  call columns
  call lists
  call mapped
  do at = 0, 1
    call grids()
    call weights(at, .false.)
    call weights(at, .true.)
    call files(at, .false.)
    call files(at, .true.)
  end do
  do at = 0, 2
    call masks(at)
  end do
  call begun
  call watches
  call watched_weights('parts', .false.)
  call watched_weights('files', .true.)
  call times
  call described
  call iterations
  call mistakes
  call check(acp_free_model(model) == 0, 'acp_free_model')
  call check(acp_finalize() == 0, 'acp_finalize')

contains

  ! opened opens the link between the fields f of both models.
  function opened(field, levels, every) result(link)
    integer(acp_field_t), intent(in) :: field
    integer(c_int), intent(in) :: levels, every
    integer(acp_link_t) :: link
    if (me == 0) then
      link = acp_open_link_to(field, 'right.f', levels, every, -1.0_c_double)
    else
      link = acp_open_link_from(field, 'left.f', levels, every, -1.0_c_double)
    end if
    call check(link /= ACP_LINK_NULL, acp_couple_message())
  end function opened

  ! move sends or receives the values of a step.
  subroutine move(link, step)
    integer(acp_link_t), intent(in) :: link
    integer, intent(in) :: step
    integer(c_int) :: status
    if (me == 0) then
      status = acp_send_link(link, int(step, c_int64_t))
    else
      status = acp_receive_link(link, int(step, c_int64_t))
    end if
    call check(status == 0, acp_couple_message())
  end subroutine move

  ! columns sends the inner columns of an array with a halo, whose first subscript varies fastest. The receiver
  ! has them as a block with a halo, which is filled.
  subroutine columns
    real(c_double), target :: t(0:4, 6), part(3, 0:3)
    integer(acp_field_t) :: field
    integer(acp_link_t) :: link
    integer :: i, j, step

    if (me == 0) then
      field = acp_create_field_block(model, 'f', ACP_DOUBLE, 1, c_loc(t), 2, [3, 6], [0, 0], [3, 6], [1, 0], &
                                     ACP_ORDER_FORTRAN)
    else
      field = acp_create_field_block(model, 'f', ACP_DOUBLE, 1, c_loc(part), 2, [3, 6], [0, 2], [3, 2], [0, 1], &
                                     ACP_ORDER_FORTRAN + ACP_FILL_HALO)
    end if
    call check(field /= ACP_FIELD_NULL, acp_couple_message())
    link = opened(field, 2, 1)
    do step = 0, 4
      t = -1
      do j = 1, 6
        do i = 1, 3
          t(i, j) = 100 * step + 10 * i + j
        end do
      end do
      call move(link, step)
      do j = 0, 3
        do i = 1, 3
          call check(me == 0 .or. abs(part(i, j) - (100 * step + 10 * i + j + 2)) < 0.5, 'a value of a column')
        end do
      end do
    end do
    call check(acp_close_link(link) == 0, 'acp_close_link')
    call check(acp_free_field(field) == 0, 'acp_free_field')
  end subroutine columns

  ! lists sends complex values in every second step, in another order; a link tells whether it is ready.
  subroutine lists
    complex(c_double_complex), target :: z(2, 2)
    integer(acp_field_t) :: field
    integer(acp_link_t) :: link
    integer :: step

    z = 0
    if (me == 0) then
      field = acp_create_field_ranges(model, 'f', ACP_DOUBLE_COMPLEX, 1, c_loc(z), [2_c_int64_t], [2_c_int64_t], 1)
    else
      field = acp_create_field_list(model, 'f', ACP_DOUBLE_COMPLEX, 1, c_loc(z), [3_c_int64_t, 2_c_int64_t], 2_c_int64_t)
    end if
    link = opened(field, 0, 2)
    call check(acp_sync() == 0, 'acp_sync')
    if (me == 0) call check(acp_isready_link(link) == 0, 'a sender that is ready')
    if (me == 1) call check(acp_wait_link(link, 0.01_c_double) == 1, 'a receiver that is not ready')
    call check(acp_sync() == 0, 'acp_sync')
    call check(acp_use_field(field, c_loc(z(1, 2))) == 0, 'acp_use_field')
    do step = 0, 3
      if (me == 0) z(:, 2) = [cmplx(step, 1, c_double_complex), cmplx(step, 2, c_double_complex)]
      call move(link, step)
    end do
    call check(me == 0 .or. nint(aimag(z(1, 2))) == 2 .and. nint(aimag(z(2, 2))) == 1, 'the order of a list')
    call check(me == 0 .or. nint(real(z(1, 2))) == 2, 'the step of a list')
    call check(nint(abs(z(1, 1))) == 0, 'memory that the field does not use any more')
    call check(acp_close_link(link) == 0, 'acp_close_link')
    call check(acp_free_field(field) == 0, 'acp_free_field')
  end subroutine lists

  ! mapped sends large messages to an array in memory that the sender maps.
  subroutine mapped
    integer(c_int64_t), parameter :: points = 20000
    real(c_double), pointer :: x(:)
    integer(acp_ga_t) :: block
    integer(acp_field_t) :: field
    integer(acp_link_t) :: link
    integer :: step

    block = acp_malloc(8_c_size_t * points, me)
    call check(block /= ACP_GA_NULL, 'acp_malloc')
    call c_f_pointer(acp_query_address(block), x, [points])
    field = acp_create_field_ranges(model, 'f', ACP_DOUBLE, 1, c_loc(x), [0_c_int64_t], [points], 1)
    link = opened(field, 1, 1)
    do step = 0, 9
      if (me == 0) x = step
      call move(link, step)
      call check(all(abs(x - step) < 1e-9), 'values in memory that the sender maps')
    end do
    call check(acp_close_link(link) == 0, 'acp_close_link')
    call check(acp_free_field(field) == 0, 'acp_free_field')
    call acp_free(block)
  end subroutine mapped

  ! masks masks points of a block with a halo on both sides, with weights at rank at, or without. What rank 0 masks is no
  ! number.
  subroutine masks(at)
    integer(c_int), intent(in) :: at
    integer(c_int64_t), parameter :: rows(3) = [0, 0, 1], columns(3) = [0, 1, 0]
    real(c_double), parameter :: entries(3) = [7.0_c_double, 0.5_c_double, 1.0_c_double]
    real(c_double), target :: x(0:3, 0:2)
    logical :: wet(0:3, 0:2)
    integer(acp_field_t) :: field
    integer(acp_link_t) :: link

    wet = .false.
    if (me == 0) then
      x = ieee_value(x, ieee_quiet_nan)
      x(1:2, 1) = [10, 20]
      x(1, 1) = ieee_value(x(1, 1), ieee_positive_inf)
      wet(2, 1) = .true.
    else
      x = -1
      wet(1:2, 1) = .true.
      if (at == 2) wet(1, 1) = .false.
    end if
    field = acp_create_field_block(model, 'f', ACP_DOUBLE, 1, c_loc(x), 2, [2, 1], [0, 0], [2, 1], [1, 1], ACP_ORDER_FORTRAN)
    call check(acp_mask_field(field, merge(1, 0, wet), size(wet, kind=c_int64_t)) == 0, acp_couple_message())
    if (me /= at) then
      link = opened(field, 1, 1)
    else if (me == 0) then
      link = acp_open_link_weighted_to(field, 'right.f', rows, columns, entries, 3_c_int64_t, 1, 1, -1.0_c_double)
    else
      link = acp_open_link_weighted_from(field, 'left.f', rows, columns, entries, 3_c_int64_t, 1, 1, -1.0_c_double)
    end if
    call check(link /= ACP_LINK_NULL, acp_couple_message())
    call move(link, 0)
    if (me == 1 .and. at == 2) call check(all(nint(x(1:2, 1)) == [-1, 20]), 'masks without weights')
    if (me == 1 .and. at < 2) call check(all(nint(x(1:2, 1)) == [10, 0]), 'masks with weights')
    call check(me == 0 .or. count(nint(x) == -1) == merge(11, 10, at == 2), 'masked points keep their values')
    call check(acp_mask_field(field, [1], 1_c_int64_t) == -1, 'a mask of another size')
    call check(acp_close_link(link) == 0, 'acp_close_link')
    call check(acp_free_field(field) == 0, 'acp_free_field')
  end subroutine masks

  ! grids makes weights from two grids of a plane, of the shape of arrays: of the corners of cells, and of points.
  subroutine grids()
    real(c_double) :: x(4, 1), y(4, 1), corner_x(4, 4, 1), corner_y(4, 4, 1), values(4)
    integer(c_int64_t) :: rows(4), columns(4)
    integer(acp_grid_t) :: from, to
    integer(acp_weights_t) :: made
    integer :: i

    do i = 1, 4
      x(i, 1) = i - 0.5_c_double
      corner_x(:, i, 1) = [i - 1, i, i, i - 1]
    end do
    y = 0.5_c_double
    corner_y = spread(spread([0.0_c_double, 0.0_c_double, 1.0_c_double, 1.0_c_double], 2, 4), 3, 1)
    from = acp_create_grid(x, y, 2, [4, 1], ACP_ORDER_FORTRAN + ACP_PLANE)
    call check(from /= ACP_GRID_NULL, acp_couple_message())
    call check(acp_set_grid_corners(from, corner_x, corner_y, 4) == 0, acp_couple_message())
    to = acp_create_grid(2 * x(1:2, 1), y, 1, [2], ACP_PLANE)
    call check(acp_set_grid_corners(to, 2 * corner_x, corner_y, 4) == 0, acp_couple_message())
    call check(acp_mask_grid(to, [1, 1], 2_c_int64_t) == 0, acp_couple_message())

    made = acp_make_weights(from, to, ACP_REGRID_CONSERVATIVE, 0, count=-1_c_int64_t)
    call check(made /= ACP_WEIGHTS_NULL, acp_couple_message())
    call check(acp_count_weights(made) == 4, 'four entries')
    call check(acp_query_weights(made, rows, columns, values) == 0, acp_couple_message())
    call check(all(rows == [0, 0, 1, 1]) .and. all(columns == [0, 1, 2, 3]), 'entries of areas')
    call check(all(abs(values - 0.5_c_double) < 1e-12_c_double), 'weights of areas')
    call check(acp_free_weights(made) == 0, 'acp_free_weights')

    made = acp_make_weights(from, to, ACP_REGRID_NEAREST, 2, [1_c_int64_t], 1_c_int64_t)
    call check(acp_count_weights(made) == 2, 'two entries')
    call check(acp_free_weights(made) == 0, 'acp_free_weights')
    made = acp_make_weights(from, to, ACP_REGRID_NEAREST, 1, [integer(c_int64_t) ::], 0_c_int64_t)
    call check(acp_count_weights(made) == 0, 'a rank without points')
    call check(acp_free_weights(made) == 0, 'acp_free_weights')
    call check(acp_count_grid(to) == 2, 'acp_count_grid')
    call check(acp_free_grid(from) == 0, 'acp_free_grid')
    call check(acp_free_grid(to) == 0, 'acp_free_grid')
  end subroutine grids

  ! weights couples fields on different grids, with a matrix at rank at. The link is opened at once, or begun and completed.
  subroutine weights(at, begins)
    integer(c_int), intent(in) :: at
    logical, intent(in) :: begins
    integer(c_int64_t), parameter :: rows(3) = [1, 0, 0], columns(3) = [2, 0, 1]
    real(c_double), parameter :: entries(3) = [2.0_c_double, 0.5_c_double, 0.25_c_double]
    real(c_double), target :: x(3)
    integer(acp_field_t) :: field
    integer(acp_link_t) :: link

    x = [8, 4, 1]
    field = acp_create_field_ranges(model, 'f', ACP_DOUBLE, 1, c_loc(x), [0_c_int64_t], &
                                    [merge(3_c_int64_t, 2_c_int64_t, me == 0)], 1)
    if (me /= at) then
      link = opened(field, 1, 1)
    else if (me == 0 .and. begins) then
      link = acp_begin_link_weighted_to(field, 'right.f', rows, columns, entries, 3_c_int64_t, 1, 1, -1.0_c_double)
    else if (me == 0) then
      link = acp_open_link_weighted_to(field, 'right.f', rows, columns, entries, 3_c_int64_t, 1, 1, -1.0_c_double)
    else if (begins) then
      link = acp_begin_link_weighted_from(field, 'left.f', rows, columns, entries, 3_c_int64_t, 1, 1, -1.0_c_double)
    else
      link = acp_open_link_weighted_from(field, 'left.f', rows, columns, entries, 3_c_int64_t, 1, 1, -1.0_c_double)
    end if
    call check(link /= ACP_LINK_NULL, acp_couple_message())
    if (me == at .and. begins) call check(acp_complete_links([link], 1) == 0, acp_couple_message())
    call move(link, 0)
    call check(me == 0 .or. all(abs(x(:2) - [5, 2]) < 1e-9), 'sums with weights')
    call check(acp_close_link(link) == 0, 'acp_close_link')
    call check(acp_free_field(field) == 0, 'acp_free_field')
  end subroutine weights

  ! files is weights with the matrix in a file, which gives point 0 three times the value of point 0.
  subroutine files(at, begins)
    integer(c_int), intent(in) :: at
    logical, intent(in) :: begins
    character(*), parameter :: file = 'testdata/three.mtx'
    real(c_double), target :: x(1)
    integer(acp_field_t) :: field
    integer(acp_link_t) :: link

    x = 8
    field = acp_create_field_ranges(model, 'f', ACP_DOUBLE, 1, c_loc(x), [0_c_int64_t], [1_c_int64_t], 1)
    if (me /= at) then
      link = opened(field, 1, 1)
    else if (me == 0 .and. begins) then
      link = acp_begin_link_file_to(field, 'right.f', file, 1, 1, -1.0_c_double)
    else if (me == 0) then
      link = acp_open_link_file_to(field, 'right.f', file, 1, 1, -1.0_c_double)
    else if (begins) then
      link = acp_begin_link_file_from(field, 'left.f', file, 1, 1, -1.0_c_double)
    else
      link = acp_open_link_file_from(field, 'left.f', file, 1, 1, -1.0_c_double)
    end if
    call check(link /= ACP_LINK_NULL, acp_couple_message())
    if (me == at .and. begins) call check(acp_complete_links([link], 1) == 0, acp_couple_message())
    call move(link, 0)
    call check(me == 0 .or. abs(x(1) - 24) < 1e-9, 'sums with the weights of a file')
    call check(acp_close_link(link) == 0, 'acp_close_link')
    call check(acp_free_field(field) == 0, 'acp_free_field')
  end subroutine files

  ! begun opens two links at once, each rank in an order of its own.
  subroutine begun
    real(c_double), target :: x(2)
    integer(acp_field_t) :: f, g
    integer(acp_link_t) :: out, in

    x = [real(me, c_double), -1.0_c_double]
    f = acp_create_field_ranges(model, 'mine', ACP_DOUBLE, 1, c_loc(x(1)), [0_c_int64_t], [1_c_int64_t], 1)
    g = acp_create_field_ranges(model, 'other', ACP_DOUBLE, 1, c_loc(x(2)), [0_c_int64_t], [1_c_int64_t], 1)
    out = acp_begin_link_to(f, trim(merge('right.other', 'left.other ', me == 0)), 1, 1, -1.0_c_double)
    in = acp_begin_link_from(g, trim(merge('right.mine', 'left.mine ', me == 0)), 1, 1, -1.0_c_double)
    call check(acp_complete_links([out, in], 2) == 0, acp_couple_message())
    call check(acp_send_link(out, 0_c_int64_t) == 0, acp_couple_message())
    call check(acp_receive_link(in, 0_c_int64_t) == 0, acp_couple_message())
    call check(nint(x(2)) == 1 - me, 'a link that was begun')
    call check(acp_close_link(merge(out, in, me == 0)) == 0 .and. acp_close_link(merge(in, out, me == 0)) == 0, 'acp_close_link')
    call check(acp_free_field(f) == 0 .and. acp_free_field(g) == 0, 'acp_free_field')
  end subroutine begun

  ! publish sends x by a watched link, with the number of the step as value, until rank 1 puts the value name.
  subroutine publish(link, x, name)
    integer(acp_link_t), intent(in) :: link
    class(*), target, intent(inout) :: x
    character(*), intent(in) :: name
    integer(c_int64_t), target :: got(1)
    integer(c_int64_t) :: step

    step = 0
    do while (acp_get_value(name, c_loc(got), 8_c_size_t) == 0)
      select type (x)
      type is (real(c_double))
        x = real(step, c_double)
      type is (integer(c_int64_t))
        x = step
      end select
      call check(acp_send_link(link, step) == 0, acp_couple_message())
      step = step + 1
    end do
  end subroutine publish

  ! watched_weights multiplies the watched field name with 2 at the sender and with 3 at the receiver, or with 3 at both by the
  ! weights of a file.
  subroutine watched_weights(name, by_file)
    character(*), intent(in) :: name
    logical, intent(in) :: by_file
    character(*), parameter :: file = 'testdata/three.mtx'
    integer(c_int64_t), parameter :: point(1) = 0
    real(c_double), parameter :: entries(0:1) = [2.0_c_double, 3.0_c_double]
    real(c_double), target :: x(1)
    integer(c_int64_t) :: step
    integer(acp_field_t) :: field
    integer(acp_link_t) :: link

    x = 0
    field = acp_create_field_ranges(model, name, ACP_DOUBLE, 1, c_loc(x), [0_c_int64_t], [1_c_int64_t], 1)
    if (me == 0 .and. by_file) then
      link = acp_publish_link_file_to(field, 'right.' // name, file, 1)
    else if (me == 0) then
      link = acp_publish_link_weighted_to(field, 'right.' // name, point, point, entries(0:0), 1_c_int64_t, 1)
    else if (by_file) then
      link = acp_watch_link_file_from(field, 'left.' // name, file, -1.0_c_double)
    else
      link = acp_watch_link_weighted_from(field, 'left.' // name, point, point, entries(1:1), 1_c_int64_t, -1.0_c_double)
    end if
    call check(link /= ACP_LINK_NULL, acp_couple_message())
    if (me == 0) then
      call publish(link, x(1), name)
    else
      call check(acp_next_link(link, step, -1.0_c_double) == 0, acp_couple_message())
      call check(abs(x(1) - merge(9, 6, by_file) * real(step, c_double)) < 1e-9, 'weights of a watched link: ' // name)
      call check(acp_put_value(name, c_loc(x), 8_c_size_t) > 0, 'acp_put_value')
    end if
    call check(acp_close_link(link) == 0, 'acp_close_link')
    call check(acp_free_field(field) == 0, 'acp_free_field')
  end subroutine watched_weights

  ! watches lets rank 1 watch what rank 0 publishes.
  subroutine watches
    integer(c_int64_t), target :: x(1)
    integer(c_int64_t) :: step
    integer(acp_field_t) :: field
    integer(acp_link_t) :: link

    field = acp_create_field_ranges(model, 'f', ACP_INT64, 1, c_loc(x), [0_c_int64_t], [1_c_int64_t], 1)
    if (me == 0) then
      link = acp_publish_link_to(field, 'right.f', 2)
      call check(link /= ACP_LINK_NULL, acp_couple_message())
      call publish(link, x(1), 'watched')
    else
      link = acp_watch_link_from(field, 'left.f', -1.0_c_double)
      call check(link /= ACP_LINK_NULL, acp_couple_message())
      call check(acp_next_link(link, step, -1.0_c_double) == 0, acp_couple_message())
      call check(step == x(1) .and. mod(step, 2_c_int64_t) == 0, 'the step of a watcher')
      call check(acp_put_value('watched', c_loc(x), 8_c_size_t) > 0, 'acp_put_value')
    end if
    call check(acp_close_link(link) == 0, 'acp_close_link')
    call check(acp_free_field(field) == 0, 'acp_free_field')
  end subroutine watches

  ! described opens the links of the description
  ! "west.out:east.in,every=2,weights=testdata/three.mtx east.view:west.picture,watch".
  subroutine described
    real(c_double), target :: x(1)
    integer(c_int), target :: y(1)
    integer(c_int64_t), target :: got(1)
    integer(c_int64_t) :: step
    integer(acp_model_t) :: compass
    integer(acp_field_t) :: moves, seen
    integer(acp_links_t) :: links
    integer(acp_link_t) :: picture

    compass = acp_create_model(trim(merge('west', 'east', me == 0)), [me], 1)
    moves = acp_create_field_ranges(compass, trim(merge('out', 'in ', me == 0)), ACP_DOUBLE, 1, c_loc(x), [0_c_int64_t], &
                                    [1_c_int64_t], 1)
    seen = acp_create_field_ranges(compass, trim(merge('picture', 'view   ', me == 0)), ACP_INT32, 1, c_loc(y), &
                                   [0_c_int64_t], [1_c_int64_t], 1)
    call check(acp_seal_model(compass) == 0, 'acp_seal_model')
    links = acp_open_links(compass, -1.0_c_double)
    call check(links /= ACP_LINKS_NULL, acp_couple_message())
    do step = 0, 3
      if (me == 0) then
        x = real(step, c_double)
        call check(acp_send_links(links, step) == 0, acp_couple_message())
      else
        call check(acp_receive_links(links, step) == 0, acp_couple_message())
        call check(nint(x(1)) == step / 2 * 2 * 3, 'a link of the description')
      end if
    end do
    if (me == 0) then
      picture = acp_query_watched_link(links, 'picture')
      call check(picture /= ACP_LINK_NULL, acp_couple_message())
      call check(acp_next_link(picture, step, -1.0_c_double) == 0, acp_couple_message())
      call check(y(1) == step, 'the step of a watched link of the description')
      call check(acp_put_value('drawn', c_loc(x), 8_c_size_t) > 0, 'acp_put_value')
    else
      step = 4
      do while (acp_get_value('drawn', c_loc(got), 8_c_size_t) == 0)
        y = int(step, c_int)
        call check(acp_send_links(links, step) == 0, acp_couple_message())
        step = step + 1
      end do
    end if
    call check(acp_save_links(links, '.') == 0, acp_couple_message())
    call check(acp_load_links(links, '.', step) == 0 .and. step == -1, 'links without a state')
    call check(acp_close_links(links) == 0, acp_couple_message())
    call check(acp_free_field(moves) == 0 .and. acp_free_field(seen) == 0 .and. acp_free_model(compass) == 0, 'handles')
  end subroutine described

  ! times sends averages of two steps with a lag, and the other rank computes values between them in another unit. Both continue
  ! from a file. The integral is kept.
  subroutine times
    real(c_double), target :: x(2)
    real(c_double), parameter :: areas(2) = [1.0_c_double, 3.0_c_double]
    integer(acp_field_t) :: field
    integer(acp_link_t) :: link
    character(1000) :: folder
    integer(c_int64_t) :: last
    integer :: step, round
    real(c_double) :: want, computed

    call get_environment_variable('STATE_FOLDER', folder)
    field = acp_create_field_ranges(model, 'time', ACP_DOUBLE, 1, c_loc(x), [0_c_int64_t], [2_c_int64_t], 1)
    call check(acp_conserve_field(field, ACP_CONSERVE_ADD, areas, 2_c_int64_t) == 0, acp_couple_message())
    call check(acp_conserve_field(field, ACP_CONSERVE_ADD, count=-1_c_int64_t) == 0, acp_couple_message())
    do round = 0, 1
      if (me == 0) then
        link = acp_open_link_to(field, 'right.time', 1, 2, -1.0_c_double)
        call check(acp_reduce_link(link, ACP_REDUCE_AVERAGE) == 0, acp_couple_message())
        call check(acp_lag_link(link, 1) == 0, acp_couple_message())
      else
        link = acp_open_link_from(field, 'left.time', 1, 2, -1.0_c_double)
        call check(acp_interpolate_link(link) == 0, acp_couple_message())
        call check(acp_scale_link(link, 10.0_c_double, 1.0_c_double) == 0, acp_couple_message())
      end if
      call check(acp_record_link(link, trim(folder)//'/fortran'//achar(48 + me), 2) == 0, acp_couple_message())
      if (round == 1) then
        last = 0
        call check(acp_load_link(link, trim(folder)//'/time'//achar(48 + me), last) == 0, acp_couple_message())
        call check(last == 3, 'the step of a file')
      else if (me == 0) then
        x = -0.5_c_double
        call check(acp_initialize_link(link, 0_c_int64_t) == 0, acp_couple_message())
      end if
      do step = 4 * round, merge(5, 3, me == 0) + 4 * round
        if (me == 0) then
          x = step
          call check(acp_send_link(link, int(step, c_int64_t)) == 0, acp_couple_message())
          if (step == 3) call check(acp_save_link(link, trim(folder)//'/time0') == 0, acp_couple_message())
        else
          call check(acp_receive_link(link, int(step, c_int64_t)) == 0, acp_couple_message())
          ! Message n is that of step 2n: -0.5, 0.5, 2.5, 4.5 ...
          want = merge(step - 1.5_c_double, 0.5_c_double * (step - 1), step > 1)
          call check(all(abs(x - (10 * want + 1)) < 1e-9), 'a value between messages')
          if (step == 3) call check(acp_save_link(link, trim(folder)//'/time1') == 0, acp_couple_message())
        end if
      end do
      call check(acp_query_link_times(link, last, want) == 0 .and. last >= 2 .and. want >= 0, acp_couple_message())
      call check(acp_sync() == 0, 'acp_sync')
      call check(acp_close_link(link) == 0, acp_couple_message())
    end do
    call check(acp_query_model_times(model, computed, want) == 0 .and. computed > 0 .and. want >= 0, acp_couple_message())
    call check(acp_free_field(field) == 0, 'acp_free_field')
  end subroutine times

  ! iterations lets both ranks agree on two numbers in each of two steps.
  subroutine iterations
    real(c_double), target :: x(2), grid(4)
    integer(c_int), target :: kept(3)
    integer(acp_model_t) :: own
    integer(acp_field_t) :: field
    integer(acp_implicit_t) :: both
    integer(acp_link_t) :: links(2)
    character(:), allocatable :: other
    integer(c_int64_t) :: round
    integer(c_int) :: again, count, converged
    integer :: step

    other = merge('follower', 'leader  ', me == 0)
    own = acp_create_model(trim(merge('leader  ', 'follower', me == 0)), [me], 1)
    both = acp_create_implicit(own, trim(other), merge(1, 0, me == 0))
    call check(both /= ACP_IMPLICIT_NULL, acp_couple_message())
    field = acp_create_field_ranges(own, 'x', ACP_DOUBLE, 1, c_loc(x), [0_c_int64_t], [2_c_int64_t], 1)
    x = 0
    if (me == 0) then
      call check(acp_add_implicit(both, 'x', x, 2_c_int64_t) == 0, acp_couple_message())
      call check(acp_add_implicit(both, 'none', c_loc(grid), 0_c_int64_t) == 0, acp_couple_message())
      call check(acp_add_implicit(both, 'y', x, 3_c_int64_t) == -1, 'an array that is too short')
      call check(index(acp_couple_message(), 'has 16 bytes') > 0, acp_couple_message())
      call check(acp_add_implicit(both, 'y', grid(1:3:2), 2_c_int64_t) == -1, 'a section')
      call check(index(acp_couple_message(), 'contiguous memory') > 0, acp_couple_message())
      call check(acp_add_implicit(both, 'y', kept, 3_c_int64_t) == -1, 'integers')
      call check(index(acp_couple_message(), 'expected values of type float64') > 0, acp_couple_message())
      call check(acp_measure_implicit(both, 'x', ACP_MEASURE_RELATIVE, 1e-10_c_double) == 0, acp_couple_message())
      call check(acp_accelerate_implicit(both, ACP_METHOD_IQN_ILS, 0.5_c_double, 1, 10) == 0, acp_couple_message())
      call check(acp_limit_implicit(both, 30) == 0, acp_couple_message())
    end if
    call check(acp_keep_implicit(both, kept, 8_c_int64_t) == 0, acp_couple_message())
    call check(acp_keep_implicit(both, c_loc(kept(3)), 4_c_int64_t) == 0, acp_couple_message())
    links(1) = acp_begin_link_to(field, trim(other)//'.x', 1, 1, -1.0_c_double)
    links(2) = acp_begin_link_from(field, trim(other)//'.x', 1, 1, -1.0_c_double)
    call check(acp_complete_links(links, 2) == 0, acp_couple_message())
    do step = 1, 2
      kept = step
      call check(acp_begin_implicit(both, round) == 0, acp_couple_message())
      do
        call check(all(kept == step), 'memory that is kept')
        kept = 0
        if (me == 0) call check(acp_send_link(links(1), round) == 0, acp_couple_message())
        call check(acp_receive_link(links(2), round) == 0, acp_couple_message())
        if (me == 1) then
          x = [step - 1.5_c_double * x(2), step + 0.5_c_double * x(1)]
          call check(acp_send_link(links(1), round) == 0, acp_couple_message())
        end if
        again = acp_iterate_implicit(both, round)
        if (again /= 1) exit
      end do
      call check(again == 0, acp_couple_message())
      call check(acp_query_implicit(both, count, converged) == 0 .and. converged == 1 .and. count < 8, 'the end of a step')
      ! x1 = s - 1.5 x2 and x2 = s + 0.5 x1.
      if (me == 0) call check(all(abs(x - step * [-2, 6] / 7.0_c_double) < 1e-8), 'the values of a step')
    end do
    do step = 1, 2
      call check(acp_close_link(links(step)) == 0, acp_couple_message())
    end do
    call check(acp_free_implicit(both) == 0, acp_couple_message())
    call check(acp_free_field(field) == 0 .and. acp_free_model(own) == 0, acp_couple_message())
  end subroutine iterations

  ! mistakes makes some, and gets their messages.
  subroutine mistakes
    integer(acp_field_t) :: field
    real(c_float), target :: x(1)

    call check(acp_create_model('a.b', count=0) == ACP_MODEL_NULL, 'a bad name')
    call check(index(acp_couple_message(), 'no full stop') > 0, acp_couple_message())
    call check(acp_create_model(count=0) /= ACP_MODEL_NULL, 'the model of the job')
    field = acp_create_field_list(model, 'f', ACP_FLOAT, 1, c_loc(x), [-1_c_int64_t], 1_c_int64_t)
    call check(field == ACP_FIELD_NULL, 'a bad point')
    call check(index(acp_couple_message(), 'point -1') > 0, acp_couple_message())
  end subroutine mistakes

end program couple
