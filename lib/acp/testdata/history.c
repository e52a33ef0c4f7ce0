// Ranks do random operations on a few keys of two sets, multisets or maps, and on both structures as a whole, all
// at the same time. Each writes what it has called, as ParseEvents of internal/structure/hashed/hashedtest reads it.
//
//     history KIND SEED STEPS
//
// The tables of the two structures lie on different ranks.
#include "check.h"

#include <time.h>

enum { KEYS = 4, WHOLE = 6 };
enum { INSERT, STORE, REMOVE, REMOVE_ALL, FIND, LOAD, CLEAR, SIZE, ASSIGN, MERGE, MOVE, SWAP };

static int rank;
static uint64_t *memory; // key, value
static acp_ga_t memory_ga;
static uint64_t random_state, values;

static uint64_t next_random(uint64_t below) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (random_state >> 33) % below;
}

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static acp_element_t key_of(uint64_t key) {
  memory[0] = key;
  return (acp_element_t){memory_ga, 8};
}

static acp_pair_t pair_of(uint64_t key, uint64_t value) {
  memory[1] = value;
  return (acp_pair_t){key_of(key), {memory_ga + 8, 8}};
}

struct event {
  int op, local, on, blind;
  uint64_t key, arg, result;
};

// What the kinds have in common.
#define STRUCTURE(kind)                                                                                                \
  static acp_##kind##_t kind[2];                                                                                       \
  static void kind##_create(void) {                                                                                    \
    int n = acp_procs(), all[64], some[2] = {n - 1, 0};                                                                \
    for (int i = 0; i < n; i++)                                                                                        \
      all[i] = i;                                                                                                      \
    kind[0] = acp_create_##kind(n, all, 5, 0);                                                                         \
    kind[1] = acp_create_##kind(2, some, 3, n - 1);                                                                    \
    CHECK(kind[0].ga != ACP_GA_NULL && kind[1].ga != ACP_GA_NULL);                                                     \
  }                                                                                                                    \
  static void kind##_whole(struct event *e) {                                                                          \
    acp_##kind##_t own = kind[e->on], other = kind[1 - e->on];                                                         \
    switch (e->op) {                                                                                                   \
    case CLEAR:                                                                                                        \
      (acp_clear_##kind)(own);                                                                                         \
      break;                                                                                                           \
    case SIZE:                                                                                                         \
      e->result = e->local ? (acp_size_local_##kind)(own) : (acp_size_##kind)(own);                                    \
      break;                                                                                                           \
    case ASSIGN:                                                                                                       \
      e->local ? (acp_assign_local_##kind)(own, other) : (acp_assign_##kind)(own, other);                              \
      break;                                                                                                           \
    case MERGE:                                                                                                        \
      e->local ? (acp_merge_local_##kind)(own, other) : (acp_merge_##kind)(own, other);                                \
      break;                                                                                                           \
    case MOVE:                                                                                                         \
      e->local ? (acp_move_local_##kind)(own, other) : (acp_move_##kind)(own, other);                                  \
      break;                                                                                                           \
    default:                                                                                                           \
      (acp_swap_##kind)(own, other);                                                                                   \
    }                                                                                                                  \
  }

STRUCTURE(set)
STRUCTURE(multiset)
STRUCTURE(map)

static void set_key(struct event *e) {
  acp_set_t own = set[e->on];
  switch (e->op) {
  case INSERT:
    CHECK(acp_insert_set(own, key_of(e->key)) == 1);
    e->blind = 1;
    break;
  case REMOVE:
    acp_remove_set(own, key_of(e->key));
    e->blind = 1;
    break;
  default:
    e->op = FIND;
    e->result = acp_find_set(own, key_of(e->key)).elem != ACP_GA_NULL;
  }
}

static void multiset_key(struct event *e) {
  acp_multiset_t own = multiset[e->on];
  switch (e->op) {
  case INSERT:
    CHECK(acp_insert_multiset(own, key_of(e->key)) == 1);
    e->blind = 1;
    break;
  case REMOVE:
    acp_remove_multiset(own, key_of(e->key));
    e->blind = 1;
    break;
  default:
    e->op = LOAD;
    e->result = acp_retrieve_multiset(own, key_of(e->key));
  }
}

static void map_key(struct event *e) {
  acp_map_t own = map[e->on];
  switch (e->op) {
  case INSERT:
    e->arg = ((uint64_t)(rank + 1) << 32) | ++values;
    e->result = (uint64_t)acp_insert_map(own, pair_of(e->key, e->arg));
    break;
  case REMOVE:
    acp_remove_map(own, key_of(e->key));
    e->blind = 1;
    break;
  default:
    e->op = LOAD;
    if (acp_retrieve_map(own, pair_of(e->key, 0)) == 8)
      e->result = memory[1];
  }
}

static const struct kind {
  const char *name;
  void (*create)(void);
  void (*key)(struct event *);
  void (*whole)(struct event *);
  void *handles;
} kinds[] = {
    {"set", set_create, set_key, set_whole, set},
    {"multiset", multiset_create, multiset_key, multiset_whole, multiset},
    {"map", map_create, map_key, map_whole, map},
};

static void carry_out(const struct kind *k, struct event e) {
  long long begin = now();
  (e.op >= CLEAR ? k->whole : k->key)(&e);
  printf("%d %lld %lld %d %d %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %d\n", rank, begin, now(), e.op, e.local, e.on, e.key,
         e.arg, e.result, e.blind);
}

int main(int argc, char **argv) {
  CHECK(acp_init(&argc, &argv) == 0);
  CHECK(argc == 4);
  const struct kind *k = kinds;
  while (strcmp(k->name, argv[1]) != 0)
    k++;
  rank = acp_rank();
  random_state = strtoull(argv[2], NULL, 10) + (uint64_t)rank * 7919;
  memory_ga = acp_query_starter_ga(rank) + 256;
  memory = acp_query_address(memory_ga);
  if (rank == 0) {
    k->create();
    memcpy(acp_query_address(acp_query_starter_ga(0)), k->handles, sizeof set);
  }
  CHECK(acp_sync() == 0);
  acp_complete(acp_copy(memory_ga, acp_query_starter_ga(0), sizeof set, ACP_HANDLE_NULL));
  memcpy(k->handles, memory, sizeof set);
  for (int steps = atoi(argv[3]); steps > 0; steps--) {
    static const int single[] = {INSERT, INSERT, REMOVE, LOAD}, whole[] = {CLEAR, SIZE, ASSIGN, MERGE, MOVE, MOVE, SWAP};
    struct event e = {.on = (int)next_random(2)};
    if (next_random(WHOLE) == 0) {
      e.op = whole[next_random(sizeof whole / sizeof *whole)];
      e.local = e.op != SWAP && e.op != CLEAR && next_random(3) == 0;
    } else {
      e.op = single[next_random(sizeof single / sizeof *single)];
      e.key = next_random(KEYS);
    }
    carry_out(k, e);
  }
  CHECK(acp_sync() == 0);
  for (uint64_t i = 0; rank == 0 && i < 2 * KEYS; i++)
    carry_out(k, (struct event){.op = LOAD, .on = (int)(i % 2), .key = i / 2});
  CHECK(acp_finalize() == 0);
  return 0;
}
