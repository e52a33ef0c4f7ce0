// C finds every key in mapped memory without Go, and with the same result.
#include "check.h"
#include "find.h"

enum { RANKS = 16, SLOTS = 11, LONGEST = 40 };

static unsigned char *scratch;
static acp_ga_t scratch_ga;

// Keys of many lengths. The structures have those with an even length.
static acp_element_t key_of(size_t length) {
  acp_element_t e = {scratch_ga, length};
  for (size_t i = 0; i < length; i++)
    scratch[i] = (unsigned char)(length * 31 + i * 7);
  return e;
}

static int finds(int kind, struct goacp_tables t, const int *ranks, acp_ga_t elem,
                 int there) {
  struct goacp_table_it it;
  CHECK(goacp_try_find(kind, t, key_of(0), &it) == 0);
  for (size_t length = 1; length <= LONGEST; length++) {
    if (!goacp_try_find(kind, t, key_of(length), &it))
      return 0;
    CHECK(it.of.ga == t.ga && it.of.num_ranks == t.num_ranks);
    CHECK((it.elem != ACP_GA_NULL) == (there && length % 2 == 0));
    CHECK(it.elem == ACP_GA_NULL ? it.rank == (int)t.num_ranks && it.slot == 0
                                 : acp_query_rank(it.elem) == ranks[it.rank] && it.slot < SLOTS);
  }
  struct goacp_tables wrong = t;
  wrong.num_slots++;
  CHECK(goacp_try_find(kind, wrong, key_of(2), &it) == 0);
  wrong = t;
  wrong.ga = elem;
  CHECK(goacp_try_find(kind, wrong, key_of(2), &it) == 0);
  CHECK(goacp_try_find((kind + 1) % 3, t, key_of(2), &it) == 0);
  return 1;
}

struct goacp_table_it goacp_find_table(int, struct goacp_tables, acp_element_t);

static acp_element_t random_key(void) {
  acp_element_t e = {scratch_ga, 1 + (size_t)rand() % LONGEST};
  if (rand() % 2 == 0) // of which there are so few that some are met again
    e.size = 1 + (size_t)rand() % 8;
  for (size_t i = 0; i < e.size; i++)
    scratch[i] = (unsigned char)(e.size > 8 ? rand() : rand() % 2);
  return e;
}

// If the memory of the key's table is mapped, C and Go find the same.
static int same(int kind, struct goacp_tables t, int here) {
  acp_element_t key = random_key();
  struct goacp_table_it c, go = goacp_find_table(kind, t, key);
  if (!goacp_try_find(kind, t, key, &c)) {
    CHECK(!here);
    return 0;
  }
  CHECK(c.rank == go.rank && c.slot == go.slot && c.elem == go.elem);
  return go.elem != ACP_GA_NULL;
}

#define PLAY(name, member, kind, INSERT)                                       \
  static int play_##name(int procs, const int *ranks) {                        \
    acp_##name##_t t = acp_create_##name(procs, ranks, SLOTS, ranks[0]);       \
    struct goacp_tables in = {t.ga, t.num_ranks, t.num_slots};                 \
    for (size_t length = 2; length <= LONGEST; length += 2) {                  \
      acp_element_t key = key_of(length);                                      \
      CHECK(INSERT);                                                           \
    }                                                                          \
    acp_##name##_it_t it = acp_find_##name(t, key_of(8));                      \
    CHECK(it.elem != ACP_GA_NULL && it.member.ga == t.ga);                     \
    int here = finds(kind, in, ranks, it.elem, 1);                             \
    int found = 0;                                                             \
    for (int i = 0; i < 400; i++) {                                            \
      acp_element_t key = random_key();                                        \
      (void)(INSERT);                                                          \
      found += same(kind, in, here);                                           \
    }                                                                          \
    CHECK(!here || (found > 50 && found < 350));                               \
    acp_clear_##name(t);                                                       \
    CHECK(finds(kind, in, ranks, it.elem, 0) == here);                         \
    acp_destroy_##name(t);                                                     \
    struct goacp_table_it none;                                                \
    CHECK(goacp_try_find(kind, in, key_of(8), &none) == 0);                   \
    return here;                                                               \
  }

PLAY(set, set, GOACP_SET, acp_insert_set(t, key))
PLAY(multiset, set, GOACP_MULTISET, acp_insert_multiset(t, key))
PLAY(map, map, GOACP_MAP, acp_insert_map(t, ((acp_pair_t){key, {scratch_ga, 5}})))

int main(int argc, char **argv) {
  CHECK(acp_init(&argc, &argv) == 0);
  int procs = acp_procs(), ranks[RANKS], own = acp_rank();
  CHECK(procs <= RANKS);
  srand(check_seed());
  scratch_ga = acp_query_starter_ga(own);
  scratch = acp_query_address(scratch_ga);
  for (int r = 0; r < procs; r++)
    ranks[r] = r;
  CHECK(play_set(1, &own) && play_multiset(1, &own) && play_map(1, &own));
  const char *net = getenv("ACP_NET");
  int mapped = procs == 1 || net == NULL || strcmp(net, "shm") == 0;
  CHECK(play_set(procs, ranks) == mapped && play_multiset(procs, ranks) == mapped);
  CHECK(play_map(procs, ranks) == mapped);
  CHECK(acp_sync() == 0);
  return acp_finalize();
}
