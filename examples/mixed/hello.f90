! What hello.h does, in Fortran: every rank writes a greeting into the starter memory of its right
! neighbour and adds its rank + 1 to a counter on rank 0. Both use memory in the same way, so that
! programs of all languages can be mixed in one run.
module hello
  use, intrinsic :: iso_c_binding
  use acp
  implicit none
  private
  public :: hello_exchange

  integer, parameter :: length = 64

  ! How every rank uses its starter memory: struct hello.
  type, bind(C) :: starter
    integer(c_int64_t) :: counter ! on rank 0: all ranks add to it
    integer(c_int64_t) :: old ! receives the value that the counter had before
    integer(c_int64_t) :: total ! receives the counter in the end
    character(kind=c_char) :: outgoing(length)
    character(kind=c_char) :: incoming(length) ! written by the left neighbour
  end type starter
  integer(acp_ga_t), parameter :: old_at = 8, total_at = 16, outgoing_at = 24, incoming_at = outgoing_at + length

contains

  ! greeting_of is the greeting that a rank sends.
  function greeting_of(rank) result(text)
    integer, intent(in) :: rank
    character(length) :: text
    write (text, '(a, i0)') 'greetings from rank ', rank
  end function greeting_of

  ! hello_exchange sends a greeting to the right neighbour, checks the one that arrives, and prints it
  ! in a line with the text role. Collective.
  subroutine hello_exchange(role)
    character(*), intent(in) :: role
    type(starter), pointer :: mine
    integer :: rank, procs

    rank = acp_rank()
    procs = acp_procs()
    call c_f_pointer(acp_query_address(acp_query_starter_ga(rank)), mine)
    call send(mine, rank, procs)
    if (acp_sync() /= 0) call acp_abort('the others have not come')
    call check(mine, rank, procs)
    print '(a, i0, a, i0, 5a)', 'hello from ACP rank ', rank, ' of ', procs, ', ', role, '; got "', &
      text_of(mine%incoming), '"'
  end subroutine hello_exchange

  ! send issues both accesses and waits for their completion.
  subroutine send(mine, rank, procs)
    type(starter), intent(inout) :: mine
    integer, intent(in) :: rank, procs
    integer(acp_ga_t) :: here, right
    integer(acp_handle_t) :: put, add
    character(length) :: text
    integer :: i

    text = greeting_of(rank)
    mine%outgoing = c_null_char
    do i = 1, len_trim(text)
      mine%outgoing(i) = text(i:i)
    end do
    here = acp_query_starter_ga(rank)
    right = acp_query_starter_ga(mod(rank + 1, procs))
    put = acp_copy(right + incoming_at, here + outgoing_at, c_sizeof(mine%outgoing), ACP_HANDLE_NULL)
    add = acp_add8(here + old_at, acp_query_starter_ga(0), rank + 1_c_int64_t, ACP_HANDLE_NULL)
    if (put == ACP_HANDLE_NULL .or. add == ACP_HANDLE_NULL) call acp_abort('the greeting could not be sent')
    call acp_complete(ACP_HANDLE_ALL)
  end subroutine send

  ! check compares what has arrived with what should have. If it differs, the run ends.
  subroutine check(mine, rank, procs)
    type(starter), intent(in) :: mine
    integer, intent(in) :: rank, procs
    integer(acp_handle_t) :: get

    get = acp_copy(acp_query_starter_ga(rank) + total_at, acp_query_starter_ga(0), c_sizeof(mine%total), ACP_HANDLE_NULL)
    if (get == ACP_HANDLE_NULL) call acp_abort('the counter of rank 0 cannot be read')
    call acp_complete(get)
    if (text_of(mine%incoming) /= greeting_of(mod(rank + procs - 1, procs))) call acp_abort('another greeting arrived')
    if (mine%total /= procs * (procs + 1) / 2) call acp_abort('the counter is wrong')
  end subroutine check

  ! text_of returns the characters up to the first null character.
  function text_of(characters) result(text)
    character(kind=c_char), intent(in) :: characters(length)
    character(:), allocatable :: text
    integer :: i

    text = ''
    do i = 1, length
      if (characters(i) == c_null_char) exit
      text = text // characters(i)
    end do
  end function text_of

end module hello
