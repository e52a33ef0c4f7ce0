// Mutexes. Lock and Unlock of a mutex that is mapped here are queue locks in C, except in unusual cases. They mirror
// Set.Lock and Set.Unlock of internal/system/armci/mutex, except that Go parks, and notifies nodes that are not
// mapped.

#include "aggregate.h"

#include "atomics.h"
#include "futex.h"
#include "spin.h"

#include <pthread.h>

int PARMCI_Create_mutexes(int count) { return goacp_armci_create_mutexes(CALLED(count), count); }

int PARMCI_Destroy_mutexes(void) { return goacp_armci_destroy_mutexes(CALLED0); }

// A mutex that is mapped here, or NULL.
static struct goacp_armci_mutex *mapped(const struct goacp_armci *t, int mutex, int proc) {
  if (t == NULL || proc < 0 || (uint64_t)proc >= t->procs || mutex < 0 ||
      goacp_load_relaxed(&t->direct->procs) == 0)
    return NULL;
  const struct goacp_armci_mutexes *all = goacp_load_acquire(&t->mutexes);
  if (all == NULL || (uint64_t)mutex >= all[proc].count || all[proc].here == NULL)
    return NULL;
  return all[proc].here + mutex;
}

// The node that has a name, or NULL if it is not mapped here.
static struct goacp_armci_node *node_of(const struct goacp_armci *t, uint64_t name) {
  uint64_t proc = (name >> GOACP_ARMCI_PROC_SHIFT) - 1;
  uint64_t position = name << GOACP_ARMCI_NODE_SHIFT & (((uint64_t)1 << GOACP_POSITION_BITS) - 1);
  if (proc >= t->procs)
    return NULL;
  return goacp_at(t->direct, t->entries[proc].rank << GOACP_POSITION_BITS | position,
                  sizeof(struct goacp_armci_node));
}

// The node of this process that has a mutex, or NULL. A caller that sees the node there also sees its thread.
static struct goacp_armci_node *holder_of(const struct goacp_armci *t, const struct goacp_armci_mutex *m) {
  uint64_t name = goacp_load_acquire(&m->holder);
  return (name >> GOACP_ARMCI_PROC_SHIFT) - 1 == t->self ? node_of(t, name) : NULL;
}

static uint64_t thread_of(const struct goacp_armci_node *n) {
  return goacp_load_relaxed(&n->thread);
}

// Changes a word to GOACP_ARMCI_YES and wakes the thread that waits for that.
static void answer(uint32_t *word) {
  if (goacp_exchange_seq_cst(word, GOACP_ARMCI_YES) == GOACP_ARMCI_NOT_YET_PARKS)
    goacp_futex_wake_one(word);
}

static int is_yes(const uint32_t *word) { return goacp_load_acquire(word) == GOACP_ARMCI_YES; }

// Waits for a while until a word is GOACP_ARMCI_YES, and reports whether it is.
static int await_yes(const struct goacp_armci *t, const uint32_t *word) {
  int yes = 0;
  GOACP_AWAIT(&t->direct->load, yes = is_yes(word));
  return yes || is_yes(word);
}

// Appends a node to another node and waits until it is granted the mutex. Returns 0 or a negative number.
static int follow(call_t call, const struct goacp_armci *t, struct goacp_armci_node *n, uint64_t before) {
  struct goacp_armci_node *b = node_of(t, before);
  if (b == NULL)
    return goacp_armci_follow(call, n, before);
  goacp_store_relaxed(&b->next, n->name);
  answer(&b->queued);
  return await_yes(t, &n->granted) ? 0 : goacp_armci_await_granted(call, n);
}

// Gives a node of this process back.
static void give(struct goacp_armci *t, struct goacp_armci_node *n) {
  struct goacp_armci_node *before = goacp_exchange_acq_rel(&t->spare, n);
  if (before != NULL)
    goacp_armci_keep_node(before);
}

void PARMCI_Lock(int mutex, int proc) {
  call_t call = CALLED_OR_END(mutex, proc);
  struct goacp_armci *t = goacp_armci_table();
  struct goacp_armci_mutex *m = mapped(t, mutex, proc);
  uint64_t thread = (uint64_t)pthread_self();
  const struct goacp_armci_node *has = m == NULL ? NULL : holder_of(t, m);
  struct goacp_armci_node *n = NULL;
  if (m != NULL && (has == NULL || thread_of(has) != thread) && near_is_idle(&t->entries[proc]))
    n = goacp_exchange_acq_rel(&t->spare, NULL);
  if (n == NULL) {
    goacp_armci_lock(call, mutex, proc, thread);
    return;
  }
  goacp_store_relaxed(&n->thread, thread);
  n->next = 0;
  n->queued = n->granted = GOACP_ARMCI_NOT_YET;
  uint64_t before = goacp_exchange_seq_cst(&m->last, n->name);
  // The exchange does not order the store of the thread before that of the holder: on AArch64 without LSE both stores
  // may pass it, in both directions.
  if (before == 0 || follow(call, t, n, before) == 0)
    goacp_store_release(&m->holder, n->name);
}

void PARMCI_Unlock(int mutex, int proc) {
  call_t call = CALLED_OR_END(mutex, proc);
  struct goacp_armci *t = goacp_armci_table();
  struct goacp_armci_mutex *m = mapped(t, mutex, proc);
  uint64_t thread = (uint64_t)pthread_self();
  struct goacp_armci_node *n = m == NULL ? NULL : holder_of(t, m);
  if (n == NULL || thread_of(n) != thread || !goacp_armci_all_are_visible()) {
    goacp_armci_unlock(goacp_armci_covering(call), mutex, proc, thread);
    return;
  }
  goacp_store_relaxed(&m->holder, 0);
  uint64_t last = n->name;
  if (!is_yes(&n->queued) &&
      goacp_compare_exchange_seq_cst(&m->last, &last, 0)) {
    give(t, n);
    return;
  }
  struct goacp_armci_node *next = NULL;
  if (await_yes(t, &n->queued))
    next = node_of(t, n->next);
  if (next == NULL) {
    goacp_armci_pass_on(call, n);
    return;
  }
  answer(&next->granted);
  give(t, n);
}

ARMCI_ALIAS(int, Create_mutexes, (int count));
ARMCI_ALIAS(int, Destroy_mutexes, (void));
ARMCI_ALIAS(void, Lock, (int mutex, int proc));
ARMCI_ALIAS(void, Unlock, (int mutex, int proc));
