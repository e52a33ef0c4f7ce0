// Submits GMAs, as Table.Submit and Engine.submit do for programs in Go. The Engine of
// internal/access/gma takes them out. C leaves to Go what Go may refuse, so that Go reports mistakes.
//
// docs/performance.md measures it in the rows of "Message rate between hosts" from C.

#include "submission.h"
#include "atomics.h"
#include "readers.h"
#include "spin.h"

// Locks the submission queue. Returns 0 if it does not become free soon: the thread that holds the lock may have lost
// its processor.
static int try_lock(struct goacp_submission_queue *q) {
  for (int try = 0; goacp_exchange_acquire(&q->lock, 1) != 0; goacp_pause())
    if (++try == GOACP_SUBMISSION_LOCK_TRIES)
      return 0;
  return 1;
}

static void unlock(struct goacp_submission_queue *q) { goacp_store_release(&q->lock, 0); }

// Submits an operation whose other end is on a rank, and returns its handle, or 0.
static uint64_t submit(struct goacp_direct *t, uint64_t rank, const struct goacp_submission *w) {
  struct goacp_submission_queue *q = &t->submissions;
  if (goacp_load_relaxed(&q->to) != rank + 1 || !try_lock(q))
    return 0;
  uint64_t handle = 0;
  if (goacp_load_relaxed(&q->to) == rank + 1 && q->count < GOACP_SUBMISSION_MAX &&
      goacp_load_relaxed(&t->procs) != 0 && goacp_load_relaxed(&t->pending) < GOACP_MAX_IN_FLIGHT) {
    goacp_fetch_add_seq_cst(&t->pending, 1);
    struct goacp_submission *to = &q->list[q->count++];
    *to = *w;
    to->handle = handle = goacp_next(t);
  }
  unlock(q);
  return handle;
}

// Loads the n bytes, up to 8, at an address of this process. Returns 0 if they are not published.
static int load(const struct goacp_direct *t, uint64_t ga, uint64_t n, uint64_t *word) {
  const void *at = goacp_at(t, ga, n);
  if (at != NULL) {
    goacp_move(word, at, n);
    return 1;
  }
  struct goacp_visit v = goacp_begin_visit(t);
  if ((at = goacp_own(t, ga, n)) != NULL)
    goacp_move(word, at, n);
  goacp_end_visit(v);
  return at != NULL;
}

// Whether Go accepts the address, if its rank is one of the run.
static inline int valid(uint64_t ga) { return goacp_position_of(ga) >= GOACP_STARTER_OFFSET; }

uint64_t goacp_submit_copy(struct goacp_direct *t, uint64_t dst, uint64_t src, uint64_t n) {
  uint64_t self = goacp_load_relaxed(&t->rank);
  uint64_t to = goacp_rank_of(dst), from = goacp_rank_of(src);
  struct goacp_submission w = {.dst = dst, .src = src, .size = n};
  if (n > GOACP_SUBMISSION_BYTES || !valid(dst) || !valid(src) || (to == self) == (from == self))
    return 0;
  if (from == self && n <= sizeof w.operand) {
    // The program may change the bytes soon, as it may if Go sends them at once.
    if (!load(t, src, n, &w.operand))
      return 0;
    w.loaded = 1;
  }
  return submit(t, from == self ? to : from, &w);
}

uint64_t goacp_submit_atomic(struct goacp_direct *t, int op, int width, uint64_t dst, uint64_t src,
                            uint64_t operand, uint64_t compare) {
  struct goacp_submission w = {.dst = dst, .src = src, .size = (uint64_t)width,
                            .operand = operand, .compare = compare, .op = (uint8_t)op};
  if (!valid(dst) || !valid(src) || (dst | src) % (uint64_t)width != 0 ||
      goacp_rank_of(dst) != goacp_load_relaxed(&t->rank))
    return 0;
  return submit(t, goacp_rank_of(src), &w);
}
