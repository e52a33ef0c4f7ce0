! The program of jacobi.c in Fortran: Jacobi's method on a square, with processes that join and leave.
!
!     acpfc jacobi.f90 -o jacobi
!     acprun -max 6 -np 2 ./jacobi 300 100:6 200:3
program jacobi
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: real64, int64
  use acp
  implicit none

  integer, parameter :: width = 256, most_ranks = 64, look = 10 ! every look steps rank 0 looks whether the epoch is to change
  integer(int64), parameter :: row = 8 * width                  ! bytes

  ! The words of a plan: what rank 0 tells the others, in its starter memory.
  integer, parameter :: square = 1, & ! width rows of width numbers, in the heap of rank 0
                        at_step = 2, & ! the step from which the epoch computes
                        change = 3, & ! 1: the epoch changes
                        rows_at = 4, & ! in each rank: its two copies of its rows, with a row above and below
                        words = 4

  integer(int64), pointer :: plan(:, :) ! in the starter memory of this rank: its own, and those of the ranks above and below
  integer(int64) :: steps
  integer(c_int) :: ranks(most_ranks), count ! of the epoch
  integer :: self, first, rows               ! of this rank: its place in ranks, and its rows

  if (acp_init() /= 0) error stop 1
  call c_f_pointer(acp_query_address(starter(acp_rank(), 0)), plan, [words, 3])
  steps = 300
  if (command_argument_count() > 0) steps = wish(1, 1)
  if (acp_rank() == 0) call begin
  do
    call sync
    call compute
    if (plan(at_step, 1) == steps) exit
    select case (acp_adopt(merge(0, 1, acp_asked(acp_rank()) == 1)))
    case (0)
      exit
    case (:-1)
      call failed('acp_adopt')
    end select
  end do
  if (acp_rank() == 0) call show_result
  if (acp_finalize() /= 0) error stop 1

contains

  ! Returns a word in the starter memory of a rank, which counts from 0.
  integer(int64) function starter(rank, word)
    integer(c_int), intent(in) :: rank
    integer, intent(in) :: word
    starter = acp_query_starter_ga(rank) + 8 * word
  end function starter

  ! Returns a number in an argument of the form STEP:RANKS, 0 if there is none.
  integer(int64) function wish(argument, part)
    integer, intent(in) :: argument, part
    character(80) :: text
    integer :: colon, status
    call get_command_argument(argument, text)
    colon = index(text, ':')
    if (colon > 0 .and. part == 1) text(colon:) = ''
    if (part == 2) text = text(colon + 1:)
    read (text, *, iostat=status) wish
    if (status /= 0) wish = 0
  end function wish

  subroutine failed(what)
    character(*), intent(in) :: what
    call acp_abort(what // ': ' // acp_error_message())
    error stop 1
  end subroutine failed

  subroutine sync
    if (acp_sync() /= 0) call failed('acp_sync')
  end subroutine sync

  ! Completes copies, and waits for the other ranks.
  subroutine meet
    call acp_complete(ACP_HANDLE_ALL)
    call sync
  end subroutine meet

  subroutine copied(to, from, bytes)
    integer(int64), intent(in) :: to, from, bytes
    if (acp_copy(to, from, bytes, ACP_HANDLE_NULL) == ACP_HANDLE_NULL) call failed('acp_copy')
  end subroutine copied

  integer(int64) function new_block(bytes)
    integer(int64), intent(in) :: bytes
    new_block = acp_malloc(bytes, acp_rank())
    if (new_block == ACP_GA_NULL) call failed('acp_malloc')
  end function new_block

  ! Makes the square, as rank 0.
  subroutine begin
    real(real64), pointer :: x(:, :)
    plan(square, 1) = new_block(row * width)
    call c_f_pointer(acp_query_address(plan(square, 1)), x, [width, width])
    x = 0
    x(1, :) = 50
    x(:, 1) = 100
  end subroutine begin

  ! Divides the rows over the ranks of the epoch.
  subroutine divide
    count = acp_epoch_ranks(ranks, most_ranks)
    self = findloc(ranks(:count), acp_rank(), dim=1)
    first = first_of(self)
    rows = rows_of(self)
  end subroutine divide

  integer function first_of(i)
    integer, intent(in) :: i
    first_of = width * (i - 1) / count
  end function first_of

  integer function rows_of(i)
    integer, intent(in) :: i
    rows_of = width * i / count - first_of(i)
  end function rows_of

  ! Computes until the epoch is to change, or the last step is done.
  subroutine compute
    real(real64), pointer :: x(:, :, :)
    integer(int64) :: mine, part, at
    integer :: now, k
    call divide
    mine = new_block(2 * row * (rows + 2))
    call c_f_pointer(acp_query_address(mine), x, [width, rows + 2, 2])
    x = 0
    call copied(starter(acp_rank(), 0), starter(0_c_int, 0), 8_int64 * (rows_at - 1))
    call acp_complete(ACP_HANDLE_ALL)
    plan(rows_at, 1) = mine
    call sync
    do k = 1, 2
      associate (neighbour => self + 2 * k - 3)
        if (neighbour >= 1 .and. neighbour <= count) &
          call copied(starter(acp_rank(), words * k), starter(ranks(neighbour), 0), 8_int64 * words)
      end associate
    end do
    part = plan(square, 1) + row * first
    call copied(mine + row, part, row * rows)
    call meet
    x(:, :, 2) = x(:, :, 1)
    at = plan(at_step, 1)
    if (acp_rank() == 0) print '(a,i0,a,i0,a)', 'step ', at, ': ', count, ' ranks'
    now = 1
    call show(mine, now) ! the rows of the neighbours before the first step
    plan(change, 1) = 0
    do while (plan(change, 1) == 0)
      call step(x(:, :, now), x(:, :, 3 - now))
      now = 3 - now
      call show(mine, now)
      at = at + 1
      if (mod(at, int(look, int64)) == 0 .or. at == steps) call decide(at)
    end do
    plan(at_step, 1) = at
    call copied(part, mine + (now - 1) * row * (rows + 2) + row, row * rows)
    call meet
    call acp_free(mine)
  end subroutine compute

  ! Computes the rows of next from those of now.
  subroutine step(now, next)
    real(real64), intent(in) :: now(:, :)
    real(real64), intent(inout) :: next(:, :)
    integer :: i, k
    do i = 2, rows + 1
      if (first + i == 2 .or. first + i == width + 1) then
        next(:, i) = now(:, i)
        cycle
      end if
      do k = 2, width - 1
        next(k, i) = 0.25_real64 * (((now(k, i - 1) + now(k, i + 1)) + now(k - 1, i)) + now(k + 1, i))
      end do
    end do
  end subroutine step

  ! Writes the outer rows of one of the two copies to the ranks above and below, and waits for theirs.
  subroutine show(mine, which)
    integer(int64), intent(in) :: mine
    integer, intent(in) :: which
    integer(int64) :: from, others
    from = mine + (which - 1) * row * (rows + 2)
    if (self > 1) then
      others = rows_of(self - 1)
      call copied(plan(rows_at, 2) + (which - 1) * row * (others + 2) + row * (others + 1), from + row, row)
    end if
    if (self < count) then
      others = rows_of(self + 1)
      call copied(plan(rows_at, 3) + (which - 1) * row * (others + 2), from + row * rows, row)
    end if
    call meet
  end subroutine show

  ! Lets all ranks know whether the epoch changes, as rank 0 decides.
  subroutine decide(at)
    integer(int64), intent(in) :: at
    integer :: i, waiting, asked
    if (acp_rank() == 0) then
      do i = 2, command_argument_count()
        if (wish(i, 1) == at) call resize(int(wish(i, 2)))
      end do
      call changes(waiting, asked)
      if (at == steps .or. waiting + asked > 0) plan(change, 1) = 1
    end if
    call sync
    if (acp_rank() /= 0) call copied(starter(acp_rank(), change - 1), starter(0_c_int, change - 1), 8_int64)
    call meet
  end subroutine decide

  ! Asks for processes, or ranks to leave, so that so many ranks take part.
  subroutine resize(want)
    integer, intent(in) :: want
    integer :: i, waiting, asked
    integer(int64) :: seen
    do i = want + 1, count
      if (acp_ask_leave(ranks(i)) /= 0) call failed('acp_ask_leave')
    end do
    if (want <= count) return
    if (acp_ask_join(want - count) /= 0) call failed('acp_ask_join')
    seen = -1
    do
      call changes(waiting, asked)
      if (waiting >= want - count) exit
      seen = acp_await_change(seen, -1.0_c_double)
      if (seen < 0) call failed('acp_await_change')
    end do
  end subroutine resize

  ! Counts the processes that wait, and the ranks that are asked to leave.
  subroutine changes(waiting, asked)
    integer, intent(out) :: waiting, asked
    integer(c_int) :: r
    waiting = 0
    asked = 0
    do r = 0, min(acp_seats(), most_ranks) - 1
      select case (acp_state(r))
      case (ACP_STATE_WAITING)
        waiting = waiting + 1
      case (ACP_STATE_PRESENT)
        asked = asked + acp_asked(r)
      end select
    end do
  end subroutine changes

  ! Prints a hash of the bits of the square (FNV-1a).
  subroutine show_result
    integer(c_signed_char), pointer :: bytes(:)
    integer(int64) :: hash
    integer :: i
    call c_f_pointer(acp_query_address(plan(square, 1)), bytes, [int(row) * width])
    hash = -3750763034362895579_int64
    do i = 1, size(bytes)
      hash = times(ieor(hash, iand(int(bytes(i), int64), 255_int64)))
    end do
    print '(a,z16.16)', 'result ', hash
  end subroutine show_result

  ! Returns hash times 2**40 + 2**8 + 179, modulo 2**64, without an overflow.
  integer(int64) function times(hash)
    integer(int64), intent(in) :: hash
    integer(int64) :: low, high
    low = iand(hash, int(z'ffffffff', int64)) * 435
    high = iand(shiftr(hash, 32), int(z'ffffffff', int64)) * 435 + shiftr(low, 32) + shiftl(iand(hash, int(z'ffffff', int64)), 8)
    times = ior(shiftl(high, 32), iand(low, int(z'ffffffff', int64)))
  end function times
end program jacobi
