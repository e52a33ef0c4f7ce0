! The exchange of surface temperatures between two models by one-sided copies: the twin of coupler.h,
! where it is explained.
module coupling
  use, intrinsic :: iso_c_binding
  use acp
  use directory
  use heat
  implicit none
  private
  public :: coupler_open, coupler_send, coupler_sent, coupler_receive, coupler_report, coupler_close

  ! One rank of the other model that needs some of our columns.
  type :: target_rank
    integer(acp_ga_t) :: inbox(0:1) ! where our columns go, by buffer
    integer(acp_ga_t) :: ready(0:1) ! what then counts them
    integer :: first ! the first of our cells that goes there
    integer(c_size_t) :: bytes
  end type target_rank

  ! A type of its own would make users declare it as a target: a program couples one part.
  type(starter), pointer :: shared
  type(span) :: needs
  real(c_double), allocatable, target :: inbox(:, :) ! two buffers of needs%count temperatures
  integer(acp_ga_t) :: here, cells ! global addresses of starter memory and of the cells
  integer(acp_atkey_t) :: inbox_key, cells_key
  type(target_rank), allocatable :: targets(:)
  integer :: senders ! ranks that write into our inbox
  integer(acp_handle_t) :: sent ! last GMA of this step

  interface
    function sched_yield() bind(C)
      import
      integer(c_int) :: sched_yield
    end function sched_yield
    function usleep(microseconds) bind(C)
      import
      integer(c_int), value :: microseconds
      integer(c_int) :: usleep
    end function usleep
  end interface

contains

  ! coupler_open announces the atmosphere's part p and finds the parts of the ocean with which it shares
  ! the interface. Collective over all programs of the run.
  subroutine coupler_open(p, needed)
    type(part), intent(in), target :: p
    type(span), intent(in) :: needed
    integer(acp_ga_t) :: inbox_ga
    integer :: rank

    needs = needed
    shared => starter_memory()
    here = acp_query_starter_ga(acp_rank())
    allocate (inbox(needs%count, 0:1), targets(0))
    senders = 0
    inbox_ga = publish(c_loc(inbox), 8 * size(inbox, kind=c_size_t), inbox_key)
    ! The temperatures are sent from where the model keeps them.
    cells = publish(c_loc(p%cells), 8 * size(p%cells, kind=c_size_t), cells_key)
    shared%mine = rank_entry(kind_atmosphere, p%own%first, p%own%count, needs%first, needs%count, &
                             inbox_ga, here + ready_at, here + board_at)
    call directory_join(shared)
    do rank = 0, acp_procs() - 1
      if (shared%directory(rank)%kind == kind_ocean) call meet(p, shared%directory(rank))
    end do
    if (senders == 0) call acp_abort('the run has no model to couple with')
  end subroutine coupler_open

  ! overlap returns the columns that two runs of one grid have in common.
  pure function overlap(a, b) result(common)
    type(span), intent(in) :: a, b
    type(span) :: common
    common%first = max(a%first, b%first)
    common%count = max(0, min(a%first + a%count, b%first + b%count) - common%first)
  end function overlap

  ! meet notes which columns of this rank another one needs, and whether this rank needs columns of it.
  subroutine meet(p, e)
    type(part), intent(in) :: p
    type(rank_entry), intent(in) :: e
    type(span) :: theirs, need, ours, mine
    type(target_rank) :: t
    integer(acp_ga_t) :: b

    theirs = span(int(e%first), int(e%count))
    need = span(int(e%need_first), int(e%need_count))
    mine = overlap(theirs, needs)
    if (mine%count > 0) senders = senders + 1
    ours = overlap(p%own, need)
    if (ours%count == 0) return
    t%first = ours%first - p%own%first + 1
    t%bytes = 8 * int(ours%count, c_size_t)
    do b = 0, 1
      t%inbox(b) = e%inbox + 8 * (b * need%count + ours%first - need%first)
      t%ready(b) = e%ready + 8 * b
    end do
    targets = [targets, t]
  end subroutine meet

  ! coupler_send starts sending the surface of this step. The temperatures must stay as they are until
  ! coupler_sent.
  subroutine coupler_send(p, step)
    type(part), intent(in) :: p
    integer, intent(in) :: step
    integer(acp_ga_t) :: surface
    integer(acp_handle_t) :: copy
    integer :: i, b

    b = mod(step, 2)
    ! Cell 0 of row 1 of this time level.
    surface = cells + 8 * size(p%cells, 1, acp_ga_t) * p%medium%rows * (p%now - 1)
    do i = 1, size(targets)
      associate (t => targets(i))
        copy = issued(acp_copy(t%inbox(b), surface + 8 * t%first, t%bytes, ACP_HANDLE_NULL), &
                      'temperatures cannot be sent')
        sent = issued(acp_add8(here + old_at, t%ready(b), 1_c_int64_t, copy), 'a ready counter cannot be increased')
      end associate
    end do
  end subroutine coupler_send

  ! coupler_sent waits until everything sent has arrived.
  subroutine coupler_sent
    call acp_complete(sent)
  end subroutine coupler_sent

  ! coupler_receive waits for the surface of the other model at this step and returns its needed
  ! columns, which stay until coupler_send of the next step.
  function coupler_receive(step) result(below)
    integer, intent(in) :: step
    real(c_double), pointer :: below(:)
    integer :: looks, ignored, b

    b = mod(step, 2)
    looks = 0
    do while (counted(b) < (step / 2 + 1) * senders)
      looks = looks + 1
      if (looks < 20) then
        ignored = sched_yield()
      else
        ignored = usleep(50)
      end if
    end do
    below => inbox(:, b)
  end function coupler_receive

  ! counted returns a ready counter. Fortran has no atomic loads of such a word, but ACP has: adding 0
  ! returns it, and what was written before it can be read afterwards.
  function counted(b)
    integer, intent(in) :: b
    integer(c_int64_t) :: counted
    call acp_complete(issued(acp_add8(here + looked_at, here + ready_at + 8 * b, 0_c_int64_t, ACP_HANDLE_NULL), &
                             'a ready counter cannot be read'))
    counted = shared%looked
  end function counted

  ! coupler_report shows the heat content of a part to watchers.
  subroutine coupler_report(p)
    type(part), intent(in) :: p
    shared%board%heat(shared%board%count + 1) = heat_content(p)
    call acp_complete(issued(acp_add8(here + old_at, here + board_at, 1_c_int64_t, ACP_HANDLE_NULL), &
                             'a report cannot be counted'))
  end subroutine coupler_report

  ! coupler_close takes the arrays back. After the last step no rank writes into the inbox: this rank has
  ! waited for all messages of that step.
  subroutine coupler_close
    if (acp_unregister_memory(inbox_key) /= 0) call acp_abort('memory cannot be unregistered')
    if (acp_unregister_memory(cells_key) /= 0) call acp_abort('memory cannot be unregistered')
    deallocate (inbox, targets)
  end subroutine coupler_close

end module coupling
