// Deques. C computes with iterators, and sequence.c does what needs no new storage; Go does everything
// else.

#include "_cgo_export.h"
#include "acp.h"
#include "sequence.h"

#include <limits.h>

void acp_assign_deque(acp_deque_t deque1, acp_deque_t deque2) {
  GO(assign_deque, deque1, deque2);
}

void acp_assign_range_deque(acp_deque_t deque, acp_deque_it_t start, acp_deque_it_t end) {
  GO(assign_range_deque, deque, start, end);
}

acp_ga_t acp_at_deque(acp_deque_t deque, int offset) {
  acp_ga_t ga;
  return goacp_locate_here(deque.ga, GOACP_IS_DEQUE, offset, &ga) ? ga : GO(at_deque, deque, offset);
}

acp_deque_it_t acp_back_deque(acp_deque_t deque) {
  uint64_t size, capacity;
  if (goacp_state_here(deque.ga, GOACP_IS_DEQUE, &size, &capacity) && size <= INT_MAX)
    return (acp_deque_it_t){deque, (int)size - 1};
  return GO(back_deque, deque);
}

acp_deque_it_t acp_begin_deque(acp_deque_t deque) {
  return (acp_deque_it_t){deque, 0};
}

size_t acp_capacity_deque(acp_deque_t deque) {
  uint64_t size, capacity;
  return goacp_state_here(deque.ga, GOACP_IS_DEQUE, &size, &capacity) ? capacity : GO(capacity_deque, deque);
}

void acp_clear_deque(acp_deque_t deque) { GO(clear_deque, deque); }

acp_deque_t acp_create_deque(size_t size, int rank) {
  return GO(create_deque, size, rank);
}

void acp_destroy_deque(acp_deque_t deque) { GO(destroy_deque, deque); }

int acp_empty_deque(acp_deque_t deque) {
  uint64_t size, capacity;
  return goacp_state_here(deque.ga, GOACP_IS_DEQUE, &size, &capacity) ? size == 0 : GO(empty_deque, deque);
}

acp_deque_it_t acp_end_deque(acp_deque_t deque) {
  uint64_t size, capacity;
  if (goacp_state_here(deque.ga, GOACP_IS_DEQUE, &size, &capacity) && size <= INT_MAX)
    return (acp_deque_it_t){deque, (int)size};
  return GO(end_deque, deque);
}

acp_deque_it_t acp_erase_deque(acp_deque_it_t it, size_t size) {
  return GO(erase_deque, it, size);
}

acp_deque_it_t acp_erase_range_deque(acp_deque_it_t start, acp_deque_it_t end) {
  return GO(erase_range_deque, start, end);
}

acp_deque_it_t acp_front_deque(acp_deque_t deque) {
  return (acp_deque_it_t){deque, -1};
}

acp_deque_it_t acp_insert_deque(acp_deque_it_t it, const acp_ga_t ga, size_t size) {
  return GO(insert_deque, it, ga, size);
}

acp_deque_it_t acp_insert_range_deque(acp_deque_it_t it, acp_deque_it_t start, acp_deque_it_t end) {
  return GO(insert_range_deque, it, start, end);
}

void acp_pop_back_deque(acp_deque_t deque, size_t size) {
  if (!goacp_pop_here(deque.ga, GOACP_IS_DEQUE, GOACP_BACK, size))
    GO(pop_back_deque, deque, size);
}

void acp_pop_front_deque(acp_deque_t deque, size_t size) {
  if (!goacp_pop_here(deque.ga, GOACP_IS_DEQUE, GOACP_FRONT, size))
    GO(pop_front_deque, deque, size);
}

void acp_push_back_deque(acp_deque_t deque, const acp_ga_t ga, size_t size) {
  if (!goacp_push_here(deque.ga, GOACP_IS_DEQUE, GOACP_BACK, ga, size))
    GO(push_back_deque, deque, ga, size);
}

void acp_push_front_deque(acp_deque_t deque, const acp_ga_t ga, size_t size) {
  if (!goacp_push_here(deque.ga, GOACP_IS_DEQUE, GOACP_FRONT, ga, size))
    GO(push_front_deque, deque, ga, size);
}

void acp_reserve_deque(acp_deque_t deque, size_t size) {
  GO(reserve_deque, deque, size);
}

size_t acp_size_deque(acp_deque_t deque) {
  uint64_t size, capacity;
  return goacp_state_here(deque.ga, GOACP_IS_DEQUE, &size, &capacity) ? size : GO(size_deque, deque);
}

void acp_swap_deque(acp_deque_t deque1, acp_deque_t deque2) {
  GO(swap_deque, deque1, deque2);
}

acp_deque_it_t acp_advance_deque_it(acp_deque_it_t it, int n) {
  it.index += n;
  return it;
}

acp_pair_t (acp_dereference_deque_it)(acp_deque_it_t it, size_t size) {
  return GO(dereference_deque_it, it, size);
}

int acp_distance_deque_it(acp_deque_it_t first, acp_deque_it_t last) {
  return last.index - first.index;
}

acp_ga_t goacp_deque_it_ga(acp_deque_it_t it) {
  goacp_site = GOACP_SITE_;
  return GO_FOR("acp_dereference_deque_it", dereference_deque_it, (it, 1), it).first.ga;
}
