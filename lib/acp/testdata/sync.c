// Calls acp_sync many times, on each rank after another delay, and checks that no rank leaves before all
// ranks have entered. Ranks may belong to other programs that do the same. With the argument "wrap", for
// which all ranks must run this program, the counters of the barrier wrap around. Each time, each rank calls
// the barrier in C or the one in Go, which are the same barrier.
#include "check.h"
#include "direct.h"

enum { ROUNDS = 1000 };

// Words of starter memory: the round that the rank has entered, the stage that it has reached, and
// room for the words of other ranks.
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

static void sync_once(uint64_t round) {
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
static void pause_at_random(void) {
  unsigned r = (unsigned)rand_r(&seed);
  if (r % 4 == 0)
    usleep(r / 4 % 200);
  else if (r % 4 == 1)
    for (volatile unsigned i = 0; i < r / 4 % 50000; i++)
      ;
}

// Waits until all ranks have reached this stage, without a barrier.
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
  seed = check_seed();
  for (uint64_t round = 1; round <= ROUNDS; round++) {
    if (round % 2 == 0)
      pause_at_random();
    sync_once(round);
  }
  if (argc > 1 && strcmp(argv[1], "wrap") == 0) {
    wrap();
    for (uint64_t round = 1; round <= ROUNDS; round++)
      sync_once(round);
    CHECK(goacp_direct()->barrier.count > (uint64_t)1 << 32);
  }
  CHECK(acp_finalize() == 0);
  FAILS(acp_sync(), -1, EPERM);
  return 0;
}
