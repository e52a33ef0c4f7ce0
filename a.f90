program a
  use, intrinsic :: iso_c_binding
  implicit none
  real(c_double), allocatable, target :: t(:,:)
  type(c_ptr) :: p, q
  real(c_double), pointer :: v(:)
  allocate(t(4,5)); t = 1
  t(2,:) = [10,20,30,40,50]
  p = c_loc(t(2,:)); q = c_loc(t(2,1))
  print *, c_associated(p,q)
  call c_f_pointer(p, v, [5]); print *, v
  call s(t(2,:))
contains
  subroutine s(x)
    type(*), dimension(..), target, intent(in) :: x
    print *, is_contiguous(x), c_associated(c_loc(x), q)
  end subroutine
end program
