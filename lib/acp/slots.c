// Finds slots of sets, multisets and maps in mapped memory, and keys in them: see slots.h.

#include "slots.h"
#include "atomics.h"

#include <string.h>

// If a slot has more elements than this, Go searches for the key: Go has the maximum number of elements of a slot.
#define MOST 1000000

// For CRC-64.
static uint64_t crc[256];

static __attribute__((constructor)) void make_crc(void) {
  for (uint64_t i = 0; i < 256; i++) {
    uint64_t c = i;
    for (int bit = 0; bit < 8; bit++)
      c = c >> 1 ^ (c % 2 != 0 ? GOACP_HASH_POLYNOMIAL : 0);
    crc[i] = c;
  }
}

static uint64_t checksum(const unsigned char *b, uint64_t n) {
  uint64_t c = ~(uint64_t)0;
  for (uint64_t i = 0; i < n; i++)
    c = crc[(c ^ b[i]) & 255] ^ c >> 8;
  return ~c;
}

// Whether the mark is that of a table that exists and that no rank has acquired. The order of the first load is for
// goacp_hold.
static inline int there(const struct goacp_table *t) {
  return goacp_load_seq_cst(&t->mark->kind) == t->want.kind &&
         goacp_load_relaxed(&t->mark->directory) == t->want.directory &&
         goacp_load_relaxed(&t->mark->position) == t->want.position &&
         goacp_load_relaxed(&t->mark->slots) == t->want.slots;
}

struct goacp_key_place goacp_place(const struct goacp_tables *t, const void *key, uint64_t size) {
  if (size == 0 || t->num_ranks - 1 >= INT32_MAX || t->num_slots - 1 >= INT32_MAX || t->ga % 8 != 0)
    return (struct goacp_key_place){GOACP_NO_TABLE, 0};
  uint64_t h = checksum(key, size) >> GOACP_HASH_SHIFT, round = h / t->num_slots;
  return (struct goacp_key_place){(uint32_t)(round % t->num_ranks), (uint32_t)(h - round * t->num_slots)};
}

int goacp_open_table(const struct goacp_direct *d, int kind, const struct goacp_tables *t, uint32_t i,
                     struct goacp_table *found) {
  const uint64_t *entry = goacp_at(d, t->ga + 8 * (uint64_t)i, 8);
  if (entry == NULL)
    return 0;
  uint64_t ga = goacp_load_relaxed(entry), rank = goacp_rank_of(ga);
  uint64_t bytes = t->num_slots * sizeof(struct goacp_slot);
  struct goacp_heap heap = goacp_heap_of(d, rank);
  char *slots = goacp_words_in_heap(&heap, ga, bytes + sizeof(struct goacp_mark));
  if (slots == NULL)
    return 0;
  *found = (struct goacp_table){kind,
                                heap,
                                (struct goacp_slot *)slots,
                                (struct goacp_mark *)(slots + bytes),
                                {.kind = GOACP_MARK_BASE + (uint64_t)kind,
                                 .directory = t->ga,
                                 .position = (uint64_t)i << 32 | t->num_ranks,
                                 .slots = t->num_slots},
                                rank};
  return there(found);
}

// The table may have been destroyed or acquired since it was found, so only the mark that is read under the lock
// counts. A rank that acquires the table changes the mark and then loads each lock (settle in exclusive.go). Here the
// lock is stored and then the mark is loaded. All four accesses are sequentially consistent. So either that rank waits
// for the lock, or this thread finds the changed mark.
int goacp_hold(const struct goacp_table *t, struct goacp_slot *s) {
  uint64_t free = 0, taken = 1;
  if (!goacp_compare_exchange_seq_cst(&s->lock, &free, 1))
    return 0;
  if (there(t))
    return 1;
  // The memory of the lock now has another use, and its new user may have written it.
  goacp_compare_exchange_release(&s->lock, &taken, 0);
  return 0;
}

// The bytes of the key of n. If n is not an element of a map, it is more than a key can have.
static inline uint64_t key_size(int kind, const struct goacp_node *n) {
  if (kind == GOACP_SET)
    return n->a;
  return kind == GOACP_MULTISET || (n->a >= 8 && n->b <= n->a - 8) ? n->b : UINT64_MAX;
}

int goacp_search(const struct goacp_table *t, const struct goacp_slot *s, const void *key, uint64_t size,
                 struct goacp_found *found) {
  uint64_t head = goacp_key_head(t->kind), left = s->count;
  found->ga = ACP_GA_NULL;
  if (left > MOST)
    return 0;
  for (acp_ga_t ga = s->first; ga != ACP_GA_NULL && left > 0; left--) {
    struct goacp_node *n = goacp_words_in_heap(&t->heap, ga, sizeof *n);
    if (n == NULL)
      return 0;
    if (key_size(t->kind, n) == size) {
      uint64_t value = t->kind == GOACP_MAP ? n->a - 8 - size : 0;
      char *its = goacp_in_heap(&t->heap, ga + head, size + value);
      if (its == NULL)
        return 0;
      if (memcmp(its, key, size) == 0) {
        *found = (struct goacp_found){ga, n, its + size, value};
        return 1;
      }
    }
    ga = n->next;
  }
  return 1;
}
