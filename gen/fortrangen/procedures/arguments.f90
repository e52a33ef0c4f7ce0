
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

  ! acp_address returns the address of an array or a variable, for a function that uses its memory. It
  ! fails with EINVAL, and returns c_null_ptr, for a section that is not contiguous: the function would use
  ! other elements. The compiler makes no copy for this call. Does not block.
  function acp_address(data)
    type(*), dimension(..), intent(in), target, asynchronous :: data
    type(c_ptr) :: acp_address
    type(goacp_array) :: array

    acp_address = c_null_ptr
    call goacp_describe_any(data, array)
    if (goacp_usable(array, 0_c_size_t, 'acp_address' // c_null_char) /= 0) acp_address = array%base
  end function acp_address
