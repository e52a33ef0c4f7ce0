    function goacp_usable(array, bytes, function) bind(C, name="goacp_fortran_usable")
      import
      type(goacp_array), intent(in) :: array
      integer(c_size_t), value :: bytes
      character(kind=c_char), intent(in) :: function(*)
      integer(c_int) :: goacp_usable
    end function goacp_usable
