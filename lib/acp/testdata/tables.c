// Sets, multisets and maps over all ranks. All ranks insert at the same time, read the memory as
// old programs do, iterate, and make every possible mistake.
#include "check.h"

enum { KEYS = 60, SLOTS = 7 };

static unsigned char *scratch; // key at 0, value at 256, what was retrieved at 512
static acp_ga_t scratch_ga;
static int rank, procs;

static acp_element_t key_of(int i) {
  acp_element_t e = {scratch_ga, 0};
  e.size = (size_t)sprintf((char *)scratch, "key %d", i);
  return e;
}

static acp_pair_t pair_of(int i) {
  acp_pair_t p;
  p.first = key_of(i);
  p.second.ga = scratch_ga + 256;
  p.second.size = (size_t)sprintf((char *)scratch + 256, "value of %d", i);
  return p;
}

static const uint64_t *words(acp_ga_t ga) {
  const uint64_t *w = acp_query_address(ga);
  CHECK(w != NULL);
  return w;
}

// Reads the table on this rank and returns the number of its elements. The address of the table is
// in the directory, which every rank copies to its own scratch memory. head is the number of bytes
// of an element before its key. No rank may use the table meanwhile: even a search takes locks.
static uint64_t walk(acp_ga_t directory, int head, const char *kind) {
  acp_complete(acp_copy(scratch_ga + 1024, directory + 8 * (acp_ga_t)rank, 8, ACP_HANDLE_NULL));
  acp_ga_t table;
  memcpy(&table, scratch + 1024, 8);
  CHECK(acp_query_rank(table) == rank);
  uint64_t all = 0;
  for (int s = 0; s < SLOTS; s++) {
    const uint64_t *slot = words(table) + 4 * s;
    CHECK(slot[0] == 0);
    acp_ga_t prev = ACP_GA_NULL;
    uint64_t count = 0;
    for (acp_ga_t e = slot[1]; e != ACP_GA_NULL; count++) {
      const uint64_t *w = words(e);
      CHECK(w[1] == prev);
      uint64_t size = head == 24 ? w[2] : w[3];
      const char *key = (const char *)w + head;
      CHECK(size >= 5 && size < 8 && memcmp(key, "key ", 4) == 0);
      int i = atoi(key + 4);
      if (strcmp(kind, "map") == 0) {
        char value[32];
        int length = sprintf(value, "value of %d", i);
        CHECK(w[2] == 8 + size + (uint64_t)length);
        CHECK(memcmp(key + size, value, (size_t)length) == 0);
      } else if (strcmp(kind, "multiset") == 0) {
        CHECK(w[2] == (uint64_t)procs);
      }
      prev = e;
      e = w[0];
    }
    CHECK(slot[2] == prev);
    CHECK(slot[3] == count);
    all += count;
  }
  return all;
}

// Rank 0 sends the other ranks the handle at from, of 24 bytes.
static void share(void *handle) {
  if (rank == 0) {
    memcpy(scratch, handle, 24);
    for (int r = 0; r < procs; r++)
      acp_complete(acp_copy(acp_query_starter_ga(r), scratch_ga, 24, ACP_HANDLE_NULL));
  }
  acp_sync();
  memcpy(handle, acp_query_address(acp_query_starter_ga(rank)), 24);
  acp_sync();
}

static int *all_ranks(void) {
  static int list[16];
  for (int r = 0; r < procs; r++)
    list[r] = r;
  return list;
}

// Iterates over all of name and over the local part, and counts.
#define ITERATE(name, member, KEY)                                             \
  static void iterate_##name(acp_##name##_t t, uint64_t local) {               \
    uint64_t n = 0;                                                            \
    acp_##name##_it_t it;                                                      \
    for (it = acp_begin_##name(t); it.rank < (int)it.member.num_ranks;         \
         it = acp_increment_##name##_it(it), n++) {                            \
      acp_element_t key = KEY(acp_dereference_##name##_it(it));                \
      CHECK(key.size >= 5 && key.size < 8);                                    \
      acp_complete(acp_copy(scratch_ga, key.ga, key.size, ACP_HANDLE_NULL));   \
      CHECK(memcmp(scratch, "key ", 4) == 0);                                  \
      key.ga = scratch_ga;                                                     \
      acp_##name##_it_t found = acp_find_##name(t, key);                       \
      CHECK(found.elem == it.elem && found.slot == it.slot);                   \
      CHECK(found.rank == it.rank && found.member.ga == t.ga);                 \
    }                                                                          \
    CHECK(n == KEYS && acp_size_##name(t) == KEYS);                            \
    acp_##name##_it_t end = acp_end_##name(t);                                 \
    CHECK(it.elem == ACP_GA_NULL && it.slot == 0 && it.rank == end.rank);      \
    CHECK(acp_increment_##name##_it(end).elem == ACP_GA_NULL);                 \
    CHECK(KEY(acp_dereference_##name##_it(end)).ga == ACP_GA_NULL);            \
    n = 0;                                                                     \
    end = acp_end_local_##name(t);                                             \
    for (it = acp_begin_local_##name(t);                                       \
         it.rank != end.rank || it.elem != end.elem;                           \
         it = acp_increment_##name##_it(it), n++)                              \
      CHECK(it.rank == rank);                                                  \
    CHECK(n == local && acp_size_local_##name(t) == local);                    \
    CHECK(acp_empty_local_##name(t) == (local == 0));                          \
    CHECK(acp_empty_##name(t) == 0);                                           \
  }

#define SELF(e) (e)
#define FIRST(p) ((p).first)
ITERATE(set, set, SELF)
ITERATE(multiset, set, SELF)
ITERATE(map, map, FIRST)

// The steps that all three have in common. INSERT inserts key i.
#define PLAY(name, head, INSERT)                                               \
  static void play_##name(void) {                                              \
    acp_##name##_t t = {ACP_GA_NULL, 0, 0};                                    \
    if (rank == 0)                                                             \
      t = acp_create_##name(procs, all_ranks(), SLOTS, procs - 1);             \
    share(&t);                                                                 \
    CHECK(t.ga != ACP_GA_NULL && t.num_slots == SLOTS);                        \
    CHECK(t.num_ranks == (uint64_t)procs);                                     \
    CHECK(acp_query_rank(t.ga) == procs - 1);                                  \
    CHECK(acp_empty_##name(t) == 1);                                           \
    acp_sync();                                                                \
    for (int i = 0; i < KEYS; i++)                                             \
      INSERT;                                                                  \
    acp_sync();                                                                \
    uint64_t local = walk(t.ga, head, #name);                                  \
    acp_sync(); /* to find a key takes the lock of its slot */                 \
    iterate_##name(t, local);                                                  \
    acp_##name##_t other = acp_create_##name(1, &rank, 3, rank);               \
    CHECK(other.ga != ACP_GA_NULL);                                            \
    acp_assign_##name(other, t);                                               \
    CHECK(acp_size_##name(other) == KEYS);                                     \
    acp_assign_local_##name(other, t);                                         \
    CHECK(acp_size_##name(other) == acp_size_local_##name(t));                 \
    acp_clear_##name(other);                                                   \
    acp_merge_local_##name(other, t);                                          \
    acp_merge_##name(other, t);                                                \
    CHECK(acp_size_local_##name(other) == KEYS);                               \
    acp_##name##_t third = acp_create_##name(procs, all_ranks(), 5, rank);     \
    acp_move_##name(third, other);                                             \
    CHECK(acp_empty_##name(other) == 1 && acp_size_##name(third) == KEYS);     \
    acp_move_local_##name(other, third);                                       \
    CHECK(acp_size_##name(other) + acp_size_##name(third) == KEYS);            \
    CHECK(acp_size_local_##name(third) == 0);                                  \
    uint64_t moved = acp_size_##name(other);                                   \
    acp_swap_##name(other, third);                                             \
    CHECK(acp_size_##name(third) == moved);                                    \
    acp_sync();                                                                \
    for (int i = rank; i < KEYS; i += procs)                                   \
      REMOVE_##name;                                                           \
    acp_sync();                                                                \
    CHECK(acp_empty_##name(t) == 1);                                           \
    ACP_ERRNO = 0;                                                             \
    CHECK(acp_find_##name(t, key_of(1)).elem == ACP_GA_NULL);                  \
    acp_remove_##name(t, key_of(1));                                           \
    CHECK(ACP_ERRNO == 0);                                                     \
    acp_element_t nothing = {scratch_ga, 0};                                   \
    FAILS(acp_find_##name(t, nothing).elem, ACP_GA_NULL, EINVAL);              \
    ACP_ERRNO = 0;                                                             \
    acp_destroy_##name(other);                                                 \
    acp_destroy_##name(third);                                                 \
    CHECK(ACP_ERRNO == 0);                                                     \
    acp_destroy_##name(third);                                                 \
    CHECK(ACP_ERRNO == EINVAL || ACP_ERRNO == EFAULT);                         \
    acp_sync();                                                                \
    if (rank == 0)                                                             \
      acp_destroy_##name(t);                                                   \
    int none = procs;                                                          \
    FAILS(acp_create_##name(1, &none, 5, 0).ga, ACP_GA_NULL, EINVAL);          \
    FAILS(acp_create_##name(1, &rank, 0, 0).ga, ACP_GA_NULL, EINVAL);          \
    FAILS(acp_create_##name(0, &rank, 5, 0).ga, ACP_GA_NULL, EINVAL);          \
    FAILS(acp_create_##name(1, NULL, 5, 0).ga, ACP_GA_NULL, EINVAL);           \
    FAILS(acp_create_##name(1, &rank, 5, -1).ga, ACP_GA_NULL, EINVAL);         \
    FAILS(acp_create_##name(1, &rank, 1 << 30, 0).ga, ACP_GA_NULL, ENOMEM);    \
    acp_##name##_t no = {ACP_GA_NULL, 1, 1};                                   \
    FAILS(acp_size_##name(no), 0, EFAULT);                                     \
    FAILS(acp_begin_##name(no).elem, ACP_GA_NULL, EFAULT);                     \
  }

#define REMOVE_set acp_remove_set(t, key_of(i))
#define REMOVE_map acp_remove_map(t, key_of(i))
// Removes one of the multiplicity at a time, and the last by remove_all.
#define REMOVE_multiset                                                        \
  do {                                                                         \
    for (int left = procs; left > 0; left--) {                                 \
      CHECK(acp_retrieve_multiset(t, key_of(i)) == (uint64_t)left);            \
      if (left > 1)                                                            \
        acp_remove_multiset(t, key_of(i));                                     \
    }                                                                          \
    acp_remove_all_multiset(t, key_of(i));                                     \
    CHECK(acp_retrieve_multiset(t, key_of(i)) == 0);                           \
  } while (0)

static uint64_t inserted; // pairs, by this rank

static void insert_pair(acp_map_t map, int i) {
  acp_pair_t pair = pair_of(i);
  ACP_ERRNO = 0;
  inserted += (uint64_t)acp_insert_map(map, pair);
  CHECK(ACP_ERRNO == 0);
  size_t size = pair.second.size;
  for (size_t capacity = 0; capacity < size + 3; capacity++) {
    size_t n = capacity < size ? capacity : size;
    pair.second.ga = scratch_ga + 512;
    pair.second.size = capacity;
    memset(scratch + 512, 0, 64);
    CHECK(acp_retrieve_map(map, pair) == n);
    CHECK(memcmp(scratch + 512, scratch + 256, n) == 0);
    CHECK(scratch[512 + n] == 0);
  }
}

PLAY(set, 24, CHECK(acp_insert_set(t, key_of(i)) == 1))
PLAY(multiset, 32, CHECK(acp_insert_multiset(t, key_of(i)) == 1))
PLAY(map, 32, insert_pair(t, i))

// What only maps and sets have.
static void differences(void) {
  acp_map_t map = acp_create_map(1, &rank, 4, 0);
  CHECK(acp_insert_map(map, pair_of(1)) == 1);
  FAILS(acp_insert_map(map, pair_of(1)), 0, 0);
  acp_pair_t pair = pair_of(1);
  pair.second.size = 0;
  FAILS(acp_insert_map(map, pair), 0, 0); // removes it
  CHECK(acp_empty_map(map) == 1);
  FAILS(acp_retrieve_map(map, pair_of(1)), 0, 0);
  pair = pair_of(1);
  pair.first.size = 0;
  FAILS(acp_insert_map(map, pair), 0, EINVAL);
  FAILS(acp_retrieve_map(map, pair), 0, EINVAL);
  CHECK(acp_insert_map(map, pair_of(2)) == 1);
  acp_pair_t where = acp_dereference_map_it(acp_begin_map(map));
  CHECK(where.second.ga == where.first.ga + where.first.size);
  CHECK(memcmp(acp_query_address(where.second.ga), "value of 2", 10) == 0);
  acp_clear_local_map(map);
  CHECK(acp_empty_map(map) == 1);
  acp_destroy_map(map);

  acp_set_t set = acp_create_set(1, &rank, 4, rank);
  CHECK(acp_insert_set(set, key_of(1)) == 1);
  CHECK(acp_insert_set(set, key_of(1)) == 1);
  CHECK(acp_size_set(set) == 1);
  acp_element_t nothing = {scratch_ga, 0};
  FAILS(acp_insert_set(set, nothing), 0, EINVAL);
  acp_clear_local_set(set);
  CHECK(acp_empty_set(set) == 1);
  acp_destroy_set(set);
}

int main(int argc, char **argv) {
  acp_set_t early = {4096, 1, 1};
  FAILS(acp_size_set(early), 0, EPERM);
  CHECK(acp_init(&argc, &argv) == 0);
  rank = acp_rank();
  procs = acp_procs();
  scratch_ga = acp_malloc(4096, rank);
  scratch = acp_query_address(scratch_ga);
  CHECK(scratch != NULL);
  play_set();
  play_multiset();
  play_map();
  // All ranks have tried all keys, and each was inserted once.
  acp_ga_t sum = acp_query_starter_ga(0) + 64;
  acp_complete(acp_add8(scratch_ga, sum, inserted, ACP_HANDLE_NULL));
  acp_sync();
  acp_complete(acp_copy(scratch_ga, sum, 8, ACP_HANDLE_NULL));
  CHECK(*(uint64_t *)scratch == KEYS);
  differences();
  acp_free(scratch_ga);
  CHECK(acp_finalize() == 0);
  return 0;
}
