
  ! to_c returns a string of C with a text.
  subroutine to_c(text, string)
    character(*), intent(in) :: text
    character(kind=c_char), allocatable, intent(out) :: string(:)
    integer :: i

    allocate (string(len(text) + 1))
    do i = 1, len(text)
      string(i) = text(i:i)
    end do
    string(len(text) + 1) = c_null_char
  end subroutine to_c

  ! address_of returns the address of a string, or c_null_ptr if there is none.
  function address_of(string)
    character(kind=c_char), allocatable, target, intent(in) :: string(:)
    type(c_ptr) :: address_of

    address_of = c_null_ptr
    if (allocated(string)) address_of = c_loc(string)
  end function address_of
