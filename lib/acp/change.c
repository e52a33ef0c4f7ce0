// Inserts keys in sets, multisets and maps, and removes them. Go waits for locks, and makes elements if an iterator
// may still refer to the block.
//
// Mirrors internal/structure/hashed: add and take_away are insert with insertAgain, and remove (perform.go), enter and
// take_out are enter and takeOut, fill is Kind.fill (layout.go), links is links (chain.go), tombstones and add_tombstone
// are tombstones and addTombstone (tombstones.go).
//
// docs/performance.md measures it as "map of 4 ranks, 8 B: insert" and "map of 4 ranks, 8 B: remove".

#include "change.h"
#include "atomics.h"
#include "heap.h"

#include <string.h>

static inline void store(void *to, const struct goacp_keys *k, int i, const struct goacp_outcome *o) {
  (void)k;
  if (to != NULL)
    ((int *)to)[i] = (int)o->number;
}

// The tombstones of a slot, the latest first, or NULL if the table keeps none.
static struct goacp_tombstone *tombstones(const struct goacp_key_slot *spot, uint64_t *n) {
  uint64_t left = goacp_load_seq_cst(&spot->table->mark->left);
  uint64_t each = GOACP_MANY_TOMBSTONES / spot->table->want.slots;
  *n = each > GOACP_FEW_TOMBSTONES ? each : GOACP_FEW_TOMBSTONES;
  if (left == 0 || left % 8 != 0)
    return NULL;
  uint64_t size = *n * sizeof(struct goacp_tombstone);
  return goacp_in_heap(&spot->table->heap, left + spot->at.slot * size, size);
}

// Whether the slot has tombstones, so that a new element may not have any address.
static int has_tombstones(const struct goacp_key_slot *spot) {
  uint64_t n;
  const struct goacp_tombstone *all = tombstones(spot, &n);
  for (uint64_t i = 0; all != NULL && i < n; i++)
    if (all[i].elem != 0)
      return 1;
  return 0;
}

// Notes that elem is no longer in the slot, and that next follows its place.
static void add_tombstone(const struct goacp_key_slot *spot, acp_ga_t elem, acp_ga_t next) {
  uint64_t n;
  struct goacp_tombstone *all = tombstones(spot, &n);
  if (all == NULL)
    return;
  for (uint64_t i = 0; i < n; i++)
    if (all[i].elem != 0 && all[i].next == elem)
      all[i].next = next;
  memmove(all + 1, all, (n - 1) * sizeof *all);
  all[0] = (struct goacp_tombstone){elem, next};
}

// Writes the head of a new element, except its links.
static inline void fill(int kind, struct goacp_node *n, uint64_t key, uint64_t value) {
  switch (kind) {
  case GOACP_SET:
    n->a = key;
    break;
  case GOACP_MULTISET:
    n->a = 1;
    n->b = key;
    break;
  default:
    n->a = 8 + key + value;
    n->b = key;
  }
}

// Makes an element and appends it to the chain.
GOACP_INLINE int enter(const struct goacp_request *r) {
  const struct goacp_key_slot *spot = &r->spot;
  uint64_t key = r->key.size, value = r->value.size;
  struct goacp_slot *s = spot->slot;
  const struct goacp_table *t = spot->table;
  uint64_t head = goacp_key_head(t->kind);
  struct goacp_node *last = NULL;
  if (s->last != ACP_GA_NULL &&
      (last = goacp_words_in_heap(&t->heap, s->last, sizeof *last)) == NULL)
    return 0;
  uint64_t *before = last != NULL ? &last->next : &s->first;
  if (*before != ACP_GA_NULL || has_tombstones(spot) || key > GOACP_LARGE_SIZE - head ||
      value > GOACP_LARGE_SIZE - head - key)
    return 0;
  void *block;
  acp_ga_t ga = goacp_try_block(head + key + value, (int)t->rank, &block);
  if (ga == ACP_GA_NULL)
    return 0;
  struct goacp_node *n = block;
  n->next = ACP_GA_NULL;
  n->prev = s->last;
  fill(t->kind, n, key, value);
  memcpy((char *)block + head, r->in.data, key);
  if (value > 0)
    memcpy((char *)block + head + key, r->in.more, value);
  *before = ga;
  s->last = ga;
  goacp_store_seq_cst(&s->count, s->count + 1);
  return 1;
}

// Inserts the key of a request once. To insert an empty value in a map is to remove the key.
GOACP_INLINE int add(const struct goacp_request *r, struct goacp_outcome *o) {
  int kind = r->spot.table->kind;
  struct goacp_found old;
  if ((kind == GOACP_MAP && r->value.size == 0) || !goacp_look(r, &old))
    return 0;
  o->number = old.ga == ACP_GA_NULL;
  if (o->number)
    return enter(r);
  if (kind != GOACP_MULTISET)
    return 1;
  if (old.node->a == UINT64_MAX)
    return 0;
  old.node->a++;
  return 1;
}

int goacp_try_add(int kind, struct goacp_tables t, acp_element_t key, acp_element_t value, int *added) {
  const struct goacp_direct *d = goacp_direct();
  struct goacp_request r;
  struct goacp_table table;
  struct goacp_outcome o;
  if (!goacp_on_key(add, d, kind, &t, key, value, 0, &table, &r, &o))
    return 0;
  goacp_count_structure(d, table.rank, key.size + value.size);
  *added = (int)o.number;
  return 1;
}

int goacp_try_add_many(struct goacp_keys *k, int kind, struct goacp_tables t, const acp_element_t *keys,
                        size_t step, int count, int *results) {
  return goacp_try_keys(add, 0, step == 2, k, kind, t, keys, step, count, store, results);
}

// The two words that contain the address of an element: before it and after it in the chain. Returns 0 if a word has
// another address.
static inline int links(const struct goacp_key_slot *spot, const struct goacp_found *m, uint64_t **before,
                        uint64_t **behind) {
  const struct goacp_heap *heap = &spot->table->heap;
  *before = &spot->slot->first;
  *behind = &spot->slot->last;
  if (m->node->prev != ACP_GA_NULL) {
    struct goacp_node *n = goacp_words_in_heap(heap, m->node->prev, sizeof *n);
    if (n == NULL)
      return 0;
    *before = &n->next;
  }
  if (m->node->next != ACP_GA_NULL) {
    struct goacp_node *n = goacp_words_in_heap(heap, m->node->next, sizeof *n);
    if (n == NULL)
      return 0;
    *behind = &n->prev;
  }
  return **before == m->ga && **behind == m->ga;
}

// Takes an element out of the chain and frees it.
GOACP_INLINE int take_out(const struct goacp_key_slot *spot, const struct goacp_found *m) {
  uint64_t *before, *behind;
  if (!links(spot, m, &before, &behind))
    return 0;
  acp_ga_t next = m->node->next, prev = m->node->prev;
  if (next == m->ga || prev == m->ga)
    return 0;
  // Another rank may take the block as soon as it is free. Nothing below reads it.
  if (!goacp_try_free(m->ga))
    return 0;
  *before = next;
  *behind = prev;
  goacp_store_seq_cst(&spot->slot->count, spot->slot->count - 1);
  add_tombstone(spot, m->ga, next);
  return 1;
}

// Removes the key of a request, from a multiset as often as its argument.
GOACP_INLINE int take_away(const struct goacp_request *r, struct goacp_outcome *o) {
  struct goacp_found m;
  if (!goacp_look(r, &m))
    return 0;
  o->number = m.ga != ACP_GA_NULL;
  if (!o->number)
    return 1;
  if (r->spot.table->kind != GOACP_MULTISET || m.node->a <= r->arg)
    return take_out(&r->spot, &m);
  m.node->a -= r->arg;
  return 1;
}

int goacp_try_remove(int kind, struct goacp_tables t, acp_element_t key, uint64_t times, int *removed) {
  const struct goacp_direct *d = goacp_direct();
  struct goacp_request r;
  struct goacp_table table;
  struct goacp_outcome o;
  if (!goacp_on_key(take_away, d, kind, &t, key, (acp_element_t){ACP_GA_NULL, 0}, times, &table,
                    &r, &o))
    return 0;
  goacp_count_structure(d, table.rank, key.size);
  *removed = (int)o.number;
  return 1;
}

int goacp_try_remove_many(struct goacp_keys *k, int kind, struct goacp_tables t, const acp_element_t *keys,
                           int count, int *results) {
  return goacp_try_keys(take_away, 1, 0, k, kind, t, keys, 1, count, store, results);
}
