// Vectors and deques. C computes with iterators, and sequence.c has the operations that need no new storage; Go does
// everything else, with one implementation for both. The types of their handles differ only in their names.

#include "_cgo_export.h"
#include "acp.h"
#include "sequence.h"

#include <limits.h>

// The result of a function: from C if it finds the size and the capacity, otherwise from Go.
#define BY_STATE(handle, kind, here, go)                                       \
  uint64_t size, capacity;                                                     \
  return goacp_try_state(handle.ga, kind, &size, &capacity) ? (here) : (go)

// An iterator of an index that depends on the size, if C finds that.
#define BY_SIZE(type, handle, kind, at)                                        \
  uint64_t size, capacity;                                                     \
  if (goacp_try_state(handle.ga, kind, &size, &capacity) && size <= INT_MAX)  \
    return (type) { handle, at }

// The functions that both have.
#define SEQUENCES(name, kind)                                                  \
  static inline struct goacp_sequence_it name##_it_in(acp_##name##_it_t it) {  \
    return (struct goacp_sequence_it){it.name.ga, it.index};                   \
  }                                                                            \
  static inline acp_##name##_it_t name##_it_out(struct goacp_sequence_it it) { \
    return (acp_##name##_it_t){{it.ga}, it.index};                             \
  }                                                                            \
                                                                               \
  acp_##name##_t acp_create_##name(size_t size, int rank) {                    \
    return (acp_##name##_t){                                                   \
        GO_WITH(create_sequence, (kind, size, rank), size, rank)};             \
  }                                                                            \
                                                                               \
  void acp_destroy_##name(acp_##name##_t name) {                               \
    GO_WITH(destroy_sequence, (kind, name.ga), name);                          \
  }                                                                            \
                                                                               \
  void acp_clear_##name(acp_##name##_t name) {                                 \
    GO_WITH(clear_sequence, (kind, name.ga), name);                            \
  }                                                                            \
                                                                               \
  void acp_reserve_##name(acp_##name##_t name, size_t size) {                  \
    GO_WITH(reserve_sequence, (kind, name.ga, size), name, size);              \
  }                                                                            \
                                                                               \
  void acp_assign_##name(acp_##name##_t name##1, acp_##name##_t name##2) {     \
    GO_WITH(assign_sequence, (kind, (name##1).ga, (name##2).ga), name##1, name##2);\
  }                                                                            \
                                                                               \
  void acp_assign_range_##name(acp_##name##_t name, acp_##name##_it_t start,   \
                               acp_##name##_it_t end) {                        \
    GO_WITH(assign_range_sequence,                                             \
            (kind, name.ga, name##_it_in(start), name##_it_in(end)),           \
            name, start, end);                                                 \
  }                                                                            \
                                                                               \
  void acp_swap_##name(acp_##name##_t name##1, acp_##name##_t name##2) {       \
    GO_WITH(swap_sequence, (kind, (name##1).ga, (name##2).ga), name##1, name##2);  \
  }                                                                            \
                                                                               \
  size_t acp_size_##name(acp_##name##_t name) {                                \
    BY_STATE(name, kind, size,                                                 \
             GO_WITH(size_sequence, (kind, name.ga), name));                   \
  }                                                                            \
                                                                               \
  size_t acp_capacity_##name(acp_##name##_t name) {                            \
    BY_STATE(name, kind, capacity,                                             \
             GO_WITH(capacity_sequence, (kind, name.ga), name));               \
  }                                                                            \
                                                                               \
  int acp_empty_##name(acp_##name##_t name) {                                  \
    BY_STATE(name, kind, size == 0,                                            \
             GO_WITH(empty_sequence, (kind, name.ga), name));                  \
  }                                                                            \
                                                                               \
  acp_ga_t acp_at_##name(acp_##name##_t name, int offset) {                    \
    acp_ga_t ga;                                                               \
    return goacp_try_locate(name.ga, kind, offset, &ga)                       \
               ? ga                                                            \
               : GO_WITH(at_sequence, (kind, name.ga, offset), name, offset);  \
  }                                                                            \
                                                                               \
  acp_##name##_it_t acp_begin_##name(acp_##name##_t name) {                    \
    return (acp_##name##_it_t){name, 0};                                       \
  }                                                                            \
                                                                               \
  acp_##name##_it_t acp_end_##name(acp_##name##_t name) {                      \
    BY_SIZE(acp_##name##_it_t, name, kind, (int)size);                         \
    return name##_it_out(GO_WITH(end_sequence, (kind, name.ga), name));        \
  }                                                                            \
                                                                               \
  acp_##name##_it_t acp_insert_##name(acp_##name##_it_t it, const acp_ga_t ga, \
                                      size_t size) {                           \
    return name##_it_out(GO_WITH(insert_sequence,                              \
                                 (kind, name##_it_in(it), ga, size),           \
                                 it, ga, size));                               \
  }                                                                            \
                                                                               \
  acp_##name##_it_t acp_insert_range_##name(acp_##name##_it_t it,              \
                                            acp_##name##_it_t start,           \
                                            acp_##name##_it_t end) {           \
    return name##_it_out(GO_WITH(insert_range_sequence,                        \
                                 (kind, name##_it_in(it), name##_it_in(start), \
                                  name##_it_in(end)),                          \
                                 it, start, end));                             \
  }                                                                            \
                                                                               \
  acp_##name##_it_t acp_erase_##name(acp_##name##_it_t it, size_t size) {      \
    return name##_it_out(GO_WITH(erase_sequence,                               \
                                 (kind, name##_it_in(it), size), it, size));   \
  }                                                                            \
                                                                               \
  acp_##name##_it_t acp_erase_range_##name(acp_##name##_it_t start,            \
                                           acp_##name##_it_t end) {            \
    return name##_it_out(GO_WITH(erase_range_sequence,                         \
                                 (kind, name##_it_in(start),                   \
                                  name##_it_in(end)),                          \
                                 start, end));                                 \
  }                                                                            \
                                                                               \
  acp_##name##_it_t acp_advance_##name##_it(acp_##name##_it_t it, int n) {     \
    it.index += n;                                                             \
    return it;                                                                 \
  }                                                                            \
                                                                               \
  int acp_distance_##name##_it(acp_##name##_it_t first,                        \
                               acp_##name##_it_t last) {                       \
    return last.index - first.index;                                           \
  }                                                                            \
                                                                               \
  END(back, BACK, name, kind)

// The functions for one end.
#define END(verb, which, name, kind)                                           \
  void acp_push_##verb##_##name(acp_##name##_t name, const acp_ga_t ga,        \
                                size_t size) {                                 \
    if (!goacp_try_push(name.ga, kind, GOACP_##which, ga, size))              \
      GO_WITH(push_sequence, (kind, GOACP_##which, name.ga, ga, size),         \
              name, ga, size);                                                 \
  }                                                                            \
                                                                               \
  void acp_pop_##verb##_##name(acp_##name##_t name, size_t size) {             \
    if (!goacp_try_pop(name.ga, kind, GOACP_##which, size))                   \
      GO_WITH(pop_sequence, (kind, GOACP_##which, name.ga, size), name, size); \
  }

SEQUENCES(vector, GOACP_IS_VECTOR)
SEQUENCES(deque, GOACP_IS_DEQUE)
END(front, FRONT, deque, GOACP_IS_DEQUE)

acp_deque_it_t acp_front_deque(acp_deque_t deque) { return (acp_deque_it_t){deque, -1}; }

acp_deque_it_t acp_back_deque(acp_deque_t deque) {
  BY_SIZE(acp_deque_it_t, deque, GOACP_IS_DEQUE, (int)size - 1);
  return deque_it_out(GO_WITH(back_deque, (deque.ga), deque));
}

acp_ga_t acp_dereference_vector_it(acp_vector_it_t it) {
  acp_ga_t ga;
  return goacp_try_locate(it.vector.ga, GOACP_IS_VECTOR, it.index, &ga)
             ? ga
             : GO_WITH(dereference_vector_it, (vector_it_in(it)), it);
}

acp_pair_t (acp_dereference_deque_it)(acp_deque_it_t it, size_t size) {
  return GO_WITH(dereference_deque_it, (deque_it_in(it), size), it, size);
}

acp_ga_t goacp_deque_it_ga(acp_deque_it_t it) {
  goacp_site = GOACP_SITE_;
  return GO_FOR("acp_dereference_deque_it", dereference_deque_it, (deque_it_in(it), 1), it).first.ga;
}
