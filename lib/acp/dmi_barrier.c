//go:build !mpi

// Rounds of a barrier of DMI whose bytes lie on this host, as all processes of the run do: C counts the thread, looks for the end of the
// round for a while, and then sleeps for a while. The thread that completes the round changes its number. Go does everything else: it makes an
// entry for a thread that has slept, tells threads with entries the end of the round, and finds the page the first time. So programs whose
// rounds are short do not call Go: after a call the monitor of the runtime of Go runs for some milliseconds, and interrupts threads that work.
//
// Mirrors barrier.arrive of internal/system/dmi/object/barrierbytes.go for one thread without a value.
//
// docs/performance.md measures it as "barrier of 2 threads in 2 processes".

#include "_cgo_export.h"
#include "bind.h"
#include "direct.h"
#include "dmi_bind.h"
#include "dmi_near.h"
#include "futex.h"
#include "spin.h"

#include <string.h>

// The lowest address of memory. Go returns an error for a lower one.
enum { LOWEST = 4096 };

// A thread at a barrier.
struct arrival {
  const struct goacp_dmi_found *page;
  unsigned char *bytes; // of the barrier
  uint32_t threads;     // of the round
  uint32_t round;       // its number
  int wakes;            // the thread has completed the round, and threads sleep
};

static uint32_t *word(const struct arrival *a, int at) { return (uint32_t *)(void *)(a->bytes + at); }

// Whether the ranks of the run share memory. If not, threads that look for messages end their waits earlier.
static int is_near(const struct goacp_direct *t) {
  return t != NULL && (goacp_load_relaxed(&t->procs) == 1 || goacp_load_relaxed(&t->barrier.arrived) != NULL);
}

// Finds the barrier of a thread. Returns 0 if Go has to do it, as for a barrier that is not aligned in memory: pages may have any size.
static int find(void *barrier, int32_t n, struct arrival *a) {
  const struct goacp_dmi_barrier *b = barrier;
  if (n < 1 || (uintptr_t)barrier < LOWEST || b->number.magic != GOACP_DMI_NUMBER_MAGIC ||
      b->number.self != (uintptr_t)barrier || !is_near(goacp_direct()))
    return 0;
  a->page = goacp_dmi_place(NULL, b->addr);
  if (!goacp_dmi_has(a->page, b->addr, GOACP_DMI_BARRIER_BYTES))
    return 0;
  a->bytes = goacp_dmi_at(a->page, b->addr);
  a->threads = (uint32_t)n;
  return (uintptr_t)a->bytes % 8 == 0;
}

// Locks the page for a change, unless another thread holds it for long or changes are requests.
static int lock_page(const struct arrival *a) {
  struct goacp_rwmutex *lock = &a->page->record->lock;
  for (int i = 0; !goacp_rwmutex_try_write(lock); i++) {
    if (i == GOACP_MUTEX_SPINS)
      return 0;
    goacp_pause();
  }
  if (goacp_dmi_usable(a->page, GOACP_DMI_FLAG_GUARDED | GOACP_DMI_FLAG_SHUT))
    return 1;
  goacp_rwmutex_end_write(lock);
  return 0;
}

// The call of the first thread of a round: the number of threads, and neither operation nor type.
static int is_call(const struct arrival *a) {
  return *word(a, GOACP_DMI_CALL_AT) == a->threads && *word(a, GOACP_DMI_CALL_AT + 4) == 0;
}

static void set_call(const struct arrival *a) {
  *word(a, GOACP_DMI_CALL_AT) = a->threads;
  *word(a, GOACP_DMI_CALL_AT + 4) = 0;
  memset(a->bytes + GOACP_DMI_COMBINED_AT, 0, 8);
  a->bytes[GOACP_DMI_ENTRIES_AT] = 0;
}

enum outcome { BY_GO, COUNTED, COMPLETE };

// Counts the thread, and completes the round if no thread has an entry. The page is locked.
static enum outcome count(struct arrival *a) {
  uint32_t *arrived = word(a, GOACP_DMI_ARRIVED_AT);
  if (*word(a, 0) != GOACP_DMI_MARK_BASE + GOACP_DMI_BARRIER_KIND || a->bytes[GOACP_DMI_BROKEN_AT] != 0 ||
      (*arrived != 0 && !is_call(a)))
    return BY_GO;
  if (*arrived == 0)
    set_call(a);
  a->round = *word(a, GOACP_DMI_ROUND_AT);
  if (*arrived + 1 < a->threads) {
    ++*arrived;
    return COUNTED;
  }
  if (a->bytes[GOACP_DMI_ENTRIES_AT] != 0)
    return BY_GO;
  *arrived = 0;
  a->wakes = a->bytes[GOACP_DMI_ASLEEP_AT];
  a->bytes[GOACP_DMI_ASLEEP_AT] = 0;
  goacp_store_release(word(a, GOACP_DMI_ROUND_AT), a->round + 1);
  return COMPLETE;
}

static enum outcome arrive(struct arrival *a) {
  if (!lock_page(a))
    return BY_GO;
  enum outcome o = count(a);
  goacp_dmi_end_change(a->page);
  if (a->wakes)
    goacp_futex_wake_all(word(a, GOACP_DMI_ROUND_AT));
  return o;
}

// Whether the thread need not wait any longer: the round has ended, or threads have called differently. The caller does not hold the lock.
static inline int is_over(const struct arrival *a) {
  return goacp_load_acquire(word(a, GOACP_DMI_ROUND_AT)) != a->round ||
         goacp_load_relaxed(&a->bytes[GOACP_DMI_BROKEN_AT]) != 0;
}

// Whether the round has ended. The number behind that of the round says so, even if the barrier has gone since: its bytes keep the number
// until they are used for something else, and the first number of a barrier is random. Other numbers count as long as the page is there: the record
// has another generation before the bytes of a page change.
static int has_ended(const struct arrival *a) {
  uint32_t now = goacp_load_acquire(word(a, GOACP_DMI_ROUND_AT));
  return now == a->round + 1 ||
         (now != a->round && goacp_load_acquire(&a->page->record->generation) == a->page->generation);
}

// Spins or yields until the round is over, for a while. Returns whether the round has ended.
static int spin_until_over(const struct arrival *a, struct goacp_load *load) {
  uint64_t spin = goacp_start_spin(load);
  if (spin != 0) {
    GOACP_SPIN_UNTIL(spin, is_over(a));
    goacp_end_spin(load);
  } else {
    GOACP_YIELD_UNTIL(goacp_load_relaxed(&load->spin), is_over(a));
  }
  return has_ended(a);
}

enum { LONGEST_SLEEP = 100000000 /* nanoseconds */ };

// Records in the barrier that a thread sleeps, if the round is not over. Returns whether it has.
static int announce_sleep(const struct arrival *a) {
  if (!lock_page(a))
    return 0;
  const int sleeps = !is_over(a);
  if (sleeps)
    a->bytes[GOACP_DMI_ASLEEP_AT] = 1;
  goacp_dmi_end_change(a->page);
  return sleeps;
}

// Sleeps until the round is over, for at most LONGEST_SLEEP. Returns whether the round has ended. A thread whose page moves meanwhile gets no wake-up,
// and sleeps until the time is over.
static int sleep_until_over(const struct arrival *a, struct goacp_load *load) {
  const int64_t end = goacp_nanoseconds() + LONGEST_SLEEP;
  if (!announce_sleep(a))
    return has_ended(a);
  goacp_fetch_sub_seq_cst(&load->working, 1);
  for (int64_t left = LONGEST_SLEEP; left > 0 && !is_over(a); left = end - goacp_nanoseconds()) {
    goacp_dmi_begin_wait();
    goacp_futex_wait(word(a, GOACP_DMI_ROUND_AT), a->round, left);
    goacp_dmi_end_wait();
  }
  goacp_fetch_add_seq_cst(&load->working, 1);
  return has_ended(a);
}

static int await(const struct arrival *a) {
  struct goacp_load *load = &goacp_direct()->load;
  return spin_until_over(a, load) || sleep_until_over(a, load);
}

// Waits for the end of the round in Go, which makes an entry. If that fails because the barrier has just gone, the round has ended.
static int await_by_go(void *barrier, int32_t n, const struct arrival *a) {
  goacp_dmi_begin_wait();
  if (GO_ENTERED(dmi_local_barrier_await, barrier, n, a->round))
    return 1;
  goacp_dmi_end_wait();
  return goacp_load_acquire(word(a, GOACP_DMI_ROUND_AT)) == a->round + 1;
}

int goacp_dmi_near_barrier_sync(void *barrier, int32_t n) {
  struct arrival a = {NULL, NULL, 0, 0, 0};
  enum outcome o = find(barrier, n, &a) ? arrive(&a) : BY_GO;
  if (o == COMPLETE || (o == COUNTED && await(&a)))
    return 1;
  if (o == COUNTED)
    return await_by_go(barrier, n, &a);
  goacp_dmi_begin_wait();
  return GO_ENTERED(dmi_local_barrier_sync, barrier, n, (void *)a.page);
}
