! Ends itself with the text of its argument, or without one if it is empty.
program main
  use acp
  implicit none
  character(20) :: text
  if (acp_init() /= 0) error stop
  call get_command_argument(1, text)
  if (text == '') then
    call acp_abort()
  else
    call acp_abort(text)
  end if
end program main
