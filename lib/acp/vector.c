// Vectors. C computes with iterators, and sequence.c does what needs no new storage; Go does everything
// else.

#include "_cgo_export.h"
#include "acp.h"
#include "sequence.h"

#include <limits.h>

void acp_assign_vector(acp_vector_t vector1, acp_vector_t vector2) {
  GO(assign_vector, vector1, vector2);
}

void acp_assign_range_vector(acp_vector_t vector, acp_vector_it_t start, acp_vector_it_t end) {
  GO(assign_range_vector, vector, start, end);
}

acp_ga_t acp_at_vector(acp_vector_t vector, int offset) {
  acp_ga_t ga;
  return goacp_locate_here(vector.ga, GOACP_IS_VECTOR, offset, &ga) ? ga : GO(at_vector, vector, offset);
}

acp_vector_it_t acp_begin_vector(acp_vector_t vector) {
  return (acp_vector_it_t){vector, 0};
}

size_t acp_capacity_vector(acp_vector_t vector) {
  uint64_t size, capacity;
  return goacp_state_here(vector.ga, GOACP_IS_VECTOR, &size, &capacity) ? capacity : GO(capacity_vector, vector);
}

void acp_clear_vector(acp_vector_t vector) { GO(clear_vector, vector); }

acp_vector_t acp_create_vector(size_t size, int rank) {
  return GO(create_vector, size, rank);
}

void acp_destroy_vector(acp_vector_t vector) { GO(destroy_vector, vector); }

int acp_empty_vector(acp_vector_t vector) {
  uint64_t size, capacity;
  return goacp_state_here(vector.ga, GOACP_IS_VECTOR, &size, &capacity) ? size == 0 : GO(empty_vector, vector);
}

acp_vector_it_t acp_end_vector(acp_vector_t vector) {
  uint64_t size, capacity;
  if (goacp_state_here(vector.ga, GOACP_IS_VECTOR, &size, &capacity) && size <= INT_MAX)
    return (acp_vector_it_t){vector, (int)size};
  return GO(end_vector, vector);
}

acp_vector_it_t acp_erase_vector(acp_vector_it_t it, size_t size) {
  return GO(erase_vector, it, size);
}

acp_vector_it_t acp_erase_range_vector(acp_vector_it_t start, acp_vector_it_t end) {
  return GO(erase_range_vector, start, end);
}

acp_vector_it_t acp_insert_vector(acp_vector_it_t it, const acp_ga_t ga, size_t size) {
  return GO(insert_vector, it, ga, size);
}

acp_vector_it_t acp_insert_range_vector(acp_vector_it_t it, acp_vector_it_t start, acp_vector_it_t end) {
  return GO(insert_range_vector, it, start, end);
}

void acp_pop_back_vector(acp_vector_t vector, size_t size) {
  if (!goacp_pop_here(vector.ga, GOACP_IS_VECTOR, GOACP_BACK, size))
    GO(pop_back_vector, vector, size);
}

void acp_push_back_vector(acp_vector_t vector, const acp_ga_t ga, size_t size) {
  if (!goacp_push_here(vector.ga, GOACP_IS_VECTOR, GOACP_BACK, ga, size))
    GO(push_back_vector, vector, ga, size);
}

void acp_reserve_vector(acp_vector_t vector, size_t size) {
  GO(reserve_vector, vector, size);
}

size_t acp_size_vector(acp_vector_t vector) {
  uint64_t size, capacity;
  return goacp_state_here(vector.ga, GOACP_IS_VECTOR, &size, &capacity) ? size
                                                                        : GO(size_vector, vector);
}

void acp_swap_vector(acp_vector_t vector1, acp_vector_t vector2) {
  GO(swap_vector, vector1, vector2);
}

acp_vector_it_t acp_advance_vector_it(acp_vector_it_t it, int n) {
  it.index += n;
  return it;
}

acp_ga_t acp_dereference_vector_it(acp_vector_it_t it) {
  acp_ga_t ga;
  return goacp_locate_here(it.vector.ga, GOACP_IS_VECTOR, it.index, &ga)
             ? ga
             : GO(dereference_vector_it, it);
}

int acp_distance_vector_it(acp_vector_it_t first, acp_vector_it_t last) {
  return last.index - first.index;
}
