// Calls for many keys do what calls for one key after the other do, whether C or Go carries them out. Without
// ACP_NET=shm other ranks are far, so that some calls have both near and far keys. A thread takes locks
// meanwhile, so that C leaves near keys to Go, too.
#include "change.h"
#include "check.h"
#include "find.h"

#include <pthread.h>
#include <sched.h>

enum { RANKS = 16, SLOTS = 5, KEYS = 60, LONGEST = 20, MOST = 200, TURNS = 300, FAR_TURNS = 40, ROOM = 64 };

static char *starter, own[4096];
static acp_ga_t starter_ga, own_ga;
static int rank, procs;

static size_t below(size_t n) { return (size_t)rand() % n; }

// Key i, in starter memory or in registered memory; seldom one that fails.
static acp_element_t key_of(size_t i) {
  acp_ga_t at = (below(2) ? starter_ga : own_ga) + i * 32;
  if (below(2000) == 0)
    return (acp_element_t){at, 0};
  return (acp_element_t){below(2000) == 0 ? ACP_GA_NULL : at, 1 + i % LONGEST};
}

static void write_keys(char *at) {
  for (size_t i = 0; i < KEYS; i++)
    memset(at + i * 32, (int)i + 1, 32);
}

// Arguments and results of a call.
static acp_pair_t pairs[MOST];
static acp_element_t keys[MOST];
static int count, wrong, results[MOST];

static void choose(void) {
  count = (int)below(below(2) ? MOST : 10);
  for (int i = 0; i < count; i++) {
    // The values lie behind the keys.
    acp_element_t value = {starter_ga + 2048 + below(1024), 1 + below(LONGEST)};
    if (below(100) == 0)
      value.size = 0;
    if (below(2000) == 0)
      value.ga = ACP_GA_NULL;
    keys[i] = key_of(below(KEYS));
    pairs[i] = (acp_pair_t){keys[i], value};
  }
  wrong = 0;
  ACP_ERRNO = 0;
}

// Checks the result for key i of the call for all keys. want is the result of the call for this key, which has
// failed if ACP_ERRNO is not 0.
static void compare(int i, int want) {
  if (ACP_ERRNO != 0) {
    CHECK(results[i] == -1);
    wrong = wrong != 0 ? wrong : ACP_ERRNO;
    ACP_ERRNO = 0;
  } else {
    CHECK(results[i] == want);
  }
}

// What a call has returned for all.
static void ends(int returned, int number) {
  int positive = 0;
  for (int i = 0; i < count; i++)
    positive += results[i] > 0;
  CHECK(wrong == number);
  CHECK(returned == (wrong != 0 ? -1 : positive));
}

#define PLAY(name, member, PUT_MANY, PUT, READ)                                                         \
  static void put_##name(acp_##name##_t a, acp_##name##_t b) {                                          \
    choose();                                                                                           \
    int n = PUT_MANY, number = ACP_ERRNO;                                                               \
    ACP_ERRNO = 0;                                                                                      \
    for (int i = 0; i < count; i++) {                                                                   \
      int there = acp_find_##name(a, keys[i]).elem != ACP_GA_NULL;                                      \
      ACP_ERRNO = 0;                                                                                    \
      int put = PUT;                                                                                    \
      compare(i, put > 0 && !there);                                                                    \
    }                                                                                                   \
    ends(n, number);                                                                                    \
  }                                                                                                     \
                                                                                                        \
  static void remove_##name(acp_##name##_t a, acp_##name##_t b) {                                       \
    choose();                                                                                           \
    int n = acp_remove_many_##name(b, keys, count, results), number = ACP_ERRNO;                        \
    ACP_ERRNO = 0;                                                                                      \
    for (int i = 0; i < count; i++) {                                                                   \
      int there = acp_find_##name(a, keys[i]).elem != ACP_GA_NULL;                                      \
      ACP_ERRNO = 0;                                                                                    \
      acp_remove_##name(a, keys[i]);                                                                    \
      compare(i, there);                                                                                \
    }                                                                                                   \
    ends(n, number);                                                                                    \
  }                                                                                                     \
                                                                                                        \
  static void find_##name(acp_##name##_t a, acp_##name##_t b) {                                         \
    static acp_##name##_it_t its[MOST];                                                                 \
    choose();                                                                                           \
    int n = acp_find_many_##name(b, keys, count, its), number = ACP_ERRNO;                              \
    ACP_ERRNO = 0;                                                                                      \
    for (int i = 0; i < count; i++) {                                                                   \
      acp_##name##_it_t it = acp_find_##name(b, keys[i]);                                               \
      int failed = ACP_ERRNO;                                                                           \
      CHECK(it.elem == its[i].elem && it.rank == its[i].rank && it.slot == its[i].slot);                \
      CHECK(it.member.ga == its[i].member.ga && it.member.num_slots == its[i].member.num_slots);        \
      ACP_ERRNO = 0;                                                                                    \
      CHECK((acp_find_##name(a, keys[i]).elem == ACP_GA_NULL) == (it.elem == ACP_GA_NULL));             \
      ACP_ERRNO = failed;                                                                               \
      results[i] = failed != 0 ? -1 : it.elem != ACP_GA_NULL;                                           \
      compare(i, results[i]);                                                                           \
    }                                                                                                   \
    ends(n, number);                                                                                    \
  }                                                                                                     \
                                                                                                        \
  static void play_##name(int n, const int *ranks, int turns) {                                         \
    acp_##name##_t a = acp_create_##name(n, ranks, SLOTS, ranks[0]);                                    \
    acp_##name##_t b = acp_create_##name(n, ranks, SLOTS, ranks[0]);                                    \
    CHECK(a.ga != ACP_GA_NULL && b.ga != ACP_GA_NULL);                                                  \
    begin_locking(b.ga);                                                                                \
    for (int turn = 0; turn < turns; turn++) {                                                          \
      if (below(2))                                                                                     \
        put_##name(a, b);                                                                               \
      else if (below(2))                                                                                \
        remove_##name(a, b);                                                                            \
      find_##name(a, b);                                                                                \
      READ;                                                                                             \
      CHECK(acp_size_##name(a) == acp_size_##name(b));                                                  \
    }                                                                                                   \
    end_locking();                                                                                      \
    acp_destroy_##name(a);                                                                              \
    acp_destroy_##name(b);                                                                              \
  }

// A thread takes the locks of a table of this process in turns, if the structure has one.
static pthread_t locker;
static struct goacp_slot *locked;
static volatile int locking;

static void *take_locks(void *unused) {
  for (int i = 0; locking; i = (i + 1) % SLOTS) {
    uint64_t none = 0;
    if (__atomic_compare_exchange_n(&locked[i].lock, &none, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
      sched_yield();
      __atomic_store_n(&locked[i].lock, 0, __ATOMIC_RELEASE);
    }
    usleep(20);
  }
  return unused;
}

static void begin_locking(acp_ga_t directory) {
  acp_ga_t *first = acp_query_address(directory);
  locked = first != NULL ? acp_query_address(*first) : NULL;
  locking = locked != NULL;
  if (locking)
    CHECK(pthread_create(&locker, NULL, take_locks, NULL) == 0);
}

static void end_locking(void) {
  if (!locking)
    return;
  locking = 0;
  CHECK(pthread_join(locker, NULL) == 0);
}

// Reads the multiplicities, or the values, by one call and one by one.
static void read_times(acp_multiset_t a, acp_multiset_t b) {
  static uint64_t times[MOST];
  choose();
  int n = acp_retrieve_many_multiset(b, keys, count, times), number = ACP_ERRNO;
  ACP_ERRNO = 0;
  for (int i = 0; i < count; i++) {
    uint64_t want = acp_retrieve_multiset(a, keys[i]);
    CHECK(times[i] == (ACP_ERRNO != 0 ? 0 : want));
    results[i] = ACP_ERRNO != 0 ? -1 : want > 0;
    compare(i, results[i]);
  }
  ends(n, number);
}

static void read_values(acp_map_t a, acp_map_t b) {
  static size_t sizes[MOST];
  static char values[MOST][ROOM];
  acp_atkey_t key = acp_register_memory(values, sizeof values, 0);
  acp_ga_t at = acp_query_ga(key, values);
  CHECK(at != ACP_GA_NULL);
  choose();
  memset(values, 0, sizeof values);
  for (int i = 0; i < count; i++)
    pairs[i].second = (acp_element_t){at + (acp_ga_t)i * ROOM, 1 + below(LONGEST)};
  int n = acp_retrieve_many_map(b, pairs, count, sizes), number = ACP_ERRNO;
  ACP_ERRNO = 0;
  for (int i = 0; i < count; i++) {
    acp_pair_t one = {keys[i], {starter_ga + 3584, pairs[i].second.size}};
    memset(starter + 3584, 0, ROOM);
    size_t want = acp_retrieve_map(a, one);
    CHECK(sizes[i] == (ACP_ERRNO != 0 ? 0 : want) && memcmp(values[i], starter + 3584, ROOM) == 0);
    results[i] = ACP_ERRNO != 0 ? -1 : want > 0;
    compare(i, results[i]);
  }
  ends(n, number);
  CHECK(acp_unregister_memory(key) == 0);
}

PLAY(set, set, acp_insert_many_set(b, keys, count, results), acp_insert_set(a, keys[i]), (void)0)
PLAY(multiset, set, acp_insert_many_multiset(b, keys, count, results), acp_insert_multiset(a, keys[i]),
     read_times(a, b))
PLAY(map, map, acp_insert_many_map(b, pairs, count, results), acp_insert_map(a, pairs[i]), read_values(a, b))

static struct goacp_tables tables_of(acp_map_t m) { return (struct goacp_tables){m.ga, m.num_ranks, m.num_slots}; }

// Distinct keys, and pairs of them.
static void choose_distinct(void) {
  count = KEYS;
  for (int i = 0; i < count; i++) {
    keys[i] = (acp_element_t){starter_ga + (acp_ga_t)i * 32, 8};
    pairs[i] = (acp_pair_t){keys[i], keys[i]};
  }
}

// If everything is mapped, Go has nothing to do but to make spans of the heap. Otherwise it gets exactly the
// keys of tables that are not mapped.
static void without_go(int n, const int *ranks, int mapped) {
  static struct goacp_keys k;
  static struct goacp_table_it its[MOST];
  static size_t sizes[MOST];
  acp_map_t map = acp_create_map(n, ranks, SLOTS, ranks[0]);
  choose_distinct();
  CHECK(acp_insert_many_map(map, pairs, count, NULL) == count);
  CHECK(acp_find_many_map(map, keys, count, (acp_map_it_t *)its) == count);
  int far = 0;
  for (int i = 0; i < count; i++)
    far += !mapped && acp_query_rank(its[i].elem) != rank;
  CHECK(goacp_try_find_many(&k, GOACP_MAP, tables_of(map), keys, count, its) == count - far);
  CHECK(k.left != NULL && k.n_left == far);
  for (int i = 0; i < far; i++)
    CHECK(acp_query_rank(its[k.left[i]].elem) != rank && (i == 0 || k.left[i - 1] < k.left[i]));
  CHECK(goacp_end_keys(&k, 1, 2) == 3);
  CHECK(goacp_try_retrieve_many(&k, tables_of(map), pairs, count, sizes) == count - far && k.n_left == far);
  CHECK(goacp_end_keys(&k, 1, -1) == -1);
  CHECK(goacp_try_add_many(&k, GOACP_MAP, tables_of(map), (acp_element_t *)pairs, 2, count, NULL) == 0);
  CHECK(k.left != NULL && k.n_left == far);
  goacp_end_keys(&k, 0, 0);
  int gone = goacp_try_remove_many(&k, GOACP_MAP, tables_of(map), keys, count, results);
  CHECK(k.left != NULL && gone + k.n_left == count && (!mapped || k.n_left < count / 2));
  goacp_end_keys(&k, 0, 0);
  acp_destroy_map(map);
}

// Which keys C leaves to Go, of a map with one table here.
static void left_to_go(void) {
  static struct goacp_keys k;
  acp_map_t map = acp_create_map(1, &rank, SLOTS, rank);
  struct goacp_tables t = tables_of(map);
  choose_distinct();
  CHECK(acp_insert_many_map(map, pairs, count, NULL) == count);
  acp_ga_t *entry = acp_query_address(map.ga);
  struct goacp_slot *slots = acp_query_address(*entry);
  static struct goacp_table_it its[MOST];
  slots[1].lock = 1; // all keys of the slot are left, and no others
  int others = goacp_try_find_many(&k, GOACP_MAP, t, keys, count, its), n = 0;
  slots[1].lock = 0;
  CHECK(others == count - (int)slots[1].count && k.n_left == (int)slots[1].count);
  for (int i = 0; i < count; i++)
    if (acp_find_map(map, keys[i]).slot == 1)
      CHECK(k.left[n++] == i);
  CHECK(n == k.n_left);
  goacp_end_keys(&k, 0, 0);

  acp_pair_t few[] = {{keys[0], {ACP_GA_NULL, 8}}, pairs[0], pairs[1], {keys[0], {starter_ga, 0}}, pairs[0]};
  for (int i = 1; acp_find_map(map, few[2].first).slot == acp_find_map(map, keys[0]).slot; i++)
    few[2] = pairs[i];
  acp_clear_map(map);
  CHECK(goacp_try_add_many(&k, GOACP_MAP, t, &few[0].first, 2, 5, results) == 1 && k.n_left == 4);
  CHECK(k.left[0] == 0 && k.left[1] == 1 && k.left[2] == 3 && k.left[3] == 4 && results[2] == 1);
  goacp_end_keys(&k, 0, 0);
  FAILS(acp_insert_many_map(map, few, 5, results), -1, EFAULT);
  CHECK(results[0] == -1 && results[1] == 1 && results[2] == 0 && results[3] == 0 && results[4] == 1);

  acp_element_t unknown[] = {keys[0], {ACP_GA_NULL, 8}, keys[0]}, empty[] = {keys[0], {starter_ga, 0}};
  CHECK(goacp_try_remove_many(&k, GOACP_MAP, t, unknown, 3, results) == 0 && k.left == NULL);
  CHECK(goacp_try_remove_many(&k, GOACP_MAP, t, empty, 2, results) == 0 && k.left == NULL);
  CHECK(goacp_try_remove_many(&k, GOACP_MAP, t, NULL, 3, results) == 0 && k.left == NULL);
  CHECK(goacp_try_remove_many(&k, GOACP_MAP, t, keys, 0, results) == 0 && k.left == NULL);
  CHECK(goacp_try_remove_many(&k, GOACP_MAP, t, keys, -1, results) == 0 && k.left == NULL);
  CHECK(goacp_try_find_many(&k, GOACP_MAP, t, keys, 1, NULL) == 0 && k.left == NULL);
  CHECK(acp_size_map(map) == 2);
  acp_destroy_map(map);
  CHECK(goacp_try_find_many(&k, GOACP_MAP, t, keys, 100, its) == 0 && (k.left == NULL || k.n_left == 100));
  goacp_end_keys(&k, 0, 0);
}

// More tables than a call knows at a time, all on this rank.
static void many_tables(void) {
  enum { TABLES = 2 * GOACP_KNOWN_TABLES + 1, MANY = 1000 };
  static int ranks[TABLES], new[MANY];
  static acp_element_t all[MANY];
  static acp_multiset_it_t its[MANY];
  for (int i = 0; i < TABLES; i++)
    ranks[i] = rank;
  for (int i = 0; i < MANY; i++)
    all[i] = (acp_element_t){starter_ga + below(1024), 2};
  for (int i = 0; i < 2048; i++)
    starter[i] = (char)rand();
  acp_multiset_t a = acp_create_multiset(TABLES, ranks, 3, rank), b = acp_create_multiset(TABLES, ranks, 3, rank);
  CHECK(acp_insert_many_multiset(b, all, MANY, new) >= 0);
  for (int i = 0; i < MANY; i++) {
    CHECK(new[i] == (acp_find_multiset(a, all[i]).elem == ACP_GA_NULL));
    CHECK(acp_insert_multiset(a, all[i]) == 1);
  }
  CHECK(acp_size_multiset(a) == acp_size_multiset(b));
  CHECK(acp_find_many_multiset(b, all, MANY, its) == MANY);
  for (int i = 0; i < MANY; i++)
    CHECK(its[i].elem == acp_find_multiset(b, all[i]).elem);
  CHECK(acp_remove_many_multiset(b, all, MANY, NULL) == MANY && acp_size_multiset(b) == 0);
  acp_destroy_multiset(a);
  acp_destroy_multiset(b);
}

int main(int argc, char **argv) {
  CHECK(acp_init(&argc, &argv) == 0);
  int ranks[RANKS], next;
  procs = acp_procs();
  rank = acp_rank();
  next = (rank + 1) % procs;
  CHECK(procs <= RANKS);
  srand(check_seed());
  starter_ga = acp_query_starter_ga(rank);
  starter = acp_query_address(starter_ga);
  acp_atkey_t key = acp_register_memory(own, sizeof own, 0);
  own_ga = acp_query_ga(key, own);
  CHECK(own_ga != ACP_GA_NULL);
  many_tables();
  memset(starter, 7, 4096);
  write_keys(starter);
  write_keys(own);
  for (int r = 0; r < procs; r++)
    ranks[r] = (rank + r) % procs;
  const char *net = getenv("ACP_NET");
  int mapped = procs == 1 || net == NULL || strcmp(net, "shm") == 0;
  left_to_go();
  without_go(1, &rank, 1);
  without_go(procs, ranks, mapped);
  int turns = mapped ? TURNS : FAR_TURNS;
  play_set(1, &rank, TURNS);
  play_multiset(1, &rank, TURNS);
  play_map(1, &rank, TURNS);
  play_set(procs, ranks, turns);
  play_multiset(procs, ranks, turns);
  play_map(procs, ranks, turns);
  play_map(1, &next, turns);
  CHECK(acp_unregister_memory(key) == 0);
  CHECK(acp_sync() == 0);
  return acp_finalize();
}
