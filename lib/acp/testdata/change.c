// C inserts keys in sets, multisets and maps, removes them and reads their values without Go, and Go does
// the same with other structures. Afterwards both have the same elements in the same order.
#include "change.h"
#include "check.h"
#include "find.h"

int goacp_insert_set(struct goacp_tables, acp_element_t);
int goacp_insert_multiset(struct goacp_tables, acp_element_t);
int goacp_insert_map(struct goacp_tables, acp_pair_t);
void goacp_remove_table(int, struct goacp_tables, acp_element_t, int);
struct goacp_table_it goacp_find_table(int, struct goacp_tables, acp_element_t);
uint64_t goacp_retrieve_multiset(struct goacp_tables, acp_element_t);
size_t goacp_retrieve_map(struct goacp_tables, acp_pair_t);
struct goacp_table_it goacp_place_table(int, int, struct goacp_tables);
struct goacp_table_it goacp_increment_table(int, struct goacp_table_it);
acp_pair_t goacp_dereference_table(int, struct goacp_table_it);

enum { RANKS = 16, SLOTS = 3, KEYS = 40, TURNS = 4000, FAR_TURNS = 100, LONGEST = 20, ROOM = 4096 };

static unsigned char *starter, own[ROOM];
static acp_ga_t starter_ga, own_ga;
static int procs, rank, done_here;

static size_t below(size_t n) { return (size_t)rand() % n; }

// One of a few keys, in starter memory or in registered memory.
static acp_element_t any_key(void) {
  size_t i = below(KEYS), n = 1 + i % LONGEST, registered = below(2);
  memset(registered ? own : starter, (int)i, n);
  return (acp_element_t){registered ? own_ga : starter_ga, n};
}

static acp_element_t any_value(void) {
  size_t n = 1 + below(LONGEST), registered = below(2);
  memset((registered ? own : starter) + 256, rand(), n);
  return (acp_element_t){(registered ? own_ga : starter_ga) + 256, n};
}

static int insert_by_go(int kind, struct goacp_tables t, acp_element_t key, acp_element_t value) {
  switch (kind) {
  case GOACP_SET:
    return goacp_insert_set(t, key);
  case GOACP_MULTISET:
    return goacp_insert_multiset(t, key);
  default:
    return goacp_insert_map(t, (acp_pair_t){key, value});
  }
}

static void insert(int kind, struct goacp_tables a, struct goacp_tables b) {
  acp_element_t key = any_key(), value = {ACP_GA_NULL, 0};
  if (kind == GOACP_MAP)
    value = any_value();
  int there = goacp_find_table(kind, b, key).elem != ACP_GA_NULL, added = -1;
  int inserted = insert_by_go(kind, a, key, value);
  CHECK(inserted == (kind != GOACP_MAP || !there));
  if (goacp_try_add(kind, b, key, value, &added)) {
    done_here++;
    CHECK(added == !there);
  } else {
    CHECK(insert_by_go(kind, b, key, value) == inserted);
  }
}

static void take_away(int kind, struct goacp_tables a, struct goacp_tables b, acp_element_t key) {
  int all = below(2), there = goacp_find_table(kind, a, key).elem != ACP_GA_NULL, removed;
  goacp_remove_table(kind, a, key, all);
  if (goacp_try_remove(kind, b, key, all ? UINT64_MAX : 1, &removed)) {
    CHECK(removed == there);
    done_here++;
  } else {
    goacp_remove_table(kind, b, key, all);
  }
}

// Reads the value of a key by Go, and by C if it can.
static void look(int kind, struct goacp_tables b) {
  acp_element_t key = any_key();
  uint64_t times;
  if (kind == GOACP_MULTISET && goacp_try_times(b, key, &times))
    CHECK(times == goacp_retrieve_multiset(b, key));
  size_t copied, capacity = 1 + below(LONGEST);
  if (kind != GOACP_MAP)
    return;
  memset(starter + 1024, 0, 2048);
  if (!goacp_try_retrieve(b, key, (acp_element_t){starter_ga + 1024, capacity}, &copied))
    return;
  CHECK(copied == goacp_retrieve_map(b, (acp_pair_t){key, {starter_ga + 2048, capacity}}));
  CHECK(memcmp(starter + 1024, starter + 2048, 1024) == 0);
}

static void same_bytes(acp_element_t x, acp_element_t y) {
  CHECK(x.size == y.size && x.size <= 1024);
  if (x.size == 0)
    return;
  acp_copy(starter_ga + 1024, x.ga, x.size, ACP_HANDLE_NULL);
  acp_complete(acp_copy(starter_ga + 2048, y.ga, y.size, ACP_HANDLE_NULL));
  CHECK(memcmp(starter + 1024, starter + 2048, x.size) == 0);
}

// Iterates over both. If removes is set, elements are removed meanwhile.
static void compare(int kind, struct goacp_tables a, struct goacp_tables b, int removes) {
  struct goacp_table_it x = goacp_place_table(kind, GOACP_BEGIN, a), y = goacp_place_table(kind, GOACP_BEGIN, b);
  int seen = 0;
  for (; x.elem != ACP_GA_NULL; seen++) {
    CHECK(y.elem != ACP_GA_NULL && x.rank == y.rank && x.slot == y.slot && seen < KEYS);
    acp_pair_t v = goacp_dereference_table(kind, x), w = goacp_dereference_table(kind, y);
    same_bytes(v.first, w.first);
    same_bytes(v.second, w.second);
    if (removes && below(2)) {
      acp_complete(acp_copy(starter_ga, w.first.ga, w.first.size, ACP_HANDLE_NULL));
      take_away(kind, a, b, (acp_element_t){starter_ga, w.first.size});
    }
    if (removes && below(3) == 0)
      insert(kind, a, b);
    x = goacp_increment_table(kind, x);
    y = goacp_increment_table(kind, y);
  }
  CHECK(y.elem == ACP_GA_NULL);
}

// Does so many random operations: on a by Go, and on b by C if it can. If iterates is set, elements are
// removed under iterators, too.
static void twins(int kind, struct goacp_tables a, struct goacp_tables b, int iterates, int turns) {
  for (int turn = 0; turn < turns; turn++) {
    if (below(2))
      insert(kind, a, b);
    else
      take_away(kind, a, b, any_key());
    look(kind, b);
    if (iterates && below(100) == 0)
      compare(kind, a, b, 0);
    if (iterates && below(100) == 0)
      compare(kind, a, b, 1);
  }
  compare(kind, a, b, 0);
}

// Another rank can make its tables where the destroyed ones were, and does so only after the last check.
#define TWINS(name, kind)                                                                       \
  static void name##_twins(int n, const int *ranks, int turns) {                                \
    acp_##name##_t a = acp_create_##name(n, ranks, SLOTS, ranks[0]);                            \
    acp_##name##_t b = acp_create_##name(n, ranks, SLOTS, ranks[0]);                            \
    struct goacp_tables in = {b.ga, b.num_ranks, b.num_slots};                                  \
    for (int iterates = 0; iterates < 2; iterates++)                                            \
      twins(kind, (struct goacp_tables){a.ga, a.num_ranks, a.num_slots}, in, iterates, turns);  \
    acp_destroy_##name(a);                                                                      \
    acp_destroy_##name(b);                                                                      \
    int added, removed;                                                                         \
    CHECK(acp_sync() == 0);                                                                     \
    CHECK(!goacp_try_add(kind, in, any_key(), any_value(), &added));                            \
    CHECK(!goacp_try_remove(kind, in, any_key(), 1, &removed));                                 \
    CHECK(acp_sync() == 0);                                                                     \
  }

TWINS(set, GOACP_SET)
TWINS(multiset, GOACP_MULTISET)
TWINS(map, GOACP_MAP)

// Mistakes, and links that do not agree: Go reports them.
static void left_to_go(void) {
  acp_map_t map = acp_create_map(1, &rank, 1, rank);
  struct goacp_tables t = {map.ga, 1, 1}, wrong = t;
  acp_element_t key = {starter_ga, 8}, value = {starter_ga + 8, 8}, none = {starter_ga, 0};
  int added, removed;
  for (uint64_t i = 0; i < 3; i++) {
    memcpy(starter, &i, 8);
    CHECK(goacp_insert_map(t, (acp_pair_t){key, value}) == 1);
  }
  uint64_t middle = 1, other = 9;
  CHECK(!goacp_try_add(GOACP_MAP, t, none, value, &added) && !goacp_try_add(GOACP_MAP, t, key, none, &added));
  CHECK(!goacp_try_add(GOACP_SET, t, key, none, &added) && !goacp_try_remove(GOACP_MAP, t, none, 1, &removed));
  wrong.num_slots = 0;
  CHECK(!goacp_try_add(GOACP_MAP, wrong, key, value, &added));
  memcpy(starter, &middle, 8);
  acp_ga_t ga = goacp_find_table(GOACP_MAP, t, key).elem;
  struct goacp_node *n = acp_query_address(ga), right = *n;
  acp_ga_t links[] = {ACP_GA_NULL, ga, starter_ga, ga + 4, UINT64_MAX};
  for (unsigned i = 0; i < sizeof links / sizeof *links; i++) {
    n->next = links[i];
    CHECK(!goacp_try_remove(GOACP_MAP, t, key, 1, &removed));
    *n = right;
    n->prev = links[i];
    CHECK(!goacp_try_remove(GOACP_MAP, t, key, 1, &removed));
    *n = right;
  }
  acp_ga_t *entry = acp_query_address(map.ga);
  struct goacp_slot *slot = acp_query_address(*entry);
  slot->lock = 1;
  CHECK(!goacp_try_remove(GOACP_MAP, t, key, 1, &removed) && !goacp_try_add(GOACP_MAP, t, key, value, &added));
  slot->lock = 0;
  memcpy(starter, &other, 8);
  acp_ga_t last = slot->last;
  slot->last = ga; // which is not the last
  CHECK(!goacp_try_add(GOACP_MAP, t, key, value, &added));
  slot->last = last;
  CHECK(slot->lock == 0 && slot->count == 3);
  acp_destroy_map(map);
}

int main(int argc, char **argv) {
  CHECK(acp_init(&argc, &argv) == 0);
  int ranks[RANKS];
  procs = acp_procs();
  rank = acp_rank();
  CHECK(procs <= RANKS);
  srand(check_seed());
  starter_ga = acp_query_starter_ga(rank);
  starter = acp_query_address(starter_ga);
  acp_atkey_t key = acp_register_memory(own, sizeof own, 0);
  own_ga = acp_query_ga(key, own);
  CHECK(own_ga != ACP_GA_NULL);
  left_to_go();
  for (int r = 0; r < procs; r++)
    ranks[r] = r;
  set_twins(1, &rank, TURNS);
  multiset_twins(1, &rank, TURNS);
  map_twins(1, &rank, TURNS);
  CHECK(done_here > 3 * TURNS / 2);
  const char *net = getenv("ACP_NET");
  int mapped = procs == 1 || net == NULL || strcmp(net, "shm") == 0;
  done_here = 0;
  int turns = mapped ? TURNS : FAR_TURNS;
  set_twins(procs, ranks, turns);
  multiset_twins(procs, ranks, turns);
  map_twins(procs, ranks, turns);
  CHECK(!mapped || done_here > 3 * TURNS / 2);
  CHECK(acp_unregister_memory(key) == 0);
  CHECK(acp_sync() == 0);
  return acp_finalize();
}
