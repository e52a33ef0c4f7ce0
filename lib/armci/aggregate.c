// Aggregate handles. Short contiguous transfers to memory that is not mapped stay in the batch of their
// handle. Together they become one vector transfer for each process, so that a transfer needs no separate call into
// Go and no separate message. The library copies the data of puts, so puts are locally complete at once.

#include "aggregate.h"
#include "atomics.h"
#include "brief.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
  BATCHES = 256,         // aggregate handles at a time; further handles are ordinary
  MOST_HELD = 2048,      // transfers of a batch
  MOST_KEYS = 256,       // different keys of them
  MOST_DATA = 64 << 10,  // bytes of a batch that are to be put
  SHORT = 1 << 10,       // bytes of a transfer that is held back, at most
};

// The properties that transfers must have in common to be joined.
struct key {
  int proc, kind, type;
  double scale[2]; // of any type
};

struct batch {
  struct brief lock;    // of the following fields
  uint32_t check;       // word of the handle; 0: the batch is free
  armci_hdl_t inner;    // the handle in Go
  int count;            // written with the lock; read without it to find batches to start
  int failed;           // result of the first transfer that failed
  size_t filled;        // bytes of data
  int keys;
  struct storage *storage; // NULL: none yet
};

// The memory of a batch that holds something back.
struct storage {
  struct goacp_armci_segment held[MOST_HELD];
  uint8_t key_of[MOST_HELD]; // by transfer
  struct key keys[MOST_KEYS];
  struct goacp_armci_segment part[MOST_HELD]; // the transfers of one key of several
  char data[MOST_DATA];
};

_Static_assert(MOST_KEYS - 1 <= UINT8_MAX, "a key has a number of 8 bits");

static struct batch batches[BATCHES];
static pthread_mutex_t giving = PTHREAD_MUTEX_INITIALIZER; // of the assignment of free batches
static uint32_t last_check;

int goacp_armci_holding;

// The batch of a handle, locked, or NULL if the handle is not an aggregate handle.
static struct batch *lock_batch(const struct goacp_armci_handle *handle) {
  if (handle == NULL || (handle->slot & GOACP_ARMCI_AGGREGATE) == 0 || (handle->slot & ~GOACP_ARMCI_AGGREGATE) >= BATCHES)
    return NULL;
  struct batch *b = &batches[handle->slot & ~GOACP_ARMCI_AGGREGATE];
  brief_lock(&b->lock);
  if (b->check != 0 && b->check == handle->check)
    return b;
  brief_unlock(&b->lock);
  return NULL;
}

static void unlock(struct batch *b) { brief_unlock(&b->lock); }

static int count_of(const struct batch *b) { return goacp_load_relaxed(&b->count); }

static void set_count(struct batch *b, int n) { goacp_store_relaxed(&b->count, n); }

// Collects the transfers of one key. Returns how many there are.
static int collect(struct storage *r, int count, int key) {
  int n = 0;
  for (int i = 0; i < count; i++)
    if (r->key_of[i] == key)
      r->part[n++] = r->held[i];
  return n;
}

// Empties a locked batch, which is not empty.
static void empty(struct batch *b) {
  set_count(b, 0);
  b->filled = 0;
  b->keys = 0;
  goacp_fetch_sub_release(&goacp_armci_holding, 1);
}

// Starts the transfers of a locked batch, all transfers of each key together.
static void start(call_t call, struct batch *b) {
  struct storage *r = b->storage;
  if (b->count == 0)
    return;
  brief_keep(&b->lock);
  for (int i = 0; i < b->keys; i++) {
    const struct key *k = &r->keys[i];
    const struct goacp_armci_action a = {.kind = k->kind, .type = k->type, .scale = k->scale,
                                         .handle = (struct goacp_armci_handle *)&b->inner};
    int n = b->keys == 1 ? b->count : collect(r, b->count, i);
    int result = goacp_armci_segments(call, &a, b->keys == 1 ? r->held : r->part, n, k->proc);
    if (b->failed == 0)
      b->failed = result;
  }
  empty(b);
}

// Whether a transfer may be held back, as far as C can see.
static int is_short(const struct goacp_armci_action *a, const struct goacp_armci_strided *s) {
  const struct goacp_armci *t = goacp_armci_table();
  if (t == NULL || s->levels != 0 || s->proc < 0 || (uint64_t)s->proc >= t->procs ||
      s->local == NULL || s->remote == NULL || s->count[0] <= 0 || s->count[0] > SHORT ||
      ((uintptr_t)s->remote - t->entries[s->proc].base) >> GOACP_POSITION_BITS != 0)
    return 0;
  if (a->kind != GOACP_ARMCI_ACCUMULATE)
    return 1;
  return a->scale != NULL && a->type >= 0 && a->type <= ARMCI_ACC_DCP &&
         s->count[0] % goacp_armci_element_size(a->type) == 0 &&
         (uintptr_t)s->remote % (uintptr_t)goacp_armci_component_size(a->type) == 0;
}

// Whether a transfer can be joined with the transfers of a key.
static inline int has_key(const struct key *k, const struct goacp_armci_action *a, int proc) {
  return k->proc == proc && k->kind == a->kind &&
         (a->kind != GOACP_ARMCI_ACCUMULATE ||
          (k->type == a->type &&
           memcmp(k->scale, a->scale, (size_t)goacp_armci_element_size(a->type)) == 0));
}

// The number of the key of a transfer. If the batch does not have the key, it is added.
static inline int key_of(struct batch *b, const struct goacp_armci_action *a, int proc) {
  struct storage *r = b->storage;
  if (b->count > 0 && has_key(&r->keys[r->key_of[b->count - 1]], a, proc))
    return r->key_of[b->count - 1];
  for (int i = 0; i < b->keys; i++)
    if (has_key(&r->keys[i], a, proc))
      return i;
  struct key *k = &r->keys[b->keys];
  *k = (struct key){proc, a->kind, a->type, {0, 0}};
  if (a->kind == GOACP_ARMCI_ACCUMULATE)
    memcpy(k->scale, a->scale, (size_t)goacp_armci_element_size(a->type));
  return b->keys++;
}

// Whether a batch can hold one more transfer.
static int has_capacity(const struct batch *b, int bytes) {
  return b->count < MOST_HELD && b->keys < MOST_KEYS && b->filled + (size_t)bytes <= MOST_DATA;
}

int goacp_armci_hold(call_t call, const struct goacp_armci_action *a, const struct goacp_armci_strided *s) {
  if (!is_short(a, s))
    return 0;
  struct batch *b = lock_batch(a->handle);
  if (b == NULL)
    return 0;
  int bytes = s->count[0];
  if (call != NULL && !has_capacity(b, bytes))
    start(call, b);
  if ((b->storage == NULL && (b->storage = malloc(sizeof *b->storage)) == NULL) || !has_capacity(b, bytes)) {
    unlock(b);
    return 0;
  }
  if (b->count == 0)
    goacp_fetch_add_release(&goacp_armci_holding, 1);
  struct storage *r = b->storage;
  struct goacp_armci_segment *held = &r->held[b->count];
  r->key_of[b->count] = (uint8_t)key_of(b, a, s->proc);
  *held = (struct goacp_armci_segment){.local = s->local, .remote = (uintptr_t)s->remote, .n = bytes};
  if (a->kind != GOACP_ARMCI_GET) {
    held->local = memcpy(r->data + b->filled, s->local, (size_t)bytes);
    b->filled += (size_t)bytes;
  }
  set_count(b, b->count + 1);
  unlock(b);
  return 1;
}

struct goacp_armci_handle *goacp_armci_inner(struct goacp_armci_handle *handle) {
  struct batch *b = lock_batch(handle);
  if (b == NULL)
    return handle;
  unlock(b); // the handle belongs to this thread
  return (struct goacp_armci_handle *)&b->inner;
}

int goacp_armci_start(call_t call, armci_hdl_t *handle) {
  struct batch *b = lock_batch((const struct goacp_armci_handle *)handle);
  if (b == NULL)
    return 0;
  start(call, b);
  int result = b->failed;
  b->failed = 0;
  unlock(b);
  return result;
}

void goacp_armci_start_all(call_t call) {
  for (struct batch *b = batches; b < batches + BATCHES; b++) {
    if (count_of(b) == 0)
      continue;
    brief_lock(&b->lock);
    start(call, b);
    unlock(b);
  }
}

// Takes a batch for a handle, or returns NULL if none is free.
static struct batch *take(void) {
  pthread_mutex_lock(&giving);
  struct batch *b = batches;
  while (b < batches + BATCHES && goacp_load_relaxed(&b->check) != 0)
    b++;
  if (b == batches + BATCHES) {
    b = NULL;
  } else {
    brief_lock(&b->lock);
    // No word that a handle may have by chance, and none twice.
    goacp_store_relaxed(&b->check, (++last_check * 0x9e3779b9u ^ (uint32_t)((uintptr_t)batches >> 12)) | 1);
  }
  pthread_mutex_unlock(&giving);
  return b;
}

// Frees a locked batch. Its remaining transfers are lost: the process is no longer in the world.
static void drop(struct batch *b) {
  if (b->count > 0)
    empty(b);
  free(b->storage);
  b->storage = NULL;
  b->failed = 0;
  goacp_store_relaxed(&b->check, 0);
}

void goacp_armci_set_aggregate(armci_hdl_t *handle) {
  struct batch *b = lock_batch((const struct goacp_armci_handle *)handle);
  if (b == NULL && (b = take()) != NULL) {
    b->inner = *handle;
    handle->armci_private_[0] = GOACP_ARMCI_AGGREGATE | (unsigned int)(b - batches);
    handle->armci_private_[1] = b->check;
  }
  if (b != NULL)
    unlock(b);
}

void goacp_armci_unset_aggregate(call_t call, armci_hdl_t *handle) {
  struct batch *b = lock_batch((const struct goacp_armci_handle *)handle);
  if (b == NULL)
    return;
  start(call, b);
  *handle = b->inner;
  drop(b);
  unlock(b);
}

void goacp_armci_unset_all(void) {
  for (struct batch *b = batches; b < batches + BATCHES; b++) {
    brief_lock(&b->lock);
    if (b->check != 0)
      drop(b);
    unlock(b);
  }
}
