// Looks for keys, and reads what belongs to them. Programs fill a table once and look keys up often, and
// two thirds of the time of a lookup was the call into Go.
//
// Mirrors the operation Find of internal/hashed, which is find of perform.go, with Retrieve of value.go.
// What they have in common with insertions is in slots.h.
//
// In docs/performance.md this gives "map of 4 ranks, 8 B: find", 44 ns where Go takes 124.

#include "find.h"
#include "input.h"
#include "slots.h"

#include <string.h>

// Looks for a key whose bytes stay valid meanwhile, and leaves the slot locked. Returns 0 if Go has to look.
static inline int hold_key(const struct goacp_direct *d, int kind, const struct goacp_tables *t,
                           const void *key, uint64_t size, struct goacp_key_slot *spot,
                           struct goacp_found *m) {
  if (!goacp_find_slot(d, kind, t, key, size, spot) || !goacp_hold(spot))
    return 0;
  if (goacp_search(spot, key, size, m))
    return 1;
  goacp_let_go(spot);
  return 0;
}

int goacp_find_here(int kind, struct goacp_tables t, acp_element_t key,
                    struct goacp_table_it *found) {
  const struct goacp_direct *d = goacp_direct();
  struct goacp_input in;
  if (d == NULL || !goacp_bring(d, key, (acp_element_t){ACP_GA_NULL, 0}, &in))
    return 0;
  struct goacp_key_slot spot;
  struct goacp_found m;
  int decided = hold_key(d, kind, &t, in.data, key.size, &spot, &m);
  if (decided) {
    goacp_let_go(&spot);
    goacp_count_key(d, &spot, key.size);
    *found = m.ga != ACP_GA_NULL
                 ? (struct goacp_table_it){t, (int)spot.index, (int)spot.number, m.ga}
                 : (struct goacp_table_it){t, (int)t.num_ranks, 0, ACP_GA_NULL};
  }
  goacp_release(&in);
  return decided;
}

int goacp_times_here(struct goacp_tables t, acp_element_t key, uint64_t *times) {
  const struct goacp_direct *d = goacp_direct();
  struct goacp_input in;
  if (d == NULL || !goacp_bring(d, key, (acp_element_t){ACP_GA_NULL, 0}, &in))
    return 0;
  struct goacp_key_slot spot;
  struct goacp_found m;
  int decided = hold_key(d, GOACP_MULTISET, &t, in.data, key.size, &spot, &m);
  if (decided) {
    *times = m.ga != ACP_GA_NULL ? m.node->a : 0;
    goacp_let_go(&spot);
    goacp_count_key(d, &spot, key.size);
  }
  goacp_release(&in);
  return decided;
}

int goacp_retrieve_here(struct goacp_tables t, acp_element_t key, acp_element_t to, size_t *copied) {
  const struct goacp_direct *d = goacp_direct();
  struct goacp_input in;
  if (d == NULL || !goacp_bring(d, key, to, &in))
    return 0;
  struct goacp_key_slot spot;
  struct goacp_found m;
  int decided = hold_key(d, GOACP_MAP, &t, in.data, key.size, &spot, &m);
  if (decided) {
    uint64_t n = m.ga == ACP_GA_NULL ? 0 : m.room < to.size ? m.room : to.size;
    if (n > 0)
      memmove((void *)in.more, m.value, n);
    goacp_let_go(&spot);
    goacp_count_key(d, &spot, key.size + n);
    *copied = n;
  }
  goacp_release(&in);
  return decided;
}
