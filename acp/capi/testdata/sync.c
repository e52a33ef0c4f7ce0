// Meets the other ranks again and again, coming at different times, and checks that no rank leaves
// before all ranks have entered. Ranks may belong to other programs that do the same. With argument
// "wrap", all ranks being of this program, the words of the barrier run over meanwhile. Each time
// each rank takes the barrier in C or the one in Go: they are the same.
#include "check.h"
#include "direct.h"

#include <time.h>

enum { ROUNDS = 1000 };

// Words of starter memory: the round that the rank has entered, where it has gathered with
// the others, and where it reads their words.
enum { ROUND, STAGE, THEIRS };
static volatile uint64_t *words;
static int rank, procs;
static unsigned seed;

int goacp_sync(void);

static uint64_t word_of(int other, int word) {
  acp_ga_t to = acp_query_starter_ga(rank) + 8 * THEIRS;
  acp_complete(acp_copy(to, acp_query_starter_ga(other) + 8 * (acp_ga_t)word, 8, ACP_HANDLE_NULL));
  return words[THEIRS];
}

static void meet(uint64_t round) {
  words[ROUND] = round;
  uint64_t count = goacp_direct()->barrier.count;
  CHECK((rand_r(&seed) % 2 == 0 ? acp_sync() : goacp_sync()) == 0);
  CHECK(goacp_direct()->barrier.count == count + 1);
  for (int other = 0; other < procs; other++) {
    uint64_t entered = word_of(other, ROUND);
    CHECK(entered == round || entered == round + 1);
  }
}

// Computes or sleeps for some microseconds.
static void dawdle(void) {
  unsigned r = (unsigned)rand_r(&seed);
  if (r % 4 == 0)
    usleep(r / 4 % 200);
  else if (r % 4 == 1)
    for (volatile unsigned i = 0; i < r / 4 % 50000; i++)
      ;
}

// Waits until all ranks have come to this stage, without a barrier.
static void gather(uint64_t stage) {
  words[STAGE] = stage;
  for (int other = 0; other < procs; other++)
    while (word_of(other, STAGE) < stage)
      ;
}

static void wrap(void) {
  struct goacp_barrier *b = &goacp_direct()->barrier;
  gather(1); // all have left the barrier before
  b->count = ((uint64_t)1 << 32) - ROUNDS / 2;
  if (rank == 0 && b->arrived != NULL) {
    __atomic_store_n(b->arrived, (uint32_t)b->count * b->group, __ATOMIC_SEQ_CST);
    __atomic_store_n(b->released, (uint32_t)b->count, __ATOMIC_SEQ_CST);
  }
  gather(2);
}

int main(int argc, char **argv) {
  FAILS(acp_sync(), -1, EPERM);
  CHECK(acp_init(&argc, &argv) == 0);
  rank = acp_rank();
  procs = acp_procs();
  words = acp_query_address(acp_query_starter_ga(rank));
  seed = (unsigned)time(NULL) + (unsigned)rank;
  for (uint64_t round = 1; round <= ROUNDS; round++) {
    if (round % 2 == 0)
      dawdle();
    meet(round);
  }
  if (argc > 1 && strcmp(argv[1], "wrap") == 0) {
    wrap();
    for (uint64_t round = 1; round <= ROUNDS; round++)
      meet(round);
    CHECK(goacp_direct()->barrier.count > (uint64_t)1 << 32);
  }
  CHECK(acp_finalize() == 0);
  FAILS(acp_sync(), -1, EPERM);
  return 0;
}
