#define _GNU_SOURCE // syscall
#include "litmus.h"

#include "direct.h"
#include "spin.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

// Fortran, ARMCI and the other tables are not needed: there is no process of the library here.
struct goacp_process goacp_process;

#ifdef LITMUS_WITHOUT_FENCES
const int litmus_without_fences = 1;
#define FENCE() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#define SEQ_CST_STORE __ATOMIC_RELAXED
#define SEQ_CST_LOAD __ATOMIC_RELAXED
#define RELEASE __ATOMIC_RELAXED
#define ACQUIRE __ATOMIC_RELAXED
#define EXCHANGE(word) __atomic_store_n(word, 1, __ATOMIC_RELAXED)
#define ADD(word) __atomic_store_n(word, 1, __ATOMIC_RELAXED)
#define COMPARE_AND_SWAP(word) __atomic_store_n(word, 1, __ATOMIC_RELAXED)
#else
const int litmus_without_fences = 0;
#define FENCE() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define SEQ_CST_STORE __ATOMIC_SEQ_CST
#define SEQ_CST_LOAD __ATOMIC_SEQ_CST
#define RELEASE __ATOMIC_RELEASE
#define ACQUIRE __ATOMIC_ACQUIRE
#define EXCHANGE(word) __atomic_exchange_n(word, 1, __ATOMIC_SEQ_CST)
#define ADD(word) __atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST)
#define COMPARE_AND_SWAP(word)                                                 \
  __atomic_compare_exchange_n(word, &(uint64_t){0}, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)
#endif

static long membarrier(int command) { return syscall(SYS_membarrier, command, 0, 0); }

int litmus_prepare_membarrier(void) { return membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0; }

static inline uint64_t *word(struct litmus_cell *c, int side) { return &c->word[side][0]; }

// Each way has a loop of its own, so that nothing is between the store and the load.
#define WALK(operation)                                                        \
  for (struct litmus_cell *c = cells; c < cells + n; c++) {                    \
    uint64_t *mine = word(c, side), *other = word(c, 1 - side);                \
    operation                                                                  \
  }

void litmus_store_load(int how, struct litmus_cell *cells, size_t n, int side) {
  switch (how) {
  case LITMUS_FENCE:
    WALK({
      __atomic_store_n(mine, 1, RELEASE);
      FENCE();
      c->seen[side] = __atomic_load_n(other, __ATOMIC_RELAXED);
    })
    break;
  case LITMUS_SEQ_CST:
    WALK({
      __atomic_store_n(mine, 1, SEQ_CST_STORE);
      c->seen[side] = __atomic_load_n(other, SEQ_CST_LOAD);
    })
    break;
  case LITMUS_EXCHANGE:
    WALK({
      EXCHANGE(mine);
      c->seen[side] = __atomic_load_n(other, SEQ_CST_LOAD);
    })
    break;
  case LITMUS_COMPARE:
    WALK({
      COMPARE_AND_SWAP(mine);
      c->seen[side] = __atomic_load_n(other, SEQ_CST_LOAD);
    })
    break;
  case LITMUS_COUNT: {
    uint32_t epoch = 0;
    WALK({
      ADD(mine);
      if (__atomic_load_n(&epoch, SEQ_CST_LOAD) == 0)
        c->seen[side] = __atomic_load_n(other, ACQUIRE);
    })
    break;
  }
  case LITMUS_MARK:
    WALK({
      __atomic_store_n(mine, 1, __ATOMIC_RELAXED);
      __atomic_signal_fence(__ATOMIC_SEQ_CST);
      c->seen[side] = __atomic_load_n(other, __ATOMIC_ACQUIRE);
    })
    break;
  case LITMUS_MEMBARRIER:
    WALK({
      __atomic_store_n(mine, 1, __ATOMIC_RELAXED);
      if (!litmus_without_fences)
        membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
      c->seen[side] = __atomic_load_n(other, __ATOMIC_ACQUIRE);
    })
    break;
  }
}

void litmus_send(struct litmus_cell *cells, size_t n) {
  const uint64_t one = 1;
  for (struct litmus_cell *c = cells; c < cells + n; c++) {
    *word(c, 0) = 1;
    if (litmus_without_fences)
      __atomic_store_n(word(c, 1), 1, __ATOMIC_RELAXED);
    else
      goacp_move(word(c, 1), &one, sizeof one);
  }
}

void litmus_send_holder(struct litmus_cell *cells, size_t n) {
  uint64_t last = 0;
  for (struct litmus_cell *c = cells; c < cells + n; c++) {
    __atomic_store_n(word(c, 0), 1, __ATOMIC_RELAXED);
    __atomic_exchange_n(&last, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(word(c, 1), 1, RELEASE);
  }
}

void litmus_receive(struct litmus_cell *cells, size_t n) {
  for (struct litmus_cell *c = cells; c < cells + n; c++) {
    uint64_t flag;
    if (litmus_without_fences)
      flag = __atomic_load_n(word(c, 1), __ATOMIC_RELAXED);
    else
      goacp_move(&flag, word(c, 1), sizeof flag);
    c->seen[1] = flag;
    c->seen[0] = __atomic_load_n(word(c, 0), __ATOMIC_RELAXED);
  }
}

size_t litmus_table_size(void) {
  return sizeof(struct goacp_regions) + GOACP_MAX_LEAVES * sizeof(struct goacp_leaf) +
         GOACP_LEAF_SIZE * sizeof(struct goacp_region);
}

static struct goacp_region *region_of(struct goacp_regions *r) {
  return (struct goacp_region *)((struct goacp_leaf *)(r + 1) + GOACP_MAX_LEAVES);
}

void litmus_begin_table(struct goacp_regions *r, uint64_t position) {
  struct goacp_leaf *leaf = (struct goacp_leaf *)(r + 1);
  leaf->first = position;
  leaf->count = 1;
  *region_of(r) = (struct goacp_region){.pos = position, .size = 1, .addr = 1};
  r->leaves = r->made = 1;
}

uint32_t *litmus_sequence(struct goacp_regions *r) { return &r->seq; }

uint64_t *litmus_region(struct goacp_regions *r) { return &region_of(r)->pos; }

void litmus_change(struct goacp_regions *r, uint64_t n) {
  struct goacp_region *region = region_of(r);
  for (uint64_t i = 1; i <= n; i++) {
    __atomic_fetch_add(&r->seq, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&region->size, i, RELEASE);
    __atomic_store_n(&region->addr, i, RELEASE);
    __atomic_fetch_add(&r->seq, 1, __ATOMIC_SEQ_CST);
  }
}

uint64_t litmus_look(const struct goacp_regions *r, uint64_t position, uint64_t n, uint64_t *found) {
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < n; i++) {
    struct goacp_region region;
    uint32_t seen;
    if (!goacp_region_at(r, 1, position, 1, &region, &seen))
      continue;
    wrong += region.size != region.addr;
    ++*found;
  }
  return wrong;
}

void litmus_increment(uint32_t *lock, uint64_t *count, uint64_t n) {
  for (uint64_t i = 0; i < n; i++) {
    for (int tries = 0; __atomic_exchange_n(lock, 1, ACQUIRE) != 0; goacp_pause())
      if (++tries % GOACP_SUBMISSION_LOCK_TRIES == 0)
        sched_yield();
    ++*count;
    __atomic_store_n(lock, 0, RELEASE);
  }
}
