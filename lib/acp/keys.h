// Operations on keys of sets, multisets and maps in mapped memory: on one key, and on many in one call.
//
// In a call for many keys, C leaves the keys that it cannot process to Go. Equal keys are processed
// in their order, other keys in any order. So if a key is left, all later keys of its slot, which
// may equal it, are left, too. C finds the slots of all keys before it changes anything. If it
// cannot read a key, it leaves all keys.
//
// Mirrors internal/structure/hashed: goacp_on_keys is Tables.Many (many_call.go) for tables that are mapped. docs/performance.md
// measures it as "map of 4 ranks, 8 B: find, 500 keys in one call" and in the rows like it.

#ifndef GOACP_KEYS_H
#define GOACP_KEYS_H

#include "input.h"
#include "slots.h"
#include "traffic.h"

#include <stdlib.h>

// An operation on one key.
struct goacp_request {
  struct goacp_key_slot spot; // its lock is held while the operation runs
  struct goacp_input in;      // the bytes of key and value
  acp_element_t key, value;
  uint64_t arg; // of the operation
};

// The result.
struct goacp_outcome {
  acp_ga_t elem;   // of a search; ACP_GA_NULL if the key is not there
  uint64_t number; // the outcome of the operation for the key
};

// Executes a request. Returns 0 without a change if Go has to do it.
typedef int goacp_operation(const struct goacp_request *r, struct goacp_outcome *o);

// The operation is known where these functions are called, and becomes a part of them.
#define GOACP_INLINE static inline __attribute__((always_inline))

// Searches for the key of a request. Returns 0 if a link is wrong.
static inline int goacp_look(const struct goacp_request *r, struct goacp_found *found) {
  return goacp_search(r->spot.table, r->spot.slot, r->in.data, r->key.size, found);
}

// Executes a request while it holds the lock of the slot. Returns 0 if Go has to do it.
GOACP_INLINE int goacp_run(goacp_operation *run, const struct goacp_request *r, struct goacp_outcome *o) {
  if (!goacp_hold(r->spot.table, r->spot.slot))
    return 0;
  int done = run(r, o);
  goacp_let_go(&r->spot);
  return done;
}

// Executes the operation on one key. *r becomes the request, with table as its table. Returns 0 if
// Go has to do it.
GOACP_INLINE int goacp_on_key(goacp_operation *run, const struct goacp_direct *d, int kind,
                              const struct goacp_tables *t, acp_element_t key, acp_element_t value,
                              uint64_t arg, struct goacp_table *table, struct goacp_request *r,
                              struct goacp_outcome *o) {
  if (d == NULL || !goacp_bring(d, key, value, &r->in))
    return 0;
  r->key = key;
  r->value = value;
  r->arg = arg;
  struct goacp_key_place at = goacp_place(t, r->in.data, key.size);
  int done = 0;
  if (at.table != GOACP_NO_TABLE && goacp_open_table(d, kind, t, at.table, table)) {
    r->spot = goacp_slot_at(table, at);
    done = goacp_run(run, r, o);
  }
  goacp_release(&r->in);
  return done;
}

// The number of tables that a call for many keys caches, and the number of keys for which it has
// space on the stack.
enum { GOACP_KNOWN_TABLES = 128, GOACP_FEW_KEYS = 64 };

// A table that a call for many keys has met.
struct goacp_known_table {
  uint32_t number;
  int mapped;
  struct goacp_table table;
  uint64_t left;  // slots of which a key is left: slot n is bit n % 64
  uint64_t done;  // how many keys are done
  uint64_t moved; // the bytes that have gone in
};

// A call for many keys.
struct goacp_keys {
  const struct goacp_direct *d;
  int kind;
  struct goacp_tables of;
  const acp_element_t *at; // the keys
  size_t step;             // 1, or 2 if a second element follows each of them
  int count;

  struct goacp_key_place *places; // of the keys
  int *left, n_left;          // the numbers of the keys that are left to Go, in order; NULL: all are
  void *room;                 // where both are if the keys are not few
  struct goacp_key_place few_places[GOACP_FEW_KEYS];
  int few_left[GOACP_FEW_KEYS];

  uint64_t met[GOACP_KNOWN_TABLES / 64];
  struct goacp_known_table known[GOACP_KNOWN_TABLES]; // table n is at n % GOACP_KNOWN_TABLES or not at all
};

// goacp_begin_keys finds where the keys belong. Returns 0 if all are left to Go.
int goacp_begin_keys(struct goacp_keys *k, int kind, struct goacp_tables of, const acp_element_t *at,
                     size_t step, int count) __attribute__((visibility("hidden")));

// goacp_leave leaves key i to Go, whose table is t unless that is NULL.
void goacp_leave(struct goacp_keys *k, int i, struct goacp_known_table *t)
    __attribute__((visibility("hidden"), cold));

// goacp_count_keys counts an operation for each table, with the bytes of its arguments. If keys of
// a table are left, Go counts the operation on that table.
void goacp_count_keys(const struct goacp_keys *k) __attribute__((visibility("hidden")));

// Whether there are keys for Go to do.
static inline int goacp_keys_left(const struct goacp_keys *k) { return k->left == NULL || k->n_left > 0; }

// Ends a call. here is the count of C; rest is the count of Go, or -1 if Go has failed. Returns the
// result for the program.
static inline int goacp_end_keys(struct goacp_keys *k, int here, int rest) {
  if (__builtin_expect(k->room != NULL, 0))
    free(k->room);
  return rest < 0 ? rest : here + rest;
}

// Returns table n, or NULL if it is not mapped in this process, or if its place in the cache has
// another table.
static inline struct goacp_known_table *goacp_know(struct goacp_keys *k, uint32_t n) {
  uint32_t i = n % GOACP_KNOWN_TABLES;
  struct goacp_known_table *t = &k->known[i];
  uint64_t bit = (uint64_t)1 << i % 64;
  if (__builtin_expect((k->met[i / 64] & bit) == 0, 0)) {
    k->met[i / 64] |= bit;
    t->number = n;
    t->left = t->done = t->moved = 0;
    t->mapped = goacp_open_table(k->d, k->kind, &k->of, n, &t->table);
  }
  return t->number == n && t->mapped ? t : NULL;
}

// Executes the operation on key i, which is in t. takes is 1 if its second element is an argument.
GOACP_INLINE int goacp_on_known(goacp_operation *run, uint64_t arg, int takes, const struct goacp_keys *k,
                                int i, struct goacp_known_table *t, struct goacp_outcome *o) {
  const acp_element_t *e = &k->at[(size_t)i * k->step];
  struct goacp_request r;
  r.key = e[0];
  r.arg = arg;
  r.value = k->step == 2 ? e[1] : (acp_element_t){ACP_GA_NULL, 0};
  if ((t->left >> k->places[i].slot % 64 & 1) != 0 || !goacp_bring(k->d, r.key, r.value, &r.in))
    return 0;
  int done = 0;
  if (k->step == 1 || r.in.more != NULL) {
    r.spot = goacp_slot_at(&t->table, k->places[i]);
    done = goacp_run(run, &r, o);
  }
  goacp_release(&r.in);
  t->done += (uint64_t)done;
  t->moved += done ? r.key.size + (takes ? r.value.size : 0) : 0;
  return done;
}

// Stores the outcome for key i of k at to.
typedef void goacp_store(void *to, const struct goacp_keys *k, int i, const struct goacp_outcome *o);

// Executes the operation on as many keys as it can, stores the outcomes at to and counts the
// operations. Returns the number of outcomes that are not 0.
GOACP_INLINE int goacp_on_keys(goacp_operation *run, uint64_t arg, int takes, struct goacp_keys *k,
                               goacp_store *store, void *to) {
  int n = 0;
  for (int i = 0; i < k->count; i++) {
    struct goacp_known_table *t = goacp_know(k, k->places[i].table);
    struct goacp_outcome o;
    if (t == NULL || !goacp_on_known(run, arg, takes, k, i, t, &o)) {
      goacp_leave(k, i, t);
      continue;
    }
    n += o.number != 0;
    store(to, k, i, &o);
  }
  goacp_count_keys(k);
  return n;
}

// Executes an operation on keys as far as C can. Returns the number of outcomes that are not 0.
GOACP_INLINE int goacp_try_keys(goacp_operation *run, uint64_t arg, int takes, struct goacp_keys *k, int kind,
                                struct goacp_tables of, const acp_element_t *at, size_t step, int count,
                                goacp_store *store, void *to) {
  return goacp_begin_keys(k, kind, of, at, step, count) ? goacp_on_keys(run, arg, takes, k, store, to) : 0;
}

#endif
