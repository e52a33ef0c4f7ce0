//go:build mpi

// Operations on memory of the library in windows of MPI, for C programs, and the loop of the
// progress thread.
//
// Mirrors the Go of this package: begin and end are those of calls (calls_mpi.go), copy and atomic with enter and leave are what
// Transport does for memory of the library (transport_mpi.go) as long as the monitor
// (monitor_mpi.go) need not wake the target.
//
// docs/performance.md measures it in the rows of windows, for example "windows of Open MPI: put 8 B".

#include "calls.h"
#include "atomics.h"

#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

// Takes the lock if it is free.
static inline int try_lock(struct goacp_rma *c) {
  return goacp_mutex_is_unlocked(&c->lock) && goacp_mutex_try_lock(&c->lock);
}

// Takes the lock if it is free soon: the progress thread unlocks it when it is wanted.
static inline int lock_soon(struct goacp_rma *c) {
  enum { looks = 1000 };
  for (int i = 0; i < looks; i++) {
    if (__builtin_expect(try_lock(c), 1))
      return 1;
    if (i == 0)
      goacp_store_relaxed(&c->wanted, 1);
  }
  return 0;
}

// Announces an operation. The caller has the lock. Returns 0 if the monitor has to be woken.
static inline int begin(struct goacp_rma *c, uint64_t operation) {
  goacp_store_relaxed(&c->count, c->count + 1);
  // The monitor sets asleep before it looks for an operation. Here the operation is set
  // before asleep is read. So either the monitor sees the operation, or this thread sees
  // that the monitor sleeps.
  goacp_exchange_seq_cst(&c->current, operation);
  return goacp_load_seq_cst(&c->asleep) == 0;
}

static inline void end(struct goacp_rma *c) {
  goacp_store_release(&c->current, 0);
}

static inline int within(const struct goacp_rma_target *t, uint64_t pos,
                         uint64_t n) {
  for (int i = 0; i < 2; i++) {
    uint64_t offset = pos - t->from[i]; // huge if pos lies before it
    if (offset <= t->size[i] && n <= t->size[i] - offset)
      return 1;
  }
  return 0;
}

// Finds the n bytes at ga and takes the lock for an operation on them. Returns NULL if another
// thread has the lock, or if an agent has to be woken first.
static inline const struct goacp_rma_target *
enter(struct goacp_rma *c, uint64_t ga, uint64_t n, int kind, MPI_Aint *disp) {
  uint64_t rank = ga >> GOACP_POSITION_BITS;
  uint64_t pos = ga & ((UINT64_C(1) << GOACP_POSITION_BITS) - 1);
  if (rank >= c->procs)
    return NULL;
  const struct goacp_rma_target *t = &c->targets[rank];
  if (t->rank < 0 || n > INT_MAX || !within(t, pos, n))
    return NULL;
  const struct goacp_rma_member *m = &c->members[t->member];
  if (m->far)
    return NULL; // Go completes many operations by one flush
  if ((goacp_load_relaxed(&m->helped) >> kind & 1) != 0 && goacp_load_relaxed(&m->awake) == 0)
    return NULL;
  if (!lock_soon(c))
    return NULL;
  if (!begin(c, GOACP_RMA_OPERATION(t->member, kind, n))) {
    end(c);
    goacp_mutex_unlock(&c->lock);
    return NULL;
  }
  *disp = t->disp + (MPI_Aint)pos;
  return t;
}

static inline int leave(struct goacp_rma *c, const struct goacp_rma_target *t,
                        int rc) {
  if (rc == MPI_SUCCESS)
    rc = MPI_Win_flush(t->rank, c->window);
  end(c);
  goacp_mutex_unlock(&c->lock);
  return rc == MPI_SUCCESS;
}

static inline struct goacp_rma *of(struct goacp_windows *w) {
  return (struct goacp_rma *)((char *)w - offsetof(struct goacp_rma, windows));
}

static int copy(struct goacp_windows *w, uint64_t ga, void *here, uint64_t n,
                int get) {
  struct goacp_rma *c = of(w);
  MPI_Aint disp;
  const struct goacp_rma_target *t = enter(c, ga, n, GOACP_RMA_COPY, &disp);
  if (t == NULL)
    return 0;
  int count = (int)n;
  return leave(c, t,
               get ? MPI_Get(here, count, MPI_BYTE, t->rank, disp, count,
                             MPI_BYTE, c->window)
                   : MPI_Put(here, count, MPI_BYTE, t->rank, disp, count,
                             MPI_BYTE, c->window));
}

// Integers of 4 bytes are in the low bytes of those of 8.
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "little-endian");

static int atomic(struct goacp_windows *w, int op, int width, uint64_t ga,
                  uint64_t operand, uint64_t compare, uint64_t *old) {
  struct goacp_rma *c = of(w);
  if (op > GOACP_OP_SWAP)
    return 0; // Go has a loop for these
  MPI_Aint disp;
  const struct goacp_rma_target *t =
      enter(c, ga, (uint64_t)width, GOACP_RMA_ATOMIC, &disp);
  if (t == NULL)
    return 0;
  MPI_Datatype type = width == 4 ? MPI_UINT32_T : MPI_UINT64_T;
  return leave(c, t,
               op == GOACP_OP_CAS
                   ? MPI_Compare_and_swap(&operand, &compare, old, type, t->rank,
                                          disp, c->window)
                   : MPI_Fetch_and_op(&operand, old, type, t->rank, disp,
                                      op == GOACP_OP_ADD ? MPI_SUM : MPI_REPLACE,
                                      c->window));
}

struct goacp_rma *goacp_rma_new(int procs) {
  struct goacp_rma *c = calloc(1, sizeof *c);
  if (c == NULL)
    return NULL;
  c->windows.copy = copy;
  c->windows.atomic = atomic;
  c->procs = (uint64_t)procs;
  c->asleep = 1;
  c->targets = calloc(c->procs, sizeof *c->targets);
  c->members = calloc(c->procs, sizeof *c->members);
  if (c->targets == NULL || c->members == NULL) {
    goacp_rma_free(c);
    return NULL;
  }
  for (int i = 0; i < procs; i++)
    c->targets[i].rank = -1;
  return c;
}

void goacp_rma_free(struct goacp_rma *c) {
  free(c->targets);
  free(c->members);
  free(c);
}

void goacp_rma_set_window(struct goacp_rma *c, MPI_Fint window) {
  c->window = MPI_Win_f2c(window);
}

// Whether another thread waits for the lock, which this one has.
static inline int wanted(struct goacp_rma *c) {
  return goacp_mutex_is_contended(&c->lock) ||
         goacp_load_relaxed(&c->wanted) != 0;
}

// Calls MPI a number of times, or until another thread wants the lock. Returns 1 if MPI has
// failed or has completed the request never.
static int test(struct goacp_rma *c, MPI_Request never, int times) {
  if (!try_lock(c))
    return 0; // another thread has the lock and calls MPI
  int ended = 0, rc = MPI_SUCCESS;
  goacp_store_relaxed(&c->wanted, 0);
  for (int i = 0; i < times && !ended && rc == MPI_SUCCESS; i++) {
    rc = MPI_Test(&never, &ended, MPI_STATUS_IGNORE);
    if (wanted(c))
      break;
  }
  goacp_mutex_unlock(&c->lock);
  return ended || rc != MPI_SUCCESS;
}

static int64_t nanoseconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

// A time, and for how long this thread had run by then.
struct moment {
  int64_t now, run;
};

static struct moment moment(void) {
  struct moment m = {nanoseconds(CLOCK_MONOTONIC), nanoseconds(CLOCK_THREAD_CPUTIME_ID)};
  return m;
}

// The progress thread may share its processor with a thread that computes. If it spins, the
// other thread gets the processor for some milliseconds each time the progress thread or MPI
// yields it. If it sleeps instead, it gets the processor soon after it has woken, because it
// has used little. So it stops spinning for SLEEP_TIME when it has lost its processor twice
// within TWICE_TIME. Once is not enough, because the system itself takes the processor for a
// millisecond now and then.
enum { LOST = 500000, TWICE_TIME = 100000000, SLEEP_TIME = 200000000 };

// Notes whether this thread has lost its processor since last.
static void note_sharing(struct goacp_rma *c, struct moment *last) {
  struct moment m = moment();
  int64_t took = m.now - last->now, away = took - (m.run - last->run);
  *last = m;
  if (away <= LOST || away < took / 3)
    return;
  int again = c->shared_until != 0 && m.now - away - c->shared_until < TWICE_TIME;
  c->sleep_until = again ? m.now + SLEEP_TIME : 0;
  c->shared_until = again ? c->sleep_until : m.now;
}

int goacp_rma_progress(struct goacp_rma *c, int64_t eager, int64_t lease,
                       int64_t pause) {
  // Many tests without a pause take longer than what is done in between, by far.
  enum { once = 1, often = 256 };
  int tests = once;
  uint32_t asked = goacp_load_acquire(&c->asked);
  struct moment last = moment();
  int64_t since = last.now;
  MPI_Request never = MPI_Request_f2c(c->never);
  while (goacp_load_acquire(&c->quit) == 0) {
    if (test(c, never, tests))
      return 1;
    int64_t now = nanoseconds(CLOCK_MONOTONIC);
    uint32_t again = goacp_load_acquire(&c->asked);
    if (again != asked) {
      asked = again;
      since = now;
    }
    if (now - since > lease)
      break;
    if (now - since <= eager && now > c->sleep_until &&
        goacp_load_relaxed(&c->spins)) {
      tests = often;
      sched_yield();
      note_sharing(c, &last);
    } else {
      struct timespec rest = {0, pause};
      tests = once;
      nanosleep(&rest, NULL); // a signal may cut it short
      last = moment();
    }
  }
  return 0;
}
