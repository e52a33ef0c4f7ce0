// Calls every function of acp.h, between two ranks, and checks a result of each. It is C99 and
// C++17 at the same time.
#include <acp.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(what)                                                            \
  do {                                                                         \
    if (!(what)) {                                                             \
      fprintf(stderr, "%s:%d: rank %d: %s\n", __FILE__, __LINE__, acp_rank(),  \
              #what);                                                          \
      acp_abort("check failed");                                               \
    }                                                                          \
  } while (0)

static int me, peer;
static acp_ga_t scratch;    // global memory of this rank
static unsigned char *here; // the same in this process

static acp_element_t bytes(size_t at, const char *text) {
  acp_element_t e;
  memcpy(here + at, text, strlen(text));
  e.ga = scratch + at;
  e.size = strlen(text);
  return e;
}

static acp_pair_t pair(const char *key, const char *value) {
  acp_pair_t p;
  p.first = bytes(0, key);
  p.second = bytes(256, value);
  return p;
}

static void memory(void) {
  static uint64_t words[8];
  acp_atkey_t key = acp_register_memory(words, sizeof words, acp_colors() - 1);
  CHECK(key != ACP_ATKEY_NULL);
  acp_ga_t ga = acp_query_ga(key, words);
  CHECK(acp_query_rank(ga) == me && acp_query_color(ga) == 0);
  CHECK(acp_query_address(ga) == (void *)words);
  acp_ga_t result = ga + 8;
#define STEP(call) acp_complete(call)
  STEP(acp_add4(result, ga, 5, ACP_HANDLE_NULL));
  STEP(acp_or4(result, ga, 2, ACP_HANDLE_NULL));
  STEP(acp_and4(result, ga, 6, ACP_HANDLE_NULL));
  STEP(acp_xor4(result, ga, 1, ACP_HANDLE_NULL));
  STEP(acp_cas4(result, ga, 7, 9, ACP_HANDLE_NULL));
  STEP(acp_swap4(result, ga, 0, ACP_HANDLE_NULL));
  CHECK((uint32_t)words[1] == 9 && (uint32_t)words[0] == 0);
  STEP(acp_add8(result, ga, 5, ACP_HANDLE_NULL));
  STEP(acp_or8(result, ga, 2, ACP_HANDLE_NULL));
  STEP(acp_and8(result, ga, 6, ACP_HANDLE_NULL));
  STEP(acp_xor8(result, ga, 1, ACP_HANDLE_NULL));
  STEP(acp_cas8(result, ga, 7, 9, ACP_HANDLE_NULL));
  STEP(acp_swap8(result, ga, 3, ACP_HANDLE_ALL));
  CHECK(words[1] == 9 && words[0] == 3);
  acp_handle_t copied = acp_copy(ga + 16, ga, 8, ACP_HANDLE_CONT);
  acp_complete(copied);
  CHECK(acp_inquire(copied) == 0 && words[2] == 3);
  CHECK(acp_unregister_memory(key) == 0);
}

static void channels(void) {
  acp_ch_t ch = acp_create_ch(0, 1), second = acp_create_ch(1, 0);
  acp_request_t requests[2];
  size_t sizes[2];
  char text[8] = "";
  requests[0] = me == 0 ? acp_nbsend_ch(ch, (void *)"hello", 6) : acp_nbrecv_ch(ch, text, sizeof text);
  CHECK(requests[0] != ACP_REQUEST_NULL && ch != ACP_CH_NULL);
  CHECK(acp_waitall_ch(requests, 1, sizes) == 0 && sizes[0] == (me == 0 ? 0u : 6u));
  CHECK(me == 0 || strcmp(text, "hello") == 0);
  requests[1] = acp_nbfree_ch(second);
  CHECK(acp_wait_ch(requests[1]) == 0);
  CHECK(acp_free_ch(ch) == 0);
}

static void segments(void) {
  static unsigned char ring[4][16];
  acp_segbuf_t s = me == 0 ? acp_create_src_segbuf(1, ring, sizeof ring[0], 4)
                           : acp_create_dst_segbuf(0, ring, sizeof ring[0], 4);
  CHECK(s != ACP_SEGBUF_NULL);
  CHECK(acp_connect_segbuf(s) == 0 && acp_isconnected_segbuf(s) == 0);
  for (unsigned char i = 0; i < 10; i++) {
    if (me == 0) {
      while (acp_isready_segbuf(s) != 0)
        ;
      memset(ring[acp_query_segbuf_tail(s)], i, sizeof ring[0]);
      CHECK(acp_ack_segbuf(s) == 0);
      CHECK(acp_query_segbuf_sent(s) >= 0);
    } else {
      while (acp_isacked_segbuf(s) != 0)
        ;
      CHECK(ring[acp_query_segbuf_head(s)][15] == i);
      CHECK(acp_ready_segbuf(s) == 0);
    }
  }
  acp_sync();
  CHECK(acp_disconnect_segbuf(s) == 0);
  CHECK(acp_free_segbuf(s) == 0);
}

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

// What sets, multisets and maps have in common.
#define FIND_AND_REMOVE(kind, s)                                               \
  do {                                                                         \
    acp_##kind##_it_t its[3];                                                  \
    int results[3] = {7, 7, 7};                                                \
    acp_element_t keys[3] = {bytes(0, "k2"), bytes(8, "no"), bytes(16, "k1")}; \
    CHECK(acp_find_many_##kind(s, keys, 3, its) == 2);                         \
    CHECK(its[0].elem != ACP_GA_NULL && its[1].elem == ACP_GA_NULL);           \
    CHECK(its[1].rank == acp_end_##kind(s).rank);                              \
    CHECK(its[0].elem == acp_find_##kind(s, keys[0]).elem);                    \
    CHECK(acp_dereference_key_##kind(its[2]).size == 2);                       \
    CHECK(acp_remove_many_##kind(s, keys, 3, results) == 2);                   \
    CHECK(results[0] == 1 && results[1] == 0 && results[2] == 1);              \
    CHECK(acp_remove_many_##kind(s, keys, 0, NULL) == 0);                      \
    CHECK(acp_remove_many_##kind(s, NULL, 1, NULL) == -1);                     \
    CHECK(acp_find_many_##kind(s, keys, -1, its) == -1);                       \
  } while (0)

#define acp_dereference_key_set acp_dereference_set_it
#define acp_dereference_key_multiset acp_dereference_multiset_it
#define acp_dereference_key_map(it) (acp_dereference_map_it(it).first)

static void many_keys(void) {
  int ranks[2] = {0, 1}, results[3];
  acp_element_t keys[3] = {bytes(0, "k1"), bytes(8, "k2"), bytes(16, "k1")};
  acp_set_t s = acp_create_set(2, ranks, 3, me);
  CHECK(acp_insert_many_set(s, keys, 3, results) == 2);
  CHECK(results[0] == 1 && results[1] == 1 && results[2] == 0);
  keys[1].size = 0;
  CHECK(acp_insert_many_set(s, keys, 3, results) == -1 && results[1] == -1 && results[2] == 0);
  keys[1].size = 2;
  FIND_AND_REMOVE(set, s);
  CHECK(acp_empty_set(s));
  acp_destroy_set(s);
  keys[0] = keys[2] = bytes(16, "k1");
  keys[1] = bytes(8, "k2");
  acp_multiset_t ms = acp_create_multiset(2, ranks, 3, peer);
  uint64_t times[3];
  CHECK(acp_insert_many_multiset(ms, keys, 3, NULL) == 2);
  CHECK(acp_retrieve_many_multiset(ms, keys, 3, times) == 3);
  CHECK(times[0] == 2 && times[1] == 1 && times[2] == 2);
  FIND_AND_REMOVE(multiset, ms);
  CHECK(acp_size_multiset(ms) == 1);
  acp_destroy_multiset(ms);
}

static void many_pairs(void) {
  int ranks[2] = {1, 0}, results[4];
  acp_pair_t pairs[4];
  for (size_t i = 0; i < 4; i++) {
    pairs[i].first = bytes(8 * i, i == 1 ? "k2" : "k1");
    pairs[i].second = bytes(256 + 8 * i, "value" + i);
  }
  acp_map_t m = acp_create_map(2, ranks, 3, me);
  CHECK(acp_insert_many_map(m, pairs, 2, results) == 2);
  pairs[0].second.size = 0; // removes k1, so the next pair with that key is inserted
  CHECK(acp_insert_many_map(m, pairs, 4, results) == 1);
  CHECK(results[0] == 0 && results[1] == 0 && results[2] == 1 && results[3] == 0);
  size_t sizes[3];
  for (size_t i = 0; i < 3; i++)
    pairs[i].second = bytes(512 + 8 * i, "......");
  pairs[2].first = bytes(32, "no");
  CHECK(acp_retrieve_many_map(m, pairs, 3, sizes) == 2);
  CHECK(sizes[0] == 3 && sizes[1] == 4 && sizes[2] == 0);
  CHECK(memcmp(here + 512, "lue...", 6) == 0 && memcmp(here + 520, "alue..", 6) == 0);
  FIND_AND_REMOVE(map, m);
  CHECK(acp_empty_map(m));
  acp_destroy_map(m);
}

static void many_elements(void) {
  acp_element_t in[2] = {bytes(0, "abc"), bytes(8, "de")};
  acp_element_t out[2] = {bytes(16, "...."), bytes(24, "....")};
  size_t sizes[2];
  acp_vector_t v = acp_create_vector(0, peer);
  CHECK(acp_push_back_many_vector(v, in, 2) == 0 && acp_size_vector(v) == 5);
  out[0].size = 1;
  out[1].size = 2;
  CHECK(acp_pop_back_many_vector(v, out, 2) == 3 && acp_size_vector(v) == 2);
  CHECK(memcmp(here + 16, "c...", 4) == 0 && memcmp(here + 24, "de..", 4) == 0);
  acp_destroy_vector(v);
  acp_deque_t d = acp_create_deque(0, peer);
  CHECK(acp_push_back_many_deque(d, in, 2) == 0 && acp_push_front_many_deque(d, in, 2) == 0);
  CHECK(acp_pop_front_many_deque(d, out, 2) == 3); // of "abcdeabcde"
  CHECK(here[16] == 'a' && memcmp(here + 24, "bc..", 4) == 0);
  CHECK(acp_pop_back_many_deque(d, out, 2) == 3 && here[16] == 'c');
  CHECK(acp_size_deque(d) == 4);
  acp_destroy_deque(d);
  acp_list_t l = acp_create_list(peer);
  CHECK(acp_push_back_many_list(l, in, 2, me) == 0 && acp_push_front_many_list(l, in, 2, peer) == 0);
  CHECK(acp_pop_back_many_list(l, out, 2, sizes) == 2 && sizes[0] == 3 && sizes[1] == 2);
  CHECK(here[16] == 'a' && memcmp(here + 24, "de..", 4) == 0);
  CHECK(acp_pop_front_many_list(l, out, 1, NULL) == 1 && acp_size_list(l) == 1);
  CHECK(acp_pop_back_many_list(l, out, 2, sizes) == 1 && sizes[0] == 2 && here[16] == 'd');
  acp_destroy_list(l);
}

static void workspaces(void) {
  CHECK(acp_setparams_ws(1, 100) == 0);
  acp_wsd_t ws = acp_create_ws(250);
  CHECK(ws != ACP_WSD_NULL && ws->size_ws == 250);
  acp_element_t e = bytes(0, me == 0 ? "left" : "rite");
  CHECK(acp_write_ws(ws, e.ga, 4, me == 0 ? 98 : 198) == 0);
  acp_sync();
  CHECK(acp_read_ws(ws, e.ga, 4, me == 0 ? 198 : 98) == 0);
  CHECK(memcmp(here, me == 0 ? "rite" : "left", 4) == 0);
  acp_destroy_ws(ws);
}

static void members(void) {
  CHECK(acp_seats() >= 2);
  CHECK(acp_state(peer) == ACP_STATE_PRESENT && acp_cohort(peer) == 0);
  CHECK(acp_state(acp_seats()) == -1 && acp_cohort(acp_seats()) == -1);
  CHECK(acp_await_change(-1, -1) == acp_await_change(1 << 20, 0.001));
}

// The ranks of this run are fixed.
static void epochs(void) {
  int ranks[3] = {-1, -1, -1};
  CHECK(acp_epoch() == 0 && acp_epoch_ranks(ranks, 3) == 2 && ranks[0] == 0 && ranks[1] == 1 && ranks[2] == -1);
  CHECK(acp_epoch_ranks(NULL, 0) == 2 && acp_epoch_ranks(NULL, 1) == -1);
  CHECK(acp_asked(peer) == 0 && acp_ask_leave(peer) == -1 && ACP_ERRNO == ENOTSUP);
  CHECK(acp_ask_join(1) == -1 && ACP_ERRNO == ENOTSUP);
  CHECK(acp_adopt(0) == -1 && ACP_ERRNO == ENOTSUP);
  CHECK(acp_adopt(1) == 1 && acp_adopt(1) == 2 && acp_epoch() == 2);
}

static void jobs(void) {
  CHECK(acp_jobs() == 1 && acp_job(peer) == 0 && acp_job_procs(0) == 2);
  CHECK(acp_job_find(acp_job_name(0)) == 0 && acp_job_find("absent") == -1);
  CHECK(acp_job_rank(0, 0) == 1 && acp_job_rank(0, 1) == 0);
}

static void groups(void) {
  int both[] = {peer, me};
  char text[6] = "";
  if (me == 0)
    memcpy(text, "hello", 6);
  CHECK(acp_sync_ranks(both, 2) == 0 && acp_sync_job(0) == 0);
  CHECK(acp_broadcast(text, sizeof text, 0, both, 2) == 0 && strcmp(text, "hello") == 0);
}

static void values(void) {
  int64_t version = -1;
  char text[6] = "";
  if (me == 0)
    CHECK(acp_put_value("greeting", "hello", 6) == 1);
  CHECK(acp_wait_value("greeting", 1, text, sizeof text, &version) == 6 && version == 1);
  CHECK(acp_get_value("greeting", text, 3, NULL) == 6 && strcmp(text, "hello") == 0);
}

static void stats(void) {
  int64_t before = 0, after = 0;
  acp_ga_t own = acp_query_starter_ga(me), other = acp_query_starter_ga(1 - me);
  int64_t n = acp_stats(1 - me, ACP_STATS_PUT, ACP_STATS_ALL, &before);
  CHECK(n >= 0);
  acp_complete(acp_copy(other + 64, own + 64, 24, ACP_HANDLE_NULL));
  CHECK(acp_stats(1 - me, ACP_STATS_PUT, ACP_STATS_ALL, &after) == n + 1 && after == before + 24);
  CHECK(acp_stats(-1, ACP_STATS_ALL, ACP_STATS_ALL, NULL) > n);
}

static void errors(void) {
  CHECK(acp_set_timeout(0) == -1 && acp_error_number() == ACP_ERRNO && acp_error_message()[0] != 0);
  CHECK(acp_set_timeout(60) == 0 && acp_set_timeout(-1) == 0);
  char version[40];
  snprintf(version, sizeof version, "%d.%d.%d", ACP_VERSION_MAJOR, ACP_VERSION_MINOR, ACP_VERSION_PATCH);
  CHECK(strcmp(acp_version(), version) == 0);
  CHECK(strcmp(acp_library(), "libacp") == 0 && acp_mpi_name()[0] == 0);
}

int main(int argc, char **argv) {
  CHECK(acp_init(&argc, &argv) == 0);
  CHECK(acp_procs() == 2);
  CHECK(acp_reset(1 - acp_rank()) == 0);
  me = acp_rank();
  peer = 1 - me;
  CHECK(acp_query_starter_ga(peer) != ACP_GA_NULL);
  scratch = acp_malloc(1024, me);
  here = (unsigned char *)acp_query_address(scratch);
  CHECK(here != NULL);
  memory();
  channels();
  segments();
  vectors();
  deques();
  lists();
  sets();
  maps();
  many_keys();
  many_pairs();
  many_elements();
  workspaces();
  members();
  epochs();
  jobs();
  groups();
  values();
  stats();
  errors();
  acp_free(scratch);
  CHECK(acp_finalize() == 0);
  return 0;
}
