
  ! to_fortran returns the text of a string of C. It is empty if there is no string.
  function to_fortran(string)
    type(c_ptr), intent(in) :: string
    character(:), allocatable :: to_fortran
    character(kind=c_char), pointer :: text(:)
    integer(c_size_t) :: i, length
    interface
      function strlen(string) bind(C)
        import
        type(c_ptr), value :: string
        integer(c_size_t) :: strlen
      end function strlen
    end interface

    length = 0
    if (c_associated(string)) length = strlen(string)
    allocate (character(length) :: to_fortran)
    if (length == 0) return
    call c_f_pointer(string, text, [length])
    do i = 1, length
      to_fortran(i:i) = text(i)
    end do
  end function to_fortran
