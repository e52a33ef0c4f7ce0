! Uses everything of the module that is made from fixture.h.
module compares
  use, intrinsic :: iso_c_binding
  use acp
  implicit none
contains
  function by_weight(item1, item2) bind(C)
    type(acp_item_t), value :: item1, item2
    integer(c_int) :: by_weight
    by_weight = merge(1, 2, item1%weight > item2%weight)
  end function by_weight
end module compares

program fixture
  use, intrinsic :: iso_c_binding
  use acp
  use compares
  implicit none

  integer, target :: word
  type(acp_item_t) :: item
  real, target :: numbers(6)
  complex(c_double_complex), target :: table(2, 2)
  integer(c_size_t) :: size
  integer(c_int32_t) :: values(2)
  character(8) :: text

  call expect(acp_init() == 0, 'acp_init')
  call expect(ACP_ERRNO == 7, 'a variable')
  item = acp_twice_item(acp_item_t(21, 1.5_c_double, c_loc(word)), 0.5)
  call expect(item%id == 42 .and. nint(item%weight * 2) == 3 .and. c_associated(item%data, c_loc(word)), 'a struct')
  item = acp_twice(item, 1.0)
  call expect(item%id == 84 .and. acp_twice(4_acp_box_t) == 8, 'a generic name')
  call expect(ACP_ID_NULL == 0 .and. ACP_ID_LAST == -2 .and. ACP_MANY == 12, 'constants')
  call expect(ACP_BOX_NULL == 0 .and. ACP_BOX_NONE == -1 .and. ACP_GREETING == 'it''s me', 'other constants')
  call expect(nint(acp_sum([1d0, 2d0], 2)) == 3, 'an absent array')
  call expect(nint(acp_sum([1d0, 2d0], 2, [10d0, 20d0])) == 50, 'arrays')
  call acp_results(size, values, -3_acp_id_t)
  call expect(size == 5000000000_c_size_t .and. all(values == [-1, -3]) .and. ACP_ERRNO == 8, 'results')
  call expect(acp_larger(by_weight, [item, acp_item_t(1, 99d0, c_null_ptr)]) == 2, 'a procedure')
  call expect(acp_length('four    ', 2, size=size) == 8 .and. size == 0, 'a string')
  call expect(acp_length('', 2, ' note', size) == 0 .and. size == 5, 'two strings')
  call expect(acp_length('abc', 1) == 3, 'an absent result')
  call expect(acp_name_of(1) == 'one' .and. len(acp_name_of(1)) == 3, 'a string as the result')
  call expect(len(acp_name_of(0)) == 0 .and. len(acp_name_of(2)) == 0, 'an empty string as the result')
  text = '........'
  call acp_spell(text, 8_c_size_t)
  call expect(text(1:5) == 'spelt' .and. text(6:6) == c_null_char .and. text(8:) == '.', 'a text')
  call expect(acp_pick(7, 2) == 5 .and. acp_pick(3_acp_box_t) == 3, 'a macro of two functions')
  call expect(acp_put_box('ab ', c_loc(word), 4_c_size_t, 2_c_size_t) == 10 .and. acp_watch(c_loc(word)) == 1, 'an address')
  call expect(acp_put_box('ab', word, 4_c_size_t, 1_c_size_t) == 6 .and. acp_watch(word) == 1, 'a variable')
  call expect(acp_put_box('a', numbers, 4_c_size_t, 6_c_size_t) == 25 .and. acp_watch(c_loc(numbers)) == 1, 'an array')
  call expect(acp_watch(numbers(2:)) == 0 .and. acp_watch(acp_address(numbers)) == 1, 'another address')
  call expect(acp_put_box('a', table, 8_c_size_t, 2_c_size_t) == 0 .and. acp_watch(table) == -1, 'an array that is refused')
  call expect(acp_put_box('ab', word, 4, 1) == 6 .and. acp_put_box('ab', word, 4_c_size_t, 1) == 6, 'sizes of default kind')
  call expect(acp_put_box('ab ', c_loc(word), 4, 2_c_size_t) == 10, 'a size of default kind and an address')
  call expect(nint(acp_weigh([1, 2], [3, 4], 2, 2.0)) == 22, 'all numbers of default kind')
  call expect(nint(acp_weigh([1_c_int64_t, 2_c_int64_t], [3_c_int64_t, 4_c_int64_t], 2, 2d0)) == 22, 'one of default kind')
  call expect(nint(acp_weigh([1, 2], [3, 4], 2_c_int64_t, factor=-1.0)) == -11, 'arrays of default kind')
  call acp_note('four ', -5, word)
  call expect(word == -1, 'a subroutine')

contains

  subroutine expect(what, name)
    logical, intent(in) :: what
    character(*), intent(in) :: name
    if (.not. what) print '(a)', 'wrong: ' // name
  end subroutine expect

end program fixture
