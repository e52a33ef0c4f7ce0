// Looks up keys, and reads their values. Programs fill a table once and look up keys often, and two thirds of the
// time of a lookup was the call into Go.
//
// Mirrors the operation Find of internal/structure/hashed, which is find of perform.go, with Retrieve of value.go.
// The code that they share with insertions is in keys.h and slots.h.
//
// docs/performance.md measures it as "map of 4 ranks, 8 B: find".

#include "find.h"

#include <string.h>

GOACP_INLINE int find(const struct goacp_request *r, struct goacp_outcome *o) {
  struct goacp_found m;
  if (!goacp_look(r, &m))
    return 0;
  o->elem = m.ga;
  o->number = m.ga != ACP_GA_NULL;
  return 1;
}

GOACP_INLINE int times_of(const struct goacp_request *r, struct goacp_outcome *o) {
  struct goacp_found m;
  if (!goacp_look(r, &m))
    return 0;
  o->number = m.ga != ACP_GA_NULL ? m.node->a : 0;
  return 1;
}

GOACP_INLINE int retrieve(const struct goacp_request *r, struct goacp_outcome *o) {
  struct goacp_found m;
  if (!goacp_look(r, &m))
    return 0;
  uint64_t n = m.ga == ACP_GA_NULL ? 0 : m.room < r->value.size ? m.room : r->value.size;
  if (n > 0)
    memmove((void *)r->in.more, m.value, n);
  o->number = n;
  return 1;
}

// The iterator of the key found at a place.
static inline struct goacp_table_it position(const struct goacp_tables *t, struct goacp_key_place at, acp_ga_t elem) {
  return elem != ACP_GA_NULL ? (struct goacp_table_it){*t, (int)at.table, (int)at.slot, elem}
                             : (struct goacp_table_it){*t, (int)t->num_ranks, 0, ACP_GA_NULL};
}

int goacp_try_find(int kind, struct goacp_tables t, acp_element_t key,
                    struct goacp_table_it *found) {
  const struct goacp_direct *d = goacp_direct();
  struct goacp_request r;
  struct goacp_table table;
  struct goacp_outcome o;
  if (!goacp_on_key(find, d, kind, &t, key, (acp_element_t){ACP_GA_NULL, 0}, 0, &table,
                    &r, &o))
    return 0;
  goacp_count_structure(d, table.rank, key.size);
  *found = position(&t, r.spot.at, o.elem);
  return 1;
}

int goacp_try_times(struct goacp_tables t, acp_element_t key, uint64_t *times) {
  const struct goacp_direct *d = goacp_direct();
  struct goacp_request r;
  struct goacp_table table;
  struct goacp_outcome o;
  if (!goacp_on_key(times_of, d, GOACP_MULTISET, &t, key, (acp_element_t){ACP_GA_NULL, 0}, 0, &table,
                    &r, &o))
    return 0;
  goacp_count_structure(d, table.rank, key.size);
  *times = o.number;
  return 1;
}

int goacp_try_retrieve(struct goacp_tables t, acp_element_t key, acp_element_t to, size_t *copied) {
  const struct goacp_direct *d = goacp_direct();
  struct goacp_request r;
  struct goacp_table table;
  struct goacp_outcome o;
  if (!goacp_on_key(retrieve, d, GOACP_MAP, &t, key, to, 0, &table, &r, &o))
    return 0;
  goacp_count_structure(d, table.rank, key.size + o.number);
  *copied = o.number;
  return 1;
}

static inline void store_position(void *to, const struct goacp_keys *k, int i, const struct goacp_outcome *o) {
  ((struct goacp_table_it *)to)[i] = position(&k->of, k->places[i], o->elem);
}

static inline void store_times(void *to, const struct goacp_keys *k, int i, const struct goacp_outcome *o) {
  (void)k;
  ((uint64_t *)to)[i] = o->number;
}

static inline void store_size(void *to, const struct goacp_keys *k, int i, const struct goacp_outcome *o) {
  (void)k;
  if (to != NULL)
    ((size_t *)to)[i] = o->number;
}

int goacp_try_find_many(struct goacp_keys *k, int kind, struct goacp_tables t, const acp_element_t *keys,
                         int count, struct goacp_table_it *found) {
  return goacp_try_keys(find, 0, 0, k, kind, t, found != NULL ? keys : NULL, 1, count, store_position, found);
}

int goacp_try_times_many(struct goacp_keys *k, struct goacp_tables t, const acp_element_t *keys, int count,
                          uint64_t *times) {
  return goacp_try_keys(times_of, 0, 0, k, GOACP_MULTISET, t, times != NULL ? keys : NULL, 1, count, store_times,
                        times);
}

int goacp_try_retrieve_many(struct goacp_keys *k, struct goacp_tables t, const acp_pair_t *pairs, int count,
                             size_t *copied) {
  return goacp_try_keys(retrieve, 0, 0, k, GOACP_MAP, t, (const acp_element_t *)pairs, 2, count, store_size, copied);
}
