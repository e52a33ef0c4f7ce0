// Performs all atomics on the memory of every rank, and checks the values that they leave and
// return. No change is lost while the owner changes the same word by CPU atomics.
#include "check.h"

#include <stdatomic.h>

enum { TIMES = 2000 };

struct words {
  _Atomic uint32_t count4;
  uint32_t x4, old4;
  _Atomic uint64_t count8;
  uint64_t x8, old8;
};

static struct words fixed;

#define GA(base, member) ((base) + offsetof(struct words, member))

#define STEP(op, width, before, after, ...)                                    \
  do {                                                                         \
    CHECK(acp_##op##width(GA(mine, old##width), GA(theirs, x##width),          \
                          __VA_ARGS__, ACP_HANDLE_ALL) != ACP_HANDLE_NULL);    \
    acp_handle_t h_ = acp_copy(GA(mine, x##width), GA(theirs, x##width), width, \
                               ACP_HANDLE_ALL);                                \
    acp_complete(h_);                                                          \
    CHECK(own->old##width == (before) && own->x##width == (after));            \
  } while (0)

// Results go to mine. theirs are the words to change, which no other rank uses.
static void values(acp_ga_t mine, struct words *own, acp_ga_t theirs) {
  STEP(swap, 4, 0, 0xfffffff0u, 0xfffffff0u);
  STEP(add, 4, 0xfffffff0u, 0x10u, 0x20u);
  STEP(or, 4, 0x10u, 0x90000011u, 0x90000001u);
  STEP(and, 4, 0x90000011u, 0x80000010u, 0x8ffffff0u);
  STEP(xor, 4, 0x80000010u, 0x7fffffefu, 0xffffffffu);
  STEP(cas, 4, 0x7fffffefu, 0x7fffffefu, 1u, 2u);
  STEP(cas, 4, 0x7fffffefu, 7u, 0x7fffffefu, 7u);
  STEP(swap, 8, 0, 0xfffffffffffffff0u, 0xfffffffffffffff0u);
  STEP(add, 8, 0xfffffffffffffff0u, 0x10u, 0x20u);
  STEP(or, 8, 0x10u, 0x9000000000000011u, 0x9000000000000001u);
  STEP(and, 8, 0x9000000000000011u, 0x8000000000000010u, 0x8ffffffffffffff0u);
  STEP(xor, 8, 0x8000000000000010u, 0x7fffffffffffffefu, 0xffffffffffffffffu);
  STEP(cas, 8, 0x7fffffffffffffefu, 0x7fffffffffffffefu, 1u, 2u);
  STEP(cas, 8, 0x7fffffffffffffefu, 7u, 0x7fffffffffffffefu, 7u);
}

// All ranks add to the counters of rank 0, and rank 0 adds to them by CPU atomics.
static void nothing_lost(int rank, int procs, acp_ga_t mine, struct words *own,
                         acp_ga_t zero) {
  for (int i = 0; i < TIMES; i++) {
    if (rank == 0) {
      atomic_fetch_add(&own->count4, 1);
      atomic_fetch_add(&own->count8, 1);
    }
    CHECK(acp_add4(GA(mine, old4), GA(zero, count4), 1, ACP_HANDLE_NULL) != 0);
    CHECK(acp_add8(GA(mine, old8), GA(zero, count8), 1, ACP_HANDLE_NULL) != 0);
    if (i % 64 == 0)
      acp_complete(ACP_HANDLE_ALL);
  }
  acp_complete(ACP_HANDLE_ALL);
  CHECK(acp_sync() == 0);
  if (rank == 0) {
    CHECK(atomic_load(&own->count4) == (uint32_t)(procs + 1) * TIMES);
    CHECK(atomic_load(&own->count8) == (uint64_t)(procs + 1) * TIMES);
  }
  CHECK(acp_sync() == 0);
}

int main(int argc, char **argv) {
  CHECK(acp_init(&argc, &argv) == 0);
  int rank = acp_rank(), procs = acp_procs();
  acp_ga_t starter = acp_query_starter_ga(rank);
  struct words *own = acp_query_address(starter);

  // In each round only one rank uses the words of a rank.
  for (int round = 0; round < procs; round++) {
    values(starter + sizeof *own, own + 1, acp_query_starter_ga((rank + round) % procs));
    CHECK(acp_sync() == 0);
    memset((void *)own, 0, 2 * sizeof *own);
    CHECK(acp_sync() == 0);
  }
  nothing_lost(rank, procs, starter, own, acp_query_starter_ga(0));

  // The same with registered memory; its GA travels through starter memory.
  acp_atkey_t key = acp_register_memory(&fixed, sizeof fixed, 0);
  acp_ga_t ga = acp_query_ga(key, &fixed);
  acp_ga_t *board = acp_query_address(starter + 512);
  board[0] = ga;
  CHECK(acp_sync() == 0);
  CHECK(acp_copy(starter + 520, acp_query_starter_ga(0) + 512, 8, 0) != 0);
  acp_complete(ACP_HANDLE_ALL);
  nothing_lost(rank, procs, ga, &fixed, board[1]);
  CHECK(acp_finalize() == 0);
  return 0;
}
