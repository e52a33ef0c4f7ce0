// Many keys or elements in one call. find.c and change.c process keys in mapped memory; Go processes other keys, and
// all elements. A call with one key is a call of the function for one key, as far as C can: it is as fast, and reports
// failures otherwise.

#include "_cgo_export.h"
#include "acp.h"
#include "change.h"
#include "find.h"

// Passes the keys that HERE has left, in a struct goacp_keys k, to Go. Go also gets the other arguments. The call of
// Go follows GO.
#define HERE_AND(here, go)                                                     \
  struct goacp_keys k;                                                         \
  int done = here;                                                             \
  return goacp_end_keys(&k, done, goacp_keys_left(&k) ? go : 0)

// An element of the program. It may have just written the words. A load of two words would wait until they are in the
// cache, so each is loaded alone.
static inline acp_element_t element_at(const volatile acp_element_t *at) { return (acp_element_t){at->ga, at->size}; }

// Stores the result of a call with one key, if the program wants it, and returns it.
static inline int only_result(int *results, int result) {
  if (results != NULL)
    *results = result;
  return result;
}

// Functions that sets, multisets and maps have in common. member is the handle in an iterator. cgo does not support
// const.
#define MANY_KEYS(name, member, kind)                                          \
  static inline struct goacp_tables name##_in(acp_##name##_t t) {              \
    return (struct goacp_tables){t.ga, t.num_ranks, t.num_slots};              \
  }                                                                            \
                                                                               \
  GOACP_RARE int remove_many_##name(acp_##name##_t member, const acp_element_t *keys, \
                                    int count, int *results) {                 \
    HERE_AND(goacp_try_remove_many(&k, kind, name##_in(member), keys, count, results), \
             GO_FOR("acp_remove_many_" #name, remove_many,                     \
                    (kind, name##_in(member), (acp_element_t *)keys, count,    \
                     results, k.left, k.n_left),                               \
                    member, keys, count, results));                            \
  }                                                                            \
                                                                               \
  int acp_remove_many_##name(acp_##name##_t member, const acp_element_t *keys, \
                             int count, int *results) {                        \
    int removed;                                                               \
    if (count == 1 && keys != NULL &&                                          \
        goacp_try_remove(kind, name##_in(member), element_at(keys), 1, &removed)) \
      return only_result(results, removed);                                    \
    return BY_GO(remove_many_##name(member, keys, count, results));            \
  }                                                                            \
                                                                               \
  GOACP_RARE int find_many_##name(acp_##name##_t member, const acp_element_t *keys, \
                                  int count, acp_##name##_it_t *its) {         \
    HERE_AND(goacp_try_find_many(&k, kind, name##_in(member), keys, count,     \
                                 (struct goacp_table_it *)its),                \
             GO_FOR("acp_find_many_" #name, find_many,                         \
                    (kind, name##_in(member), (acp_element_t *)keys, count,    \
                     (struct goacp_table_it *)its, k.left, k.n_left),          \
                    member, keys, count, its));                                \
  }                                                                            \
                                                                               \
  int acp_find_many_##name(acp_##name##_t member, const acp_element_t *keys,   \
                           int count, acp_##name##_it_t *its) {                \
    if (count == 1 && keys != NULL && its != NULL &&                           \
        goacp_try_find(kind, name##_in(member), element_at(keys),              \
                       (struct goacp_table_it *)its))                          \
      return ((struct goacp_table_it *)its)->elem != ACP_GA_NULL;              \
    return BY_GO(find_many_##name(member, keys, count, its));                  \
  }

#define INSERT_MANY(name, kind)                                                \
  GOACP_RARE int insert_many_##name(acp_##name##_t set, const acp_element_t *keys, \
                                    int count, int *results) {                 \
    HERE_AND(goacp_try_add_many(&k, kind, name##_in(set), keys, 1, count, results), \
             GO_FOR("acp_insert_many_" #name, insert_many,                     \
                    (kind, name##_in(set), (acp_element_t *)keys, count,       \
                     results, k.left, k.n_left),                               \
                    set, keys, count, results));                               \
  }                                                                            \
                                                                               \
  int acp_insert_many_##name(acp_##name##_t set, const acp_element_t *keys,    \
                             int count, int *results) {                        \
    int added;                                                                 \
    if (count == 1 && keys != NULL &&                                          \
        goacp_try_add(kind, name##_in(set), element_at(keys),                  \
                      (acp_element_t){ACP_GA_NULL, 0}, &added))                \
      return only_result(results, added);                                      \
    return BY_GO(insert_many_##name(set, keys, count, results));               \
  }

MANY_KEYS(set, set, GOACP_SET)
MANY_KEYS(multiset, set, GOACP_MULTISET)
MANY_KEYS(map, map, GOACP_MAP)
INSERT_MANY(set, GOACP_SET)
INSERT_MANY(multiset, GOACP_MULTISET)

GOACP_RARE int insert_many_map(acp_map_t map, const acp_pair_t *pairs, int count, int *results) {
  HERE_AND(goacp_try_add_many(&k, GOACP_MAP, map_in(map), (const acp_element_t *)pairs, 2, count,
                              results),
           GO_FOR("acp_insert_many_map", insert_many_map,
                  (map_in(map), (acp_pair_t *)pairs, count, results, k.left, k.n_left), map, pairs,
                  count, results));
}

int acp_insert_many_map(acp_map_t map, const acp_pair_t *pairs, int count, int *results) {
  int added;
  if (count == 1 && pairs != NULL &&
      goacp_try_add(GOACP_MAP, map_in(map), element_at(&pairs->first), element_at(&pairs->second), &added))
    return only_result(results, added);
  return BY_GO(insert_many_map(map, pairs, count, results));
}

GOACP_RARE int retrieve_many_multiset(acp_multiset_t set, const acp_element_t *keys, int count,
                                      uint64_t *times) {
  HERE_AND(goacp_try_times_many(&k, multiset_in(set), keys, count, times),
           GO_FOR("acp_retrieve_many_multiset", retrieve_many_multiset,
                  (multiset_in(set), (acp_element_t *)keys, count, times, k.left, k.n_left), set,
                  keys, count, times));
}

int acp_retrieve_many_multiset(acp_multiset_t set, const acp_element_t *keys, int count,
                               uint64_t *times) {
  if (count == 1 && keys != NULL && times != NULL && goacp_try_times(multiset_in(set), element_at(keys), times))
    return *times != 0;
  return BY_GO(retrieve_many_multiset(set, keys, count, times));
}

GOACP_RARE int retrieve_many_map(acp_map_t map, const acp_pair_t *pairs, int count, size_t *sizes) {
  HERE_AND(goacp_try_retrieve_many(&k, map_in(map), pairs, count, sizes),
           GO_FOR("acp_retrieve_many_map", retrieve_many_map,
                  (map_in(map), (acp_pair_t *)pairs, count, sizes, k.left, k.n_left), map, pairs,
                  count, sizes));
}

int acp_retrieve_many_map(acp_map_t map, const acp_pair_t *pairs, int count, size_t *sizes) {
  size_t copied;
  if (count != 1 || pairs == NULL || pairs->second.size == 0 ||
      !goacp_try_retrieve(map_in(map), element_at(&pairs->first), element_at(&pairs->second), &copied))
    return BY_GO(retrieve_many_map(map, pairs, count, sizes));
  if (sizes != NULL)
    *sizes = copied;
  return copied != 0;
}

// The ends of vectors and deques.
#define MANY_BYTES(end, kind, is_deque, is_front)                              \
  int acp_push_##end##_many_##kind(acp_##kind##_t kind, const acp_element_t *elems, \
                                   int count) {                                \
    return GO_WITH(push_many, (is_deque, is_front, kind.ga, (acp_element_t *)elems, count), \
                   kind, elems, count);                                        \
  }                                                                            \
                                                                               \
  int64_t acp_pop_##end##_many_##kind(acp_##kind##_t kind,                     \
                                      const acp_element_t *elems, int count) { \
    return GO_WITH(pop_many, (is_deque, is_front, kind.ga, (acp_element_t *)elems, count), \
                   kind, elems, count);                                        \
  }

MANY_BYTES(back, vector, 0, 0)
MANY_BYTES(back, deque, 1, 0)
MANY_BYTES(front, deque, 1, 1)

#define MANY_OF_LIST(end, is_front)                                            \
  int acp_push_##end##_many_list(acp_list_t list, const acp_element_t *elems,  \
                                 int count, int rank) {                        \
    return GO_WITH(push_many_list,                                             \
                   (list, is_front, (acp_element_t *)elems, count, rank), list, \
                   elems, count, rank);                                        \
  }                                                                            \
                                                                               \
  int acp_pop_##end##_many_list(acp_list_t list, const acp_element_t *elems,   \
                                int count, size_t *sizes) {                    \
    return GO_WITH(pop_many_list,                                              \
                   (list, is_front, (acp_element_t *)elems, count, sizes), list, \
                   elems, count, sizes);                                       \
  }

MANY_OF_LIST(back, 0)
MANY_OF_LIST(front, 1)
