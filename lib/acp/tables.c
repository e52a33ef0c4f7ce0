// Sets, multisets and maps. find.c looks up keys, and change.c inserts and removes them; Go does everything else,
// with one implementation for all three. The types of their handles differ only in their names.

#include "_cgo_export.h"
#include "acp.h"
#include "change.h"
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
    struct goacp_tables t = GO_WITH(                                           \
        create_tables, (kind, num_ranks, (int *)ranks, num_slots, rank),       \
        num_ranks, ranks, num_slots, rank);                                    \
    return (acp_##name##_t){t.ga, t.num_ranks, t.num_slots};                   \
  }                                                                            \
                                                                               \
  WHOLE(destroy, name, member, kind, GOACP_DESTROY)                            \
  WHOLE(clear, name, member, kind, GOACP_CLEAR)                                \
  BOTH(assign, name, member, kind, GOACP_ASSIGN)                               \
  BOTH(assign_local, name, member, kind, GOACP_ASSIGN_LOCAL)                   \
  BOTH(merge, name, member, kind, GOACP_MERGE)                                 \
  BOTH(merge_local, name, member, kind, GOACP_MERGE_LOCAL)                     \
  BOTH(move, name, member, kind, GOACP_MOVE)                                   \
  BOTH(move_local, name, member, kind, GOACP_MOVE_LOCAL)                       \
  BOTH(swap, name, member, kind, GOACP_EXCHANGE)                               \
  PLACE(begin, name, member, kind, GOACP_BEGIN)                                \
  PLACE(begin_local, name, member, kind, GOACP_BEGIN_LOCAL)                    \
  PLACE(end_local, name, member, kind, GOACP_END_LOCAL)                        \
  NUMBER(size_t, size, name, member, kind, GOACP_SIZE)                         \
  NUMBER(size_t, size_local, name, member, kind, GOACP_SIZE_LOCAL)             \
  NUMBER(int, empty, name, member, kind, GOACP_EMPTY)                          \
  NUMBER(int, empty_local, name, member, kind, GOACP_EMPTY_LOCAL)              \
                                                                               \
  acp_##name##_it_t acp_end_##name(acp_##name##_t t) {                         \
    return (acp_##name##_it_t){t, (int)t.num_ranks, 0, ACP_GA_NULL};           \
  }                                                                            \
                                                                               \
  acp_##name##_it_t acp_find_##name(acp_##name##_t member, acp_element_t key) {\
    struct goacp_table_it found;                                               \
    if (!goacp_try_find(kind, name##_in(member), key, &found))                \
      found = GO_WITH(find_table, (kind, name##_in(member), key), member, key);\
    return name##_it_out(member, found);                                       \
  }                                                                            \
                                                                               \
  void acp_remove_##name(acp_##name##_t member, acp_element_t key) {           \
    int removed;                                                               \
    if (!goacp_try_remove(kind, name##_in(member), key, 1, &removed))          \
      GO_WITH(remove_table, (kind, name##_in(member), key, 0), member, key);   \
  }                                                                            \
                                                                               \
  acp_##name##_it_t acp_increment_##name##_it(acp_##name##_it_t it) {          \
    return name##_it_out(it.member,                                            \
                         GO_WITH(increment_table, (kind, name##_it_in(it)), it));\
  }

#define WHOLE(verb, name, member, kind, what)                                  \
  void acp_##verb##_##name(acp_##name##_t member) {                            \
    GO_WITH(whole_table, (kind, what, name##_in(member)), member);             \
  }

#define BOTH(verb, name, member, kind, what)                                   \
  void acp_##verb##_##name(acp_##name##_t member##1, acp_##name##_t member##2) {\
    GO_WITH(both_tables,                                                       \
            (kind, what, name##_in(member##1), name##_in(member##2)),          \
            member##1, member##2);                                             \
  }

#define PLACE(verb, name, member, kind, what)                                  \
  acp_##name##_it_t acp_##verb##_##name(acp_##name##_t member) {               \
    return name##_it_out(                                                      \
        member,                                                                \
        GO_WITH(place_table, (kind, what, name##_in(member)), member));        \
  }

#define NUMBER(type, verb, name, member, kind, what)                           \
  type acp_##verb##_##name(acp_##name##_t member) {                            \
    return (type)GO_WITH(number_table, (kind, what, name##_in(member)), member);\
  }

TABLES(set, set, GOACP_SET)
TABLES(multiset, set, GOACP_MULTISET)
TABLES(map, map, GOACP_MAP)

WHOLE(clear_local, set, set, GOACP_SET, GOACP_CLEAR_LOCAL)
WHOLE(clear_local, map, map, GOACP_MAP, GOACP_CLEAR_LOCAL)

int acp_insert_set(acp_set_t set, acp_element_t key) {
  int added;
  return goacp_try_add(GOACP_SET, set_in(set), key, (acp_element_t){ACP_GA_NULL, 0}, &added)
             ? 1
             : GO_WITH(insert_set, (set_in(set), key), set, key);
}

int acp_insert_multiset(acp_multiset_t set, acp_element_t key) {
  int added;
  return goacp_try_add(GOACP_MULTISET, multiset_in(set), key, (acp_element_t){ACP_GA_NULL, 0}, &added)
             ? 1
             : GO_WITH(insert_multiset, (multiset_in(set), key), set, key);
}

int acp_insert_map(acp_map_t map, acp_pair_t pair) {
  int added;
  return goacp_try_add(GOACP_MAP, map_in(map), pair.first, pair.second, &added)
             ? added
             : GO_WITH(insert_map, (map_in(map), pair), map, pair);
}

void acp_remove_all_multiset(acp_multiset_t set, acp_element_t key) {
  int removed;
  if (!goacp_try_remove(GOACP_MULTISET, multiset_in(set), key, UINT64_MAX, &removed))
    GO_WITH(remove_table, (GOACP_MULTISET, multiset_in(set), key, 1), set, key);
}

uint64_t acp_retrieve_multiset(acp_multiset_t set, acp_element_t key) {
  uint64_t times;
  return goacp_try_times(multiset_in(set), key, &times)
             ? times
             : GO_WITH(retrieve_multiset, (multiset_in(set), key), set, key);
}

size_t acp_retrieve_map(acp_map_t map, acp_pair_t pair) {
  size_t copied;
  return goacp_try_retrieve(map_in(map), pair.first, pair.second, &copied)
             ? copied
             : GO_WITH(retrieve_map, (map_in(map), pair), map, pair);
}

acp_element_t acp_dereference_set_it(acp_set_it_t it) {
  return GO_WITH(dereference_table, (GOACP_SET, set_it_in(it)), it).first;
}

acp_element_t acp_dereference_multiset_it(acp_multiset_it_t it) {
  return GO_WITH(dereference_table, (GOACP_MULTISET, multiset_it_in(it)), it).first;
}

acp_pair_t acp_dereference_map_it(acp_map_it_t it) {
  return GO_WITH(dereference_table, (GOACP_MAP, map_it_in(it)), it);
}
