// The part of calls for many keys that does not depend on the operation: see keys.h.

#include "keys.h"

// Finds room for places and for the numbers of keys that are left. Returns 0 if there is none.
static int make_room(struct goacp_keys *k, size_t n) {
  k->places = k->few_places;
  k->left = k->few_left;
  if (n <= GOACP_FEW_KEYS)
    return 1;
  k->room = malloc(n * (sizeof *k->places + sizeof *k->left));
  if (k->room == NULL)
    return 0;
  k->places = k->room;
  k->left = (int *)(k->places + n);
  return 1;
}

// Finds the slot of each key, and prefetches the slots.
static int find_places(struct goacp_keys *k) {
  for (int i = 0; i < k->count; i++) {
    acp_element_t key = k->at[(size_t)i * k->step];
    struct goacp_input in;
    if (!goacp_bring(k->d, key, (acp_element_t){ACP_GA_NULL, 0}, &in))
      return 0;
    k->places[i] = goacp_place(&k->of, in.data, key.size);
    goacp_release(&in);
    if (k->places[i].table == GOACP_NO_TABLE)
      return 0;
    const struct goacp_known_table *t = goacp_know(k, k->places[i].table);
    if (t != NULL)
      __builtin_prefetch(&t->table.slots[k->places[i].slot], 1);
  }
  return 1;
}

int goacp_begin_keys(struct goacp_keys *k, int kind, struct goacp_tables of, const acp_element_t *at,
                     size_t step, int count) {
  k->d = goacp_direct();
  k->kind = kind;
  k->of = of;
  k->at = at;
  k->step = step;
  k->count = count;
  k->n_left = 0;
  k->room = NULL;
  for (int i = 0; i < GOACP_KNOWN_TABLES / 64; i++)
    k->met[i] = 0;
  if (k->d != NULL && at != NULL && count > 0 && make_room(k, (size_t)count) && find_places(k))
    return 1;
  k->left = NULL;
  return 0;
}

void goacp_leave(struct goacp_keys *k, int i, struct goacp_known_table *t) {
  k->left[k->n_left++] = i;
  if (t != NULL)
    t->left |= (uint64_t)1 << k->places[i].slot % 64;
}

void goacp_count_keys(const struct goacp_keys *k) {
  if (goacp_traffic(k->d) == NULL)
    return;
  for (uint32_t i = 0; i < GOACP_KNOWN_TABLES; i++) {
    const struct goacp_known_table *t = &k->known[i];
    if ((k->met[i / 64] >> i % 64 & 1) != 0 && t->mapped && t->done > 0)
      goacp_count_part(k->d, t->table.rank, t->left == 0, t->moved);
  }
}
