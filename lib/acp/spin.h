// How a thread spins until another process has done something: mirrors internal/ground/wait/spin.go and
// load.go.

#ifndef GOACP_SPIN_H
#define GOACP_SPIN_H

#include "atomics.h"
#include "layout.h"

#include <sched.h>
#include <stdint.h>
#include <time.h>

static inline int64_t goacp_nanoseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// For how many nanoseconds a thread may spin now: Load.spin of Go.
static inline uint64_t goacp_may_spin(const struct goacp_load *l) {
  uint32_t spin = goacp_load_acquire(&l->spin);
  const uint32_t *awake = l->awake;
  if (spin == 0 || awake == NULL || goacp_load_relaxed(awake) <= l->processors)
    return spin;
  return 0;
}

// goacp_may_spin for a thread beside which others of the process may wait: Budget.StartSpin of Go. It returns 0 if as many of them
// spin as the rank has processors, or if a thread that works needs the processor; otherwise the caller calls goacp_end_spin when it does not spin any more.
static inline uint64_t goacp_start_spin(struct goacp_load *l) {
  uint64_t spin = goacp_may_spin(l);
  uint32_t most = goacp_load_relaxed(&l->most);
  if (spin == 0 || goacp_load_relaxed(&l->working) > (int32_t)most)
    return 0;
  if (goacp_fetch_add_seq_cst(&l->spinning, 1) < most)
    return spin;
  goacp_fetch_sub_seq_cst(&l->spinning, 1);
  return 0;
}

static inline void goacp_end_spin(struct goacp_load *l) { goacp_fetch_sub_seq_cst(&l->spinning, 1); }

// Whether the time for spinning is over. *deadline is set in round 0.
static inline int goacp_late(int round, uint64_t spin, int64_t *deadline) {
  int64_t now = goacp_nanoseconds();
  if (round == 0)
    *deadline = now + (int64_t)spin;
  else if (now > *deadline)
    return 1;
  if (round >= GOACP_SPIN_ROUNDS)
    sched_yield();
  return 0;
}

// Evaluates a condition until it is true, for at most spin nanoseconds.
#define GOACP_SPIN_UNTIL(spin, condition)                                      \
  do {                                                                         \
    int64_t deadline_ = 0;                                                     \
    uint64_t spin_ = (spin);                                                   \
    int over_ = spin_ == 0;                                                    \
    for (int round_ = 0; !over_; round_++) {                                    \
      for (int i_ = 0; i_ < GOACP_SPIN_CHECKS && !over_; i_++)                 \
        over_ = (condition);                                                   \
      over_ = over_ || goacp_late(round_, spin_, &deadline_);                  \
    }                                                                          \
  } while (0)

// What GOACP_YIELD_UNTIL allows, in nanoseconds: for a turn in which no other thread has worked, and for all turns.
enum { GOACP_YIELD_TURN = 5000, GOACP_YIELD_LONGEST = 10000000 };

// Evaluates a condition until it is true, and gives up the processor after each attempt: the thread for which this one waits may need it. It
// ends when this thread itself has used so many nanoseconds, or after GOACP_YIELD_LONGEST. A turn in which another thread has worked does not count.
#define GOACP_YIELD_UNTIL(nanoseconds, condition)                              \
  do {                                                                         \
    int64_t left_ = (int64_t)(nanoseconds), before_ = goacp_nanoseconds();     \
    const int64_t end_ = before_ + GOACP_YIELD_LONGEST;                        \
    while (left_ > 0 && before_ < end_ && !(condition)) {                      \
      sched_yield();                                                           \
      int64_t now_ = goacp_nanoseconds();                                      \
      if (now_ - before_ < GOACP_YIELD_TURN)                                   \
        left_ -= now_ - before_;                                               \
      before_ = now_;                                                          \
    }                                                                          \
  } while (0)

// Evaluates a condition until it is true, for as long as a thread may wait before it parks. It spins, or yields if the ranks need more
// processors than there are. load is not NULL.
#define GOACP_AWAIT(load, condition) GOACP_AWAIT_LONGER(load, 0, condition)

// The same for so many nanoseconds more.
#define GOACP_AWAIT_LONGER(load, longer, condition)                            \
  do {                                                                         \
    uint64_t may_spin_ = goacp_may_spin(load);                                 \
    if (may_spin_ != 0)                                                        \
      GOACP_SPIN_UNTIL(may_spin_ + (longer), condition);                       \
    else if (goacp_load_relaxed(&(load)->spin) != 0)                           \
      GOACP_YIELD_UNTIL(goacp_load_relaxed(&(load)->spin) + (longer), condition); \
  } while (0)

#endif
