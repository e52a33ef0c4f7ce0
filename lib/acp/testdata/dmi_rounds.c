// Threads of DMI meet at one barrier in many rounds: dmi_rounds PROCESSES THREADS ROUNDS SEED LATE. One thread in LATE comes late, so that other
// threads sleep. Some rounds combine values. Then there are barriers of one round, which one thread destroys as soon as its own sync has returned.
// In the last round one thread calls the barrier differently.
#include <dmi_api.h>

#include <sched.h>
#include <unistd.h>

#define CHECK(what)                                \
  do {                                             \
    if (!(what))                                   \
      dmi_failed(__FILE__, __LINE__, __func__, #what); \
  } while (0)

struct shared {
  int64_t barrier, seen; // seen: the number of rounds of each thread
  int64_t once;          // where the address of a barrier of one round is
  int64_t rounds, seed, late;
};

static uint64_t random_at(uint64_t seed, uint64_t a, uint64_t b) {
  uint64_t x = seed + a * 0x9e3779b97f4a7c15u + b * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

void DMI_main(int argc, char **argv) {
  struct shared s;
  int64_t at, zero = 0;
  CHECK(argc == 6);
  int32_t processes = atoi(argv[1]), threads = atoi(argv[2]);
  s.rounds = atoi(argv[3]);
  s.seed = atoll(argv[4]);
  s.late = atoi(argv[5]);
  CHECK(DMI_mmap(&at, sizeof s, 1, NULL));
  CHECK(DMI_mmap(&s.barrier, sizeof(DMI_barrier_t), 1, NULL));
  CHECK(DMI_mmap(&s.seen, sizeof zero, processes * threads, NULL));
  for (int i = 0; i < processes * threads; i++)
    CHECK(DMI_write(s.seen + 8 * i, sizeof zero, &zero, DMI_EXCLUSIVE, NULL));
  CHECK(DMI_mmap(&s.once, sizeof zero, 1, NULL));
  CHECK(DMI_barrier_init(s.barrier));
  CHECK(DMI_write(at, sizeof s, &s, DMI_EXCLUSIVE, NULL));
  CHECK(DMI_rescale(at, processes, threads));
  CHECK(DMI_barrier_destroy(s.barrier)); // no thread waits
  CHECK(DMI_munmap(s.barrier, NULL));
  outn("%ld rounds", (long)s.rounds);
}

// Comes late at times, and meets the other threads.
static void meet(const struct shared *s, DMI_local_barrier_t *b, int my_rank, int pnum, int64_t round) {
  uint64_t x = random_at((uint64_t)s->seed, (uint64_t)round, (uint64_t)my_rank + 1);
  if (x % (uint64_t)s->late == 0)
    usleep(200);
  else if (x % 8 == 0)
    sched_yield();
  if (random_at((uint64_t)s->seed, (uint64_t)round, 0) % 8 != 0) {
    CHECK(DMI_local_barrier_sync(b, pnum));
    return;
  }
  int64_t mine = my_rank + round, sum;
  CHECK(DMI_local_barrier_allreduce(b, pnum, &mine, &sum, DMI_OP_SUM, DMI_TYPE_LONGLONG));
  CHECK(sum == pnum * round + (int64_t)pnum * (pnum - 1) / 2);
}

// All threads meet at a new barrier. One of the threads destroys it as soon as its own sync has returned.
static void meet_once(const struct shared *s, DMI_local_barrier_t *all, int my_rank, int pnum, int turn) {
  DMI_local_barrier_t b;
  int64_t barrier;
  if (my_rank == 0) {
    CHECK(DMI_mmap(&barrier, sizeof(DMI_barrier_t), 1, NULL) && DMI_barrier_init(barrier));
    CHECK(DMI_write(s->once, sizeof barrier, &barrier, DMI_PUT, NULL));
  }
  CHECK(DMI_local_barrier_sync(all, pnum));
  CHECK(DMI_read(s->once, sizeof barrier, &barrier, DMI_GET, NULL));
  CHECK(DMI_local_barrier_init(&b, barrier));
  CHECK(DMI_local_barrier_sync(all, pnum));
  if (my_rank == (turn + 1) % pnum)
    usleep(turn % 4 * 50); /* others look, yield or sleep */
  CHECK(DMI_local_barrier_sync(&b, pnum));
  if (my_rank == turn % pnum)
    CHECK(DMI_barrier_destroy(barrier));
  CHECK(DMI_local_barrier_destroy(&b));
  CHECK(DMI_local_barrier_sync(all, pnum));
  if (my_rank == turn % pnum)
    CHECK(DMI_munmap(barrier, NULL));
}

int32_t DMI_scaleunit(int my_rank, int pnum, int64_t at) {
  struct shared s;
  DMI_local_barrier_t b;
  int64_t other;
  CHECK(DMI_read(at, sizeof s, &s, DMI_GET, NULL));
  CHECK(DMI_local_barrier_init(&b, s.barrier));
  for (int64_t round = 1; round <= s.rounds; round++) {
    CHECK(DMI_write(s.seen + 8 * my_rank, 8, &round, DMI_PUT, NULL));
    meet(&s, &b, my_rank, pnum, round);
    int64_t whose = (int64_t)(random_at((uint64_t)s.seed, (uint64_t)round, (uint64_t)my_rank + 1) >> 32) % pnum;
    CHECK(DMI_read(s.seen + 8 * whose, 8, &other, DMI_GET, NULL));
    CHECK(other == round || other == round + 1);
  }
  for (int turn = 0; turn < s.rounds / 20; turn++)
    meet_once(&s, &b, my_rank, pnum, turn);
  if (pnum > 1) {
    CHECK(!DMI_local_barrier_sync(&b, my_rank == 1 ? pnum + 1 : pnum));
    CHECK(strstr(DMI_strerror(), "threads call it differently: sync of ") != NULL);
    CHECK(!DMI_local_barrier_sync(&b, pnum)); // until it is initialised again
  }
  CHECK(DMI_local_barrier_destroy(&b));
  CHECK(!DMI_local_barrier_sync(&b, pnum));
  return 0;
}
