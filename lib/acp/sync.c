// The barrier of ranks that share memory: the last rank to arrive releases the other ranks, which spin and then park.
// Go parks them. Go also handles ranks on other hosts, a run that is over, ranks that have called different
// functions, and a process whose threads limit the time of their calls: an earlier acp_sync may be unfinished.
//
// Mirrors internal/process/barrier/barrier.go for the mark 0 and one group: acp_sync is Wait and the
// beginning of Finish, release is release with wakeParked, agreed is agreed, is_pair is
// pair.
//
// docs/performance.md measures it as "one host: sync of 2 ranks".

#include "_cgo_export.h"
#include "acp.h"
#include "atomics.h"
#include "direct.h"
#include "futex.h"
#include "spin.h"

// The arrival of the second of two is the release of the first.
static inline int is_pair(const struct goacp_barrier *b) { return b->group == 2; }

static void release(struct goacp_barrier *b) {
  uint32_t *word = b->arrived;
  if (!is_pair(b)) {
    word = b->released;
    goacp_store_seq_cst(word, (uint32_t)b->count);
  }
  if (goacp_load_seq_cst(b->sleepers) != 0)
    goacp_futex_wake_all(word);
}

// Spins or yields until *word is value or later, for a while.
static int await(const uint32_t *word, uint32_t value, const struct goacp_load *load) {
  int there = 0;
  GOACP_AWAIT(load, there = (int32_t)(goacp_load_acquire(word) - value) >= 0);
  return there;
}

// Whether all ranks have called acp_sync. The barrier is complete.
static inline int agreed(const struct goacp_barrier *b) {
  unsigned parity = b->count % 2;
  return goacp_load_acquire(&b->marks[parity]) == b->marked[parity];
}

int acp_sync(void) {
  struct goacp_direct *t = goacp_direct();
  if (t == NULL || goacp_load_acquire(&t->procs) == 0 ||
      t->barrier.arrived == NULL || goacp_limited())
    return GO0(sync);
  struct goacp_barrier *b = &t->barrier;
  b->count++;
  uint32_t complete = (uint32_t)b->count * b->group; // arrivals when all ranks are here
  if (goacp_add_fetch_seq_cst(b->arrived, 1) == complete) {
    release(b);
    return agreed(b) ? 0 : GO0(finish_sync);
  }
  int released = is_pair(b) ? await(b->arrived, complete, &t->load)
                            : await(b->released, (uint32_t)b->count, &t->load);
  return released && agreed(b) ? 0 : GO0(finish_sync);
}
