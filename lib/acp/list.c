// Lists. links.c has the operations on one element; Go does everything else.

#include "_cgo_export.h"
#include "acp.h"
#include "links.h"

void acp_assign_list(acp_list_t list1, acp_list_t list2) {
  GO(assign_list, list1, list2);
}

void acp_assign_range_list(acp_list_t list, acp_list_it_t start, acp_list_it_t end) {
  GO(assign_range_list, list, start, end);
}

acp_list_it_t acp_begin_list(acp_list_t list) {
  acp_ga_t first;
  uint64_t n;
  return goacp_try_count(list.ga, &first, &n) ? (acp_list_it_t){list, first} : GO(begin_list, list);
}

void acp_clear_list(acp_list_t list) { GO(clear_list, list); }

acp_list_t acp_create_list(int rank) { return GO(create_list, rank); }

void acp_destroy_list(acp_list_t list) { GO(destroy_list, list); }

int acp_empty_list(acp_list_t list) {
  acp_ga_t first;
  uint64_t n;
  return goacp_try_count(list.ga, &first, &n) ? n == 0 : GO(empty_list, list);
}

acp_list_it_t acp_end_list(acp_list_t list) {
  return (acp_list_it_t){list, list.ga};
}

acp_list_it_t acp_erase_list(acp_list_it_t it) {
  acp_ga_t behind;
  if (it.elem != ACP_GA_NULL && it.elem != it.list.ga && goacp_try_erase(it.list.ga, it.elem, &behind))
    return (acp_list_it_t){it.list, behind};
  return GO(erase_list, it);
}

acp_list_it_t acp_erase_range_list(acp_list_it_t start, acp_list_it_t end) {
  return GO(erase_range_list, start, end);
}

acp_list_it_t acp_insert_list(acp_list_it_t it, const acp_element_t elem, int rank) {
  acp_ga_t made;
  if (it.elem != ACP_GA_NULL && goacp_try_insert(it.list.ga, it.elem, elem, rank, &made))
    return (acp_list_it_t){it.list, made};
  return GO(insert_list, it, elem, rank);
}

acp_list_it_t acp_insert_range_list(acp_list_it_t it, acp_list_it_t start, acp_list_it_t end) {
  return GO(insert_range_list, it, start, end);
}

void acp_merge_list(acp_list_t list1, acp_list_t list2,
                    int (*comp)(const acp_element_t elem1, const acp_element_t elem2)) {
  GO(merge_list, list1, list2, comp);
}

void acp_pop_back_list(acp_list_t list) {
  acp_ga_t behind;
  if (!goacp_try_erase(list.ga, list.ga, &behind))
    GO(pop_back_list, list);
}

void acp_pop_front_list(acp_list_t list) {
  acp_ga_t behind;
  if (!goacp_try_erase(list.ga, ACP_GA_NULL, &behind))
    GO(pop_front_list, list);
}

void acp_push_back_list(acp_list_t list, const acp_element_t elem, int rank) {
  acp_ga_t made;
  if (!goacp_try_insert(list.ga, list.ga, elem, rank, &made))
    GO(push_back_list, list, elem, rank);
}

void acp_push_front_list(acp_list_t list, const acp_element_t elem, int rank) {
  acp_ga_t made;
  if (!goacp_try_insert(list.ga, ACP_GA_NULL, elem, rank, &made))
    GO(push_front_list, list, elem, rank);
}

void acp_remove_list(acp_list_t list, const acp_element_t elem) {
  GO(remove_list, list, elem);
}

void acp_reverse_list(acp_list_t list) { GO(reverse_list, list); }

size_t acp_size_list(acp_list_t list) {
  acp_ga_t first;
  uint64_t n;
  return goacp_try_count(list.ga, &first, &n) ? n : GO(size_list, list);
}

void acp_sort_list(acp_list_t list,
                   int (*comp)(const acp_element_t elem1, const acp_element_t elem2)) {
  GO(sort_list, list, comp);
}

void acp_splice_list(acp_list_it_t it1, acp_list_it_t it2) {
  GO(splice_list, it1, it2);
}

void acp_splice_range_list(acp_list_it_t it, acp_list_it_t start, acp_list_it_t end) {
  GO(splice_range_list, it, start, end);
}

void acp_swap_list(acp_list_t list1, acp_list_t list2) {
  GO(swap_list, list1, list2);
}

void acp_unique_list(acp_list_t list) { GO(unique_list, list); }

acp_list_it_t acp_advance_list_it(acp_list_it_t it, int n) {
  return GO(advance_list_it, it, n);
}

acp_list_it_t acp_decrement_list_it(acp_list_it_t it) {
  acp_ga_t previous;
  if (it.elem != ACP_GA_NULL && goacp_try_previous(it.list.ga, it.elem, &previous))
    return (acp_list_it_t){it.list, previous};
  return GO(decrement_list_it, it);
}

acp_element_t acp_dereference_list_it(acp_list_it_t it) {
  acp_element_t value;
  return goacp_try_value(it.list.ga, it.elem, &value) ? value : GO(dereference_list_it, it);
}

int acp_distance_list_it(acp_list_it_t first, acp_list_it_t last) {
  return GO(distance_list_it, first, last);
}

acp_list_it_t acp_increment_list_it(acp_list_it_t it) {
  acp_ga_t next;
  if (it.elem != ACP_GA_NULL && goacp_try_next(it.list.ga, it.elem, &next))
    return (acp_list_it_t){it.list, next};
  return GO(increment_list_it, it);
}
