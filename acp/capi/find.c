// Looks for keys. Programs fill a table once and look keys up often, and two thirds of the time of
// a lookup was the call into Go. Go does everything that changes a table.
//
// Mirrors the operation Find of internal/hashed: find_key is Place (place.go) and table.find
// (perform.go), find_table is open and mark.says (table.go, layout.go), hold is table.hold
// (lock.go), search is table.search (chain.go), key_size is Kind.sizes (layout.go).
//
// In docs/performance.md this gives "map of 4 ranks, 8 B: find", 115 ns where Go takes 366.

#include "find.h"
#include "readers.h"
#include "traffic.h"

#include <string.h>

// If a slot has more elements than this, Go looks for the key: it knows how many a slot can have.
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

// Memory of this process or of another whose memory is mapped. If ga is registered memory,
// the caller has entered the regions.
static const void *at(const struct goacp_direct *d, uint64_t ga, uint64_t n) {
  const void *p = goacp_at(d, ga, n);
  return p != NULL ? p : goacp_own(d, ga, n);
}

// The bytes of the key of n. If n is not an element of a map, it is more than a key can have.
static inline uint64_t key_size(int kind, const struct goacp_node *n) {
  if (kind == GOACP_SET)
    return n->a;
  return kind == GOACP_MULTISET || (n->a >= 8 && n->b <= n->a - 8) ? n->b : UINT64_MAX;
}

// Looks in a slot whose lock this process holds. Returns 0 if a link is wrong.
static int search(const struct goacp_direct *d, int kind, const struct goacp_slot *s,
                  const void *key, uint64_t size, uint64_t *elem) {
  uint64_t head = kind == GOACP_SET ? GOACP_SET_ELEMENT_HEAD : GOACP_ELEMENT_HEAD;
  uint64_t left = s->count;
  *elem = ACP_GA_NULL;
  if (left > MOST)
    return 0;
  for (uint64_t ga = s->first; ga != ACP_GA_NULL && left > 0; left--) {
    const struct goacp_node *n = goacp_at(d, ga, sizeof *n);
    if (n == NULL || ga % 8 != 0)
      return 0;
    if (key_size(kind, n) == size) {
      const void *its = goacp_at(d, ga + head, size);
      if (its == NULL)
        return 0;
      if (memcmp(its, key, size) == 0) {
        *elem = ga;
        return 1;
      }
    }
    ga = n->next;
  }
  return 1;
}

// A table, at the address that the directory gives.
struct table {
  struct goacp_slot *slots;
  const struct goacp_mark *mark;
  struct goacp_mark want; // what the mark says as long as the table is there
  uint64_t rank;          // whose memory it is
};

static inline int there(const struct table *t) {
  return __atomic_load_n(&t->mark->kind, __ATOMIC_RELAXED) == t->want.kind &&
         __atomic_load_n(&t->mark->directory, __ATOMIC_RELAXED) == t->want.directory &&
         __atomic_load_n(&t->mark->position, __ATOMIC_RELAXED) == t->want.position &&
         __atomic_load_n(&t->mark->slots, __ATOMIC_RELAXED) == t->want.slots;
}

// Finds table i of t. Returns 0 if it is not there.
static int find_table(const struct goacp_direct *d, int kind,
                      const struct goacp_tables *t, uint64_t i, struct table *found) {
  const uint64_t *entry = goacp_at(d, t->ga + 8 * i, 8);
  if (entry == NULL)
    return 0;
  uint64_t ga = __atomic_load_n(entry, __ATOMIC_RELAXED);
  uint64_t bytes = t->num_slots * sizeof(struct goacp_slot);
  struct goacp_slot *slots = goacp_at(d, ga, bytes + sizeof(struct goacp_mark));
  if (slots == NULL || ga % 8 != 0)
    return 0;
  *found = (struct table){slots,
                          (const struct goacp_mark *)((char *)slots + bytes),
                          {.kind = GOACP_MARK_BASE + (uint64_t)kind,
                           .directory = t->ga,
                           .position = i << 32 | t->num_ranks,
                           .slots = t->num_slots},
                          goacp_rank_of(ga)};
  return there(found);
}

// Takes the lock of a slot. The table may have been destroyed since it was found, so only the mark
// that is read under the lock counts. Returns 0 if the lock is taken or the table is gone.
static int hold(const struct table *t, struct goacp_slot *s) {
  uint64_t free = 0, taken = 1;
  if (!__atomic_compare_exchange_n(&s->lock, &free, 1, 0, __ATOMIC_ACQUIRE,
                                   __ATOMIC_RELAXED))
    return 0;
  if (there(t))
    return 1;
  // The memory of the lock has another use now, and its new user may have written it meanwhile.
  __atomic_compare_exchange_n(&s->lock, &taken, 0, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
  return 0;
}

// Looks for a key whose memory stays valid meanwhile.
static int find_key(const struct goacp_direct *d, int kind,
                    struct goacp_tables t, acp_element_t key,
                    struct goacp_table_it *found) {
  const void *bytes = at(d, key.ga, key.size);
  if (bytes == NULL)
    return 0;
  uint64_t h = checksum(bytes, key.size) >> GOACP_HASH_SHIFT;
  uint64_t i = h / t.num_slots % t.num_ranks, number = h % t.num_slots;
  struct table table;
  if (!find_table(d, kind, &t, i, &table))
    return 0;
  struct goacp_slot *s = &table.slots[number];
  uint64_t elem;
  if (!hold(&table, s))
    return 0;
  int decided = search(d, kind, s, bytes, key.size, &elem);
  __atomic_store_n(&s->lock, 0, __ATOMIC_RELEASE);
  struct goacp_traffic *of = goacp_traffic(d);
  if (__builtin_expect(of != NULL, 0) && decided)
    goacp_count_rank(of, table.rank, GOACP_TRAFFIC_STRUCTURE, GOACP_TRAFFIC_SHM, key.size);
  *found = elem != ACP_GA_NULL
               ? (struct goacp_table_it){t, (int)i, (int)number, elem}
               : (struct goacp_table_it){t, (int)t.num_ranks, 0, ACP_GA_NULL};
  return decided;
}

int goacp_find_here(int kind, struct goacp_tables t, acp_element_t key,
                    struct goacp_table_it *found) {
  const struct goacp_direct *d = goacp_direct();
  if (d == NULL || key.size == 0 || t.num_ranks - 1 >= INT32_MAX ||
      t.num_slots - 1 >= INT32_MAX || t.ga % 8 != 0)
    return 0;
  if (!goacp_registered(d, key.ga))
    return find_key(d, kind, t, key, found);
  struct goacp_visit v = goacp_begin_visit(d);
  int decided = find_key(d, kind, t, key, found);
  goacp_end_visit(v);
  return decided;
}
