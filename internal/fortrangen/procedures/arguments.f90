
  ! acp_init gives the arguments of the command to the library, which takes those that begin with
  ! --acp-. Returns 0, or -1 after a message on standard error.
  function acp_init()
    integer(c_int) :: acp_init
    type word
      character(kind=c_char), allocatable :: text(:)
    end type word
    type(word), allocatable, target :: words(:)
    type(c_ptr), allocatable, target :: vector(:)
    type(c_ptr), target :: first
    integer(c_int) :: count
    integer :: i, length
    interface
      function c_acp_init(argc, argv) bind(C, name="acp_init")
        import
        integer(c_int), intent(inout) :: argc
        type(c_ptr), value :: argv
        integer(c_int) :: c_acp_init
      end function c_acp_init
    end interface

    count = command_argument_count() + 1
    allocate (words(count), vector(count + 1))
    do i = 1, count
      call get_command_argument(i - 1, length=length)
      call command_word(i - 1, length, words(i)%text)
      vector(i) = address_of(words(i)%text)
    end do
    vector(count + 1) = c_null_ptr
    first = c_loc(vector)
    acp_init = c_acp_init(count, c_loc(first))
  end function acp_init

  ! command_word returns an argument of the command, which has a number and a length.
  subroutine command_word(number, length, string)
    integer, intent(in) :: number, length
    character(kind=c_char), allocatable, intent(out) :: string(:)
    character(length) :: text

    call get_command_argument(number, text)
    call to_c(text, string)
  end subroutine command_word

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
