! What programs of the tests have in common: checks, and texts in the global memory of this rank.
module checks
  use, intrinsic :: iso_c_binding
  use acp
  implicit none

  integer, parameter :: n = c_size_t
  integer(acp_ga_t) :: scratch ! 1024 bytes of this rank
  character(kind=c_char), pointer :: here(:) ! the same in this process

contains

  subroutine open_scratch
    scratch = acp_malloc(1024_n, acp_rank())
    call c_f_pointer(acp_query_address(scratch), here, [1024])
  end subroutine open_scratch

  ! check ends the run unless what is true.
  subroutine check(what, name)
    logical, intent(in) :: what
    character(*), intent(in) :: name
    if (.not. what) call acp_abort('wrong: ' // name)
  end subroutine check

  ! put writes a text into the own global memory.
  subroutine put(at, text)
    integer, intent(in) :: at
    character(*), intent(in) :: text
    integer :: i
    do i = 1, len(text)
      here(at + i) = text(i:i)
    end do
  end subroutine put

  ! has reports whether a text is in the own global memory.
  function has(at, text)
    integer, intent(in) :: at
    character(*), intent(in) :: text
    logical :: has
    integer :: i
    has = .true.
    do i = 1, len(text)
      has = has .and. here(at + i) == text(i:i)
    end do
  end function has

  ! bytes writes a text into the own global memory and returns the element that it is.
  function bytes(at, text)
    integer, intent(in) :: at
    character(*), intent(in) :: text
    type(acp_element_t) :: bytes
    call put(at, text)
    bytes = acp_element_t(scratch + at, len(text))
  end function bytes

  function pair(key, value)
    character(*), intent(in) :: key, value
    type(acp_pair_t) :: pair
    pair = acp_pair_t(bytes(0, key), bytes(256, value))
  end function pair

  ! is reports whether a text is at a global address.
  function is(ga, text)
    integer(acp_ga_t), intent(in) :: ga
    character(*), intent(in) :: text
    logical :: is
    call acp_complete(acp_copy(scratch + 512, ga, int(len(text), n), ACP_HANDLE_NULL))
    is = has(512, text)
  end function is

  ! by_first compares elements by their first byte, which may be on another rank.
  function by_first(elem1, elem2) bind(C)
    type(acp_element_t), value :: elem1, elem2
    integer(c_int) :: by_first
    call acp_complete(acp_copy(scratch + 512, elem1%ga, 1_n, ACP_HANDLE_NULL))
    call acp_complete(acp_copy(scratch + 513, elem2%ga, 1_n, ACP_HANDLE_NULL))
    by_first = ichar(here(513)) - ichar(here(514))
  end function by_first

end module checks
