// What a process counts is what its threads have transferred, whether C or Go has carried it out.
#include "bind.h"
#include "check.h"
#include "sequence.h"
#include "traffic.h"

#include <pthread.h>

enum { THREADS = 4, TIMES = 500, KINDS = 7, PATHS = 4, MOST = 8 };

void goacp_push_sequence(int, int, acp_ga_t, acp_ga_t, size_t);
void goacp_pop_sequence(int, int, acp_ga_t, size_t);
size_t goacp_size_sequence(int, acp_ga_t);
acp_ga_t goacp_at_sequence(int, acp_ga_t, int);
void goacp_push_back_list(acp_list_t, acp_element_t, int);
void goacp_pop_front_list(acp_list_t);
size_t goacp_size_list(acp_list_t);
acp_list_it_t goacp_increment_list_it(acp_list_it_t);
acp_list_it_t goacp_decrement_list_it(acp_list_it_t);
acp_element_t goacp_dereference_list_it(acp_list_it_t);
int goacp_insert_map(struct goacp_tables, acp_pair_t);
void goacp_remove_table(int, struct goacp_tables, acp_element_t, int);
struct goacp_table_it goacp_find_table(int, struct goacp_tables, acp_element_t);
size_t goacp_retrieve_map(struct goacp_tables, acp_pair_t);
int goacp_insert_many_map(struct goacp_tables, acp_pair_t *, int, int *, int *, int);
int goacp_find_many(int, struct goacp_tables, acp_element_t *, int, struct goacp_table_it *, int *, int);
int goacp_retrieve_many_map(struct goacp_tables, acp_pair_t *, int, size_t *, int *, int);
int goacp_remove_many(int, struct goacp_tables, acp_element_t *, int, int *, int *, int);

static int rank, procs;

// The transfers that this process has made.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { int64_t operations, bytes; } ledger[MOST][KINDS][PATHS];

// The path to memory of a rank. The test sets ACP_NET to the network between ranks.
static int path_to(int other) {
  const char *net = getenv("ACP_NET");
  return other != rank && net != NULL && strcmp(net, "tcp") == 0 ? ACP_STATS_TCP : ACP_STATS_SHM;
}

static void note(int other, int kind, size_t bytes) {
  int path = path_to(other);
  pthread_mutex_lock(&lock);
  ledger[other][kind][path].operations++;
  ledger[other][kind][path].bytes += (int64_t)bytes;
  pthread_mutex_unlock(&lock);
}

// Compares all numbers with the ledger, and sums with sums.
static void compare(void) {
  int64_t operations = 0, bytes = 0, volume;
  for (int other = 0; other < procs; other++)
    for (int kind = 1; kind < KINDS; kind++)
      for (int path = 1; path < PATHS; path++) {
        volume = -1;
        CHECK(acp_stats(other, kind, path, &volume) == ledger[other][kind][path].operations);
        CHECK(volume == ledger[other][kind][path].bytes);
        operations += ledger[other][kind][path].operations;
        bytes += ledger[other][kind][path].bytes;
      }
  CHECK(acp_stats(-1, ACP_STATS_ALL, ACP_STATS_ALL, &volume) == operations && volume == bytes);
}

static acp_ga_t starter(int of) { return acp_query_starter_ga(of); }

// Copies and atomics of one thread, some on memory of the program.
static void *work(void *number) {
  size_t n = (size_t)number;
  unsigned seed = (unsigned)(n * 31 + (size_t)rank);
  uint64_t words[16] = {0};
  acp_atkey_t key = acp_register_memory(words, sizeof words, 0);
  acp_ga_t own = acp_query_ga(key, words);
  CHECK(own != ACP_GA_NULL);
  for (int i = 0; i < TIMES; i++) {
    int to = rand_r(&seed) % procs, from = rand_r(&seed) % procs;
    size_t size = (size_t[]){0, 1, 4, 8, 8, 8, 100}[rand_r(&seed) % 7];
    acp_ga_t dst = starter(to) + 512 * (n + 1), src = starter(from) + 512 * (n + 1) + 256;
    switch (rand_r(&seed) % 5) {
    case 0:
      acp_copy(dst, own, size, ACP_HANDLE_NULL);
      note(to, ACP_STATS_PUT, size);
      break;
    case 1:
      acp_copy(own, src, size, ACP_HANDLE_NULL);
      note(from, from == rank ? ACP_STATS_PUT : ACP_STATS_GET, size);
      break;
    case 2:
      acp_add8(own + 104, starter(to), 1, ACP_HANDLE_NULL);
      acp_cas4(own + 112, starter(to) + 8, 0, 1, ACP_HANDLE_ALL);
      note(to, ACP_STATS_ATOMIC, 8);
      note(to, ACP_STATS_ATOMIC, 4);
      break;
    default:
      acp_copy(dst, src, size, i % 2 == 0 ? ACP_HANDLE_NULL : ACP_HANDLE_ALL);
      note(from == rank ? to : to == rank ? from : to,
           from == rank ? ACP_STATS_PUT : to == rank ? ACP_STATS_GET : ACP_STATS_COPY, size);
    }
    if (i % 8 == 0)
      acp_complete(ACP_HANDLE_ALL);
  }
  acp_complete(ACP_HANDLE_ALL);
  CHECK(acp_unregister_memory(key) == 0);
  return NULL;
}

static void at_once(void) {
  pthread_t threads[THREADS];
  for (size_t n = 0; n < THREADS; n++)
    CHECK(pthread_create(&threads[n], NULL, work, (void *)n) == 0);
  for (size_t n = 0; n < THREADS; n++)
    CHECK(pthread_join(threads[n], NULL) == 0);
}

// Counters that threads share go past each quarter as those of Go do. countsOf of
// internal/ground/traffic/counts_test.go has the same words.
static void pass_quarters(void) {
  const int byte_bits = GOACP_TRAFFIC_OPERATION_SHIFT - 2;
  const int operation_bits = 64 - GOACP_TRAFFIC_OPERATION_SHIFT - 2;
  struct goacp_counts c = {0};
  uint64_t operations = 0, bytes = 0, rest = 0;
  for (int i = 0; i < 100000; i++) {
    uint64_t n = (uint64_t)i * 2654435761 % ((1 << GOACP_TRAFFIC_REST_SHIFT) + 100000);
    goacp_add_shared(&c, 1, n);
    operations++;
    rest += n >> GOACP_TRAFFIC_REST_SHIFT << GOACP_TRAFFIC_REST_SHIFT;
    bytes += n % (1 << GOACP_TRAFFIC_REST_SHIFT);
    if (i % 1000 == 0) { // as if there had been operations until shortly before a quarter
      uint64_t more = (UINT64_C(1) << operation_bits) - 500 -
                      (operations + (bytes >> GOACP_TRAFFIC_OPERATION_SHIFT)) % (1 << operation_bits);
      c.shared += more << GOACP_TRAFFIC_OPERATION_SHIFT;
      operations += more;
      c.quarters = bytes >> byte_bits |
                   (operations + (bytes >> GOACP_TRAFFIC_OPERATION_SHIFT)) >> operation_bits << 32;
    }
    CHECK(c.shared == (operations << GOACP_TRAFFIC_OPERATION_SHIFT) + bytes && c.rest == rest);
    CHECK((uint32_t)c.quarters == bytes >> byte_bits);
    CHECK(c.quarters >> 32 ==
          (operations + (bytes >> GOACP_TRAFFIC_OPERATION_SHIFT)) >> operation_bits);
  }
  CHECK((uint32_t)c.quarters >= 3 && rest > 0);
}

// Messages around the ranks.
static void send_around(void) {
  static char out[100000], in[100000];
  const size_t sizes[] = {0, 1, 8, 1000, sizeof out};
  int next = (rank + 1) % procs;
  acp_ch_t to = acp_create_ch(rank, next), from = acp_create_ch((rank + procs - 1) % procs, rank);
  CHECK(to != ACP_CH_NULL && from != ACP_CH_NULL);
  for (int i = 0; i < 100; i++) {
    size_t size = sizes[i % 5];
    acp_request_t sent = acp_nbsend_ch(to, out, size);
    CHECK(acp_wait_ch(acp_nbrecv_ch(from, in, size)) == size);
    CHECK(acp_wait_ch(sent) == 0);
    note(next, ACP_STATS_MESSAGE, size);
  }
  acp_request_t freed[] = {acp_nbfree_ch(to), acp_nbfree_ch(from)}; // both ends free at the same time
  CHECK(acp_waitall_ch(freed, 2, NULL) == 0);
}

// What this process has counted of structures.
static int64_t counted(int64_t *bytes) {
  return acp_stats(-1, ACP_STATS_STRUCTURE, ACP_STATS_ALL, bytes);
}

// Makes two calls and compares what they count.
#define SAME(one, other)                                               \
  do {                                                                 \
    int64_t bytes[3], n[3] = {counted(&bytes[0]), 0, 0};               \
    (void)one;                                                         \
    n[1] = counted(&bytes[1]);                                         \
    (void)other;                                                       \
    n[2] = counted(&bytes[2]);                                         \
    CHECK(n[2] - n[1] == n[1] - n[0]);                                 \
    CHECK(bytes[2] - bytes[1] == bytes[1] - bytes[0]);                 \
  } while (0)

static void use_vector(int on) {
  acp_vector_t v = acp_create_vector(8, on);
  CHECK(v.ga != ACP_GA_NULL);
  acp_reserve_vector(v, 64);
  SAME(goacp_push_sequence(GOACP_IS_VECTOR, GOACP_BACK, v.ga, starter(rank), 8), acp_push_back_vector(v, starter(rank), 8));
  SAME(goacp_size_sequence(GOACP_IS_VECTOR, v.ga), acp_size_vector(v));
  SAME(goacp_at_sequence(GOACP_IS_VECTOR, v.ga, 1), acp_at_vector(v, 1));
  SAME(goacp_pop_sequence(GOACP_IS_VECTOR, GOACP_BACK, v.ga, 8), acp_pop_back_vector(v, 8));
  acp_destroy_vector(v);
}

static void use_list(int on) {
  acp_list_t l = acp_create_list(on);
  CHECK(l.ga != ACP_GA_NULL);
  acp_element_t value = {starter(rank), 8};
  SAME(goacp_push_back_list(l, value, on), acp_push_back_list(l, value, on));
  SAME(goacp_size_list(l), acp_size_list(l));
  acp_list_it_t it = acp_begin_list(l);
  SAME(goacp_increment_list_it(it), acp_increment_list_it(it));
  SAME(goacp_decrement_list_it(it), acp_decrement_list_it(it));
  SAME(goacp_dereference_list_it(it), acp_dereference_list_it(it));
  SAME(goacp_pop_front_list(l), acp_pop_front_list(l));
  acp_destroy_list(l);
}

// The map has tables on all ranks.
static void use_map(void) {
  int ranks[MOST];
  for (int i = 0; i < procs; i++)
    ranks[i] = i;
  acp_map_t map = acp_create_map(procs, ranks, 8, rank);
  CHECK(map.ga != ACP_GA_NULL);
  struct goacp_tables in = {map.ga, map.num_ranks, map.num_slots};
  acp_pair_t pair = {{starter(rank), 8}, {starter(rank) + 8, 16}}, longer = {pair.first, {starter(rank) + 32, 16}};
  for (int turn = 0; turn < 2; turn++) { // the key is new to either
    if (turn == 0)
      SAME(goacp_insert_map(in, pair), acp_insert_map(map, pair));
    else
      SAME(acp_insert_map(map, pair), goacp_insert_map(in, pair));
    SAME(goacp_find_table(GOACP_MAP, in, pair.first), acp_find_map(map, pair.first));
    SAME(goacp_retrieve_map(in, longer), acp_retrieve_map(map, longer));
    if (turn == 0)
      SAME(goacp_remove_table(GOACP_MAP, in, pair.first, 0), acp_remove_map(map, pair.first));
    else
      SAME(acp_remove_map(map, pair.first), goacp_remove_table(GOACP_MAP, in, pair.first, 0));
  }
  acp_destroy_map(map);
}

// The same for many keys in a call, all of them by Go, and as many as possible by C. A pair that removes its
// key is left to Go.
static void use_many_keys(int slots) {
  enum { MANY = 100 };
  static acp_pair_t pairs[MANY], again[MANY];
  static acp_element_t keys[MANY];
  static struct goacp_table_it its[MANY];
  int ranks[MOST];
  for (int i = 0; i < procs; i++)
    ranks[i] = i;
  acp_map_t map = acp_create_map(procs, ranks, slots, rank);
  CHECK(map.ga != ACP_GA_NULL);
  struct goacp_tables in = {map.ga, map.num_ranks, map.num_slots};
  for (int i = 0; i < MANY; i++) {
    memset(acp_query_address(starter(rank) + 8 * i), i, 8);
    keys[i] = (acp_element_t){starter(rank) + 8 * i, 8};
    pairs[i] = again[i] = (acp_pair_t){keys[i], {starter(rank) + 1024, 1 + (size_t)i}};
  }
  again[MANY / 2].second.size = 0;
  CHECK(acp_insert_many_map(map, pairs, MANY, NULL) == MANY);
  SAME(goacp_find_many(GOACP_MAP, in, keys, MANY, its, NULL, 0), acp_find_many_map(map, keys, MANY, (acp_map_it_t *)its));
  SAME(goacp_retrieve_many_map(in, pairs, MANY, NULL, NULL, 0), acp_retrieve_many_map(map, pairs, MANY, NULL));
  SAME(goacp_insert_many_map(in, pairs, MANY, NULL, NULL, 0), acp_insert_many_map(map, pairs, MANY, NULL));
  SAME(goacp_insert_many_map(in, again, MANY, NULL, NULL, 0), acp_insert_many_map(map, again, MANY, NULL));
  SAME(goacp_remove_many(GOACP_MAP, in, keys, MANY, NULL, NULL, 0), acp_remove_many_map(map, keys, MANY, NULL));
  CHECK(acp_empty_map(map));
  acp_destroy_map(map);
}

// Operations on structures count the same, whether C or Go carries them out.
static void use_structures(void) {
  int next = (rank + 1) % procs;
  int64_t before, bytes, after, more;
  use_vector(next);
  use_list(next);
  use_map();
  use_many_keys(1);
  use_many_keys(50);
  acp_vector_t v = acp_create_vector(8, next);
  before = counted(&bytes);
  acp_push_back_vector(v, starter(rank), 8);
  after = counted(&more);
  CHECK(after == before + 1 && more == bytes + 8);
  acp_destroy_vector(v);
}

// After acp_reset, transfers are those with the same process, whatever its rank is.
static void after_reset(void) {
  int next = (rank + 1) % procs;
  int64_t bytes, more, n = acp_stats(next, ACP_STATS_PUT, ACP_STATS_ALL, &bytes);
  CHECK(acp_reset(next) == 0);
  rank = next;
  next = (rank + 1) % procs; // the process that had this rank before
  acp_complete(acp_copy(starter(next), starter(rank) + 64, 24, ACP_HANDLE_NULL));
  CHECK(acp_stats(next, ACP_STATS_PUT, ACP_STATS_ALL, &more) == n + 1 && more == bytes + 24);
}

int main(int argc, char **argv) {
  CHECK(acp_init(&argc, &argv) == 0);
  rank = acp_rank();
  procs = acp_procs();
  CHECK(procs <= MOST && acp_sync() == 0);
  pass_quarters();
  compare();
  work((void *)(size_t)THREADS); // this thread has counters of its own from now on
  compare();
  at_once();
  compare();
  if (procs > 1)
    send_around();
  compare();
  FAILS(acp_stats(procs, ACP_STATS_ALL, ACP_STATS_ALL, NULL), -1, EINVAL);
  FAILS(acp_stats(0, KINDS, ACP_STATS_ALL, NULL), -1, EINVAL);
  FAILS(acp_stats(0, ACP_STATS_ALL, PATHS, NULL), -1, EINVAL);
  CHECK(acp_sync() == 0);
  use_structures();
  CHECK(acp_sync() == 0);
  after_reset();
  CHECK(acp_sync() == 0 && acp_finalize() == 0);
  return 0;
}
