// Sets, multisets and maps: all but finding is Go's, which has one implementation for the
// three. The types of their handles differ by name alone.

#include "_cgo_export.h"
#include "acp.h"
#include "find.h"

// The functions that all three have. member is the handle in an iterator.
#define TABLES(name, member, kind)                                             \
  static inline struct goacp_tables name##_in(acp_##name##_t t) {              \
    return (struct goacp_tables){t.ga, t.num_ranks, t.num_slots};              \
  }                                                                            \
  static inline struct goacp_table_it name##_it_in(acp_##name##_it_t it) {     \
    return (struct goacp_table_it){name##_in(it.member), it.rank, it.slot,     \
                                   it.elem};                                   \
  }                                                                            \
  static inline acp_##name##_it_t name##_it_out(acp_##name##_t t,              \
                                                struct goacp_table_it it) {    \
    return (acp_##name##_it_t){t, it.rank, it.slot, it.elem};                  \
  }                                                                            \
                                                                               \
  acp_##name##_t acp_create_##name(int num_ranks, const int *ranks,            \
                                   int num_slots, int rank) {                  \
    struct goacp_tables t =                                                    \
        GO(create_tables)(kind, num_ranks, (int *)ranks, num_slots, rank);     \
    return (acp_##name##_t){t.ga, t.num_ranks, t.num_slots};                   \
  }                                                                            \
                                                                               \
  WHOLE(destroy, name, kind, GOACP_DESTROY)                                    \
  WHOLE(clear, name, kind, GOACP_CLEAR)                                        \
  BOTH(assign, name, kind, GOACP_ASSIGN)                                       \
  BOTH(assign_local, name, kind, GOACP_ASSIGN_LOCAL)                           \
  BOTH(merge, name, kind, GOACP_MERGE)                                         \
  BOTH(merge_local, name, kind, GOACP_MERGE_LOCAL)                             \
  BOTH(move, name, kind, GOACP_MOVE)                                           \
  BOTH(move_local, name, kind, GOACP_MOVE_LOCAL)                               \
  BOTH(swap, name, kind, GOACP_EXCHANGE)                                       \
  PLACE(begin, name, kind, GOACP_BEGIN)                                        \
  PLACE(begin_local, name, kind, GOACP_BEGIN_LOCAL)                            \
  PLACE(end_local, name, kind, GOACP_END_LOCAL)                                \
  NUMBER(size_t, size, name, kind, GOACP_SIZE)                                 \
  NUMBER(size_t, size_local, name, kind, GOACP_SIZE_LOCAL)                     \
  NUMBER(int, empty, name, kind, GOACP_EMPTY)                                  \
  NUMBER(int, empty_local, name, kind, GOACP_EMPTY_LOCAL)                      \
                                                                               \
  acp_##name##_it_t acp_end_##name(acp_##name##_t t) {                         \
    return (acp_##name##_it_t){t, (int)t.num_ranks, 0, ACP_GA_NULL};           \
  }                                                                            \
                                                                               \
  acp_##name##_it_t acp_find_##name(acp_##name##_t t, acp_element_t key) {     \
    struct goacp_table_it found;                                               \
    if (!goacp_find_here(kind, name##_in(t), key, &found))                     \
      found = GO(find_table)(kind, name##_in(t), key);                         \
    return name##_it_out(t, found);                                            \
  }                                                                            \
                                                                               \
  void acp_remove_##name(acp_##name##_t t, acp_element_t key) {                \
    GO(remove_table)(kind, name##_in(t), key, 0);                              \
  }                                                                            \
                                                                               \
  acp_##name##_it_t acp_increment_##name##_it(acp_##name##_it_t it) {          \
    return name##_it_out(it.member,                                            \
                         GO(increment_table)(kind, name##_it_in(it)));         \
  }

#define WHOLE(verb, name, kind, what)                                          \
  void acp_##verb##_##name(acp_##name##_t t) {                                 \
    GO(whole_table)(kind, what, name##_in(t));                                 \
  }

#define BOTH(verb, name, kind, what)                                           \
  void acp_##verb##_##name(acp_##name##_t t, acp_##name##_t from) {            \
    GO(both_tables)(kind, what, name##_in(t), name##_in(from));                \
  }

#define PLACE(verb, name, kind, what)                                          \
  acp_##name##_it_t acp_##verb##_##name(acp_##name##_t t) {                    \
    return name##_it_out(t, GO(place_table)(kind, what, name##_in(t)));        \
  }

#define NUMBER(type, verb, name, kind, what)                                   \
  type acp_##verb##_##name(acp_##name##_t t) {                                 \
    return (type)GO(number_table)(kind, what, name##_in(t));                   \
  }

TABLES(set, set, GOACP_SET)
TABLES(multiset, set, GOACP_MULTISET)
TABLES(map, map, GOACP_MAP)

WHOLE(clear_local, set, GOACP_SET, GOACP_CLEAR_LOCAL)
WHOLE(clear_local, map, GOACP_MAP, GOACP_CLEAR_LOCAL)

int acp_insert_set(acp_set_t set, acp_element_t key) {
  return GO(insert_set)(set_in(set), key);
}

int acp_insert_multiset(acp_multiset_t set, acp_element_t key) {
  return GO(insert_multiset)(multiset_in(set), key);
}

int acp_insert_map(acp_map_t map, acp_pair_t pair) {
  return GO(insert_map)(map_in(map), pair);
}

void acp_remove_all_multiset(acp_multiset_t set, acp_element_t key) {
  GO(remove_table)(GOACP_MULTISET, multiset_in(set), key, 1);
}

uint64_t acp_retrieve_multiset(acp_multiset_t set, acp_element_t key) {
  return GO(retrieve_multiset)(multiset_in(set), key);
}

size_t acp_retrieve_map(acp_map_t map, acp_pair_t pair) {
  return GO(retrieve_map)(map_in(map), pair);
}

acp_element_t acp_dereference_set_it(acp_set_it_t it) {
  return GO(dereference_table)(GOACP_SET, set_it_in(it)).first;
}

acp_element_t acp_dereference_multiset_it(acp_multiset_it_t it) {
  return GO(dereference_table)(GOACP_MULTISET, multiset_it_in(it)).first;
}

acp_pair_t acp_dereference_map_it(acp_map_it_t it) {
  return GO(dereference_table)(GOACP_MAP, map_it_in(it));
}
