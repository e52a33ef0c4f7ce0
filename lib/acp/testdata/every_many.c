// The data structures of acp.h, with the calls for many elements.

#include "every.h"

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

void check_many(void) {
  many_keys();
  many_pairs();
  many_elements();
}
