// The data structures of acp.h, with the calls for single elements.

#include "every.h"

static void vectors(void) {
  acp_vector_t v = acp_create_vector(0, peer), w = acp_create_vector(3, me);
  CHECK(v.ga != ACP_GA_NULL && acp_empty_vector(v));
  acp_reserve_vector(v, 64);
  CHECK(acp_capacity_vector(v) >= 64);
  acp_element_t e = bytes(0, "abcdef");
  acp_push_back_vector(v, e.ga, e.size);
  acp_pop_back_vector(v, 2);
  acp_vector_it_t begin = acp_begin_vector(v), end = acp_end_vector(v);
  CHECK(acp_distance_vector_it(begin, end) == 4 && acp_size_vector(v) == 4);
  CHECK(acp_at_vector(v, 1) == acp_dereference_vector_it(acp_advance_vector_it(begin, 1)));
  acp_assign_vector(w, v);
  CHECK(memcmp(acp_query_address(acp_at_vector(w, 0)), "abcd", 4) == 0);
  acp_assign_range_vector(w, acp_advance_vector_it(begin, 2), end);
  acp_insert_vector(acp_begin_vector(w), e.ga, 1);
  acp_insert_range_vector(acp_end_vector(w), begin, acp_advance_vector_it(begin, 2));
  CHECK(memcmp(acp_query_address(acp_at_vector(w, 0)), "acdab", 5) == 0);
  acp_erase_vector(acp_begin_vector(w), 1);
  acp_erase_range_vector(acp_begin_vector(w), acp_advance_vector_it(acp_begin_vector(w), 1));
  acp_swap_vector(v, w);
  CHECK(acp_size_vector(v) == 3 && acp_size_vector(w) == 4);
  acp_clear_vector(v);
  CHECK(acp_size_vector(v) == 0);
  acp_destroy_vector(v);
  acp_destroy_vector(w);
}

static void deques(void) {
  acp_deque_t d = acp_create_deque(8, peer), f = acp_create_deque(0, me);
  CHECK(d.ga != ACP_GA_NULL && acp_empty_deque(d));
  acp_reserve_deque(d, 16);
  CHECK(acp_capacity_deque(d) >= 16);
  acp_element_t e = bytes(0, "abcdef");
  acp_push_back_deque(d, e.ga, 4);
  acp_push_front_deque(d, e.ga + 4, 2);
  acp_pop_back_deque(d, 1);
  acp_pop_front_deque(d, 1); // "fabc"
  acp_deque_it_t begin = acp_begin_deque(d), end = acp_end_deque(d);
  CHECK(acp_distance_deque_it(begin, end) == 4 && acp_size_deque(d) == 4);
  CHECK(acp_advance_deque_it(acp_front_deque(d), 1).index == begin.index);
  CHECK(acp_advance_deque_it(acp_back_deque(d), 1).index == end.index);
  acp_pair_t where = acp_dereference_deque_it(begin, 4);
  CHECK(where.first.ga == acp_at_deque(d, 0) && where.first.size + where.second.size == 4);
  CHECK(acp_dereference_deque_it(begin) == where.first.ga);
  acp_assign_deque(f, d);
  CHECK(memcmp(acp_query_address(acp_at_deque(f, 0)), "fabc", 4) == 0);
  acp_assign_range_deque(f, begin, acp_advance_deque_it(begin, 2));
  acp_insert_deque(acp_begin_deque(f), e.ga, 1);
  acp_insert_range_deque(acp_end_deque(f), begin, end); // "afafabc"
  acp_erase_deque(acp_begin_deque(f), 2);
  acp_erase_range_deque(acp_begin_deque(f), acp_advance_deque_it(acp_begin_deque(f), 1));
  CHECK(acp_size_deque(f) == 4);
  acp_swap_deque(d, f);
  acp_clear_deque(d);
  CHECK(acp_size_deque(d) == 0 && acp_size_deque(f) == 4);
  acp_destroy_deque(d);
  acp_destroy_deque(f);
}

// Compares elements by their first byte, which may be on another rank.
static int by_first(const acp_element_t a, const acp_element_t b) {
  acp_complete(acp_copy(scratch + 512, a.ga, 1, ACP_HANDLE_NULL));
  acp_complete(acp_copy(scratch + 513, b.ga, 1, ACP_HANDLE_NULL));
  return (int)here[512] - (int)here[513];
}

static void push_all(acp_list_t list, const char *text) {
  for (; *text != 0; text++) {
    char one[2] = {*text, 0};
    acp_push_back_list(list, bytes(0, one), *text % 2 == 0 ? me : peer);
  }
}

static void expect(acp_list_t list, const char *text) {
  CHECK(acp_size_list(list) == strlen(text));
  acp_list_it_t it = acp_begin_list(list);
  for (; *text != 0; text++, it = acp_increment_list_it(it)) {
    acp_element_t e = acp_dereference_list_it(it);
    acp_complete(acp_copy(scratch + 512, e.ga, 1, ACP_HANDLE_NULL));
    CHECK(e.size == 1 && here[512] == (unsigned char)*text);
  }
  CHECK(it.elem == acp_end_list(list).elem);
}

static void lists(void) {
  acp_list_t l = acp_create_list(peer), m = acp_create_list(me);
  CHECK(l.ga != ACP_GA_NULL && acp_empty_list(l));
  push_all(l, "cab");
  acp_push_front_list(l, bytes(0, "z"), peer);
  acp_push_back_list(l, bytes(0, "z"), peer);
  expect(l, "zcabz");
  acp_pop_front_list(l);
  acp_pop_back_list(l);
  acp_sort_list(l, by_first);
  expect(l, "abc");
  acp_reverse_list(l);
  expect(l, "cba");
  acp_reverse_list(l);
  push_all(m, "bd");
  acp_merge_list(l, m, by_first);
  expect(l, "abbcd");
  expect(m, "");
  acp_unique_list(l);
  expect(l, "abcd");
  acp_assign_list(m, l);
  acp_list_it_t begin = acp_begin_list(m), end = acp_end_list(m);
  CHECK(acp_distance_list_it(begin, end) == 4);
  acp_assign_range_list(l, acp_advance_list_it(begin, 1), acp_decrement_list_it(end));
  expect(l, "bc");
  acp_insert_list(acp_begin_list(l), bytes(0, "x"), me);
  acp_insert_range_list(acp_end_list(l), begin, acp_increment_list_it(begin));
  expect(l, "xbca");
  acp_erase_list(acp_begin_list(l));
  acp_erase_range_list(acp_begin_list(l), acp_increment_list_it(acp_begin_list(l)));
  expect(l, "ca");
  acp_splice_list(acp_begin_list(l), acp_begin_list(m));
  acp_splice_range_list(acp_end_list(l), acp_begin_list(m), acp_end_list(m));
  expect(l, "acabcd");
  acp_remove_list(l, bytes(0, "a"));
  expect(l, "cbcd");
  acp_swap_list(l, m);
  expect(m, "cbcd");
  acp_clear_list(m);
  expect(m, "");
  acp_destroy_list(l);
  acp_destroy_list(m);
}

// What sets and multisets have in common.
#define SETS(kind, twice)                                                      \
  do {                                                                         \
    int ranks[2] = {0, 1};                                                     \
    acp_##kind##_t s = acp_create_##kind(2, ranks, 3, me);                     \
    acp_##kind##_t t = acp_create_##kind(1, ranks, 2, peer);                   \
    CHECK(s.ga != ACP_GA_NULL && acp_empty_##kind(s));                         \
    CHECK(acp_empty_local_##kind(s));                                          \
    CHECK(acp_insert_##kind(s, bytes(0, "a")) == 1);                           \
    CHECK(acp_insert_##kind(s, bytes(0, "a")) == 1);                           \
    CHECK(acp_insert_##kind(s, bytes(0, "b")) == 1);                           \
    CHECK(acp_size_##kind(s) == 2 && acp_size_local_##kind(s) <= 2);           \
    size_t seen = 0, local = 0;                                                \
    acp_##kind##_it_t it = acp_begin_##kind(s), end = acp_end_##kind(s);       \
    for (; it.elem != end.elem; it = acp_increment_##kind##_it(it))            \
      seen += acp_dereference_##kind##_it(it).size;                            \
    it = acp_begin_local_##kind(s);                                            \
    end = acp_end_local_##kind(s);                                             \
    for (; it.elem != end.elem; it = acp_increment_##kind##_it(it))            \
      local++;                                                                 \
    CHECK(seen == 2 && local == acp_size_local_##kind(s));                     \
    CHECK(acp_find_##kind(s, bytes(0, "b")).elem != ACP_GA_NULL);              \
    acp_merge_##kind(t, s);                                                    \
    acp_merge_local_##kind(t, s);                                              \
    CHECK(acp_size_##kind(t) == 2);                                            \
    acp_assign_##kind(t, s);                                                   \
    acp_assign_local_##kind(t, s);                                             \
    CHECK(acp_size_##kind(t) == acp_size_local_##kind(s));                     \
    acp_move_local_##kind(t, s);                                               \
    CHECK(acp_size_local_##kind(s) == 0);                                      \
    acp_move_##kind(t, s);                                                     \
    CHECK(acp_empty_##kind(s) && acp_size_##kind(t) == 2);                     \
    acp_swap_##kind(s, t);                                                     \
    CHECK(acp_empty_##kind(t) && acp_size_##kind(s) == 2);                     \
    twice;                                                                     \
    acp_remove_##kind(s, bytes(0, "b"));                                       \
    CHECK(acp_find_##kind(s, bytes(0, "b")).elem == ACP_GA_NULL);              \
    acp_clear_##kind(s);                                                       \
    CHECK(acp_empty_##kind(s));                                                \
    acp_destroy_##kind(s);                                                     \
    acp_destroy_##kind(t);                                                     \
  } while (0)

static void sets(void) {
  SETS(set, acp_clear_local_set(t));
  SETS(multiset, {
    CHECK(acp_retrieve_multiset(s, bytes(0, "a")) >= 2);
    acp_remove_all_multiset(s, bytes(0, "a"));
    CHECK(acp_retrieve_multiset(s, bytes(0, "a")) == 0);
    while (acp_retrieve_multiset(s, bytes(0, "b")) > 1)
      acp_remove_multiset(s, bytes(0, "b"));
  });
}

static acp_pair_t pair(const char *key, const char *value) {
  acp_pair_t p;
  p.first = bytes(0, key);
  p.second = bytes(256, value);
  return p;
}

static void maps(void) {
  int ranks[2] = {0, 1};
  acp_map_t m = acp_create_map(2, ranks, 3, me), n = acp_create_map(1, ranks, 2, peer);
  CHECK(m.ga != ACP_GA_NULL && acp_empty_map(m) && acp_empty_local_map(m));
  CHECK(acp_insert_map(m, pair("one", "1")) == 1);
  CHECK(acp_insert_map(m, pair("two", "22")) == 1);
  CHECK(acp_insert_map(m, pair("two", "3")) == 0);
  acp_pair_t found = pair("two", "....");
  CHECK(acp_retrieve_map(m, found) == 2 && memcmp(here + 256, "22..", 4) == 0);
  CHECK(acp_size_map(m) == 2 && acp_size_local_map(m) <= 2);
  size_t seen = 0, local = 0;
  acp_map_it_t it = acp_begin_map(m), end = acp_end_map(m);
  for (; it.elem != end.elem; it = acp_increment_map_it(it))
    seen += acp_dereference_map_it(it).second.size;
  it = acp_begin_local_map(m);
  end = acp_end_local_map(m);
  for (; it.elem != end.elem; it = acp_increment_map_it(it))
    local++;
  CHECK(seen == 3 && local == acp_size_local_map(m));
  CHECK(acp_find_map(m, bytes(0, "one")).elem != ACP_GA_NULL);
  acp_merge_map(n, m);
  acp_merge_local_map(n, m);
  CHECK(acp_size_map(n) == 2);
  acp_assign_map(n, m);
  acp_assign_local_map(n, m);
  CHECK(acp_size_map(n) == acp_size_local_map(m));
  acp_move_local_map(n, m);
  acp_move_map(n, m);
  CHECK(acp_empty_map(m) && acp_size_map(n) == 2);
  acp_swap_map(m, n);
  acp_remove_map(m, bytes(0, "two"));
  CHECK(acp_size_map(m) == 1 && acp_empty_map(n));
  acp_clear_local_map(m);
  acp_clear_map(m);
  CHECK(acp_empty_map(m));
  acp_destroy_map(m);
  acp_destroy_map(n);
}

void check_structures(void) {
  vectors();
  deques();
  lists();
  sets();
  maps();
}
