// Threads of all processes lock and unlock random mutexes, one or two at a time, and add to the counters that these
// protect. Some calls use the functions in C and some the functions in Go, which share queues.
//
//     locks SEED TURNS

#include <armci.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// The function that the library calls in Go. The call is named if it fails.
struct call {
  const char *function;
  const void *arguments;
  int ends;
};
int goacp_armci_lock(const struct call *call, int mutex, int proc, uint64_t thread);
int goacp_armci_unlock(const struct call *call, int mutex, int proc, uint64_t thread);

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition))                                                          \
      ARMCI_Error(__FILE__ ": " #condition, __LINE__);                         \
  } while (0)

enum { THREADS = 3, MUTEXES = 3, MANY = 200 }; // the first MUTEXES of each process are contended

static int me, procs, turns;
static uint64_t seed;
static long *counts[64]; // the counters that the mutexes of a process protect

static int below(uint64_t *state, int n) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (int)(*state >> 33) % n;
}

static void lock(uint64_t *state, int mutex, int proc) {
  static const struct call call = {"lock", NULL, 1};
  if (below(state, 2))
    ARMCI_Lock(mutex, proc);
  else
    goacp_armci_lock(&call, mutex, proc, (uint64_t)pthread_self());
}

static void unlock(uint64_t *state, int mutex, int proc) {
  static const struct call call = {"unlock", NULL, 1};
  if (below(state, 2))
    ARMCI_Unlock(mutex, proc);
  else
    goacp_armci_unlock(&call, mutex, proc, (uint64_t)pthread_self());
}

// Adds one to the counter that a mutex protects, in two steps.
static void add(int mutex, int proc) {
  long x = ARMCI_GetValueLong(counts[proc] + mutex, proc);
  CHECK(ARMCI_PutValueLong(x + 1, counts[proc] + mutex, proc) == 0);
}

static void *work(void *argument) {
  uint64_t state = seed + (uint64_t)(me * THREADS) + (uint64_t)(uintptr_t)argument;
  for (int turn = 0; turn < turns; turn++) {
    int first = below(&state, MUTEXES * procs), second = below(&state, MUTEXES * procs);
    if (first > second || below(&state, 2)) // in one order, so that no thread waits forever
      second = first;
    lock(&state, first % MUTEXES, first / MUTEXES);
    if (second != first) {
      lock(&state, second % MUTEXES, second / MUTEXES);
      add(second % MUTEXES, second / MUTEXES);
    }
    add(first % MUTEXES, first / MUTEXES);
    unlock(&state, first % MUTEXES, first / MUTEXES);
    if (second != first)
      unlock(&state, second % MUTEXES, second / MUTEXES);
  }
  return NULL;
}

// One thread holds many mutexes at a time.
static void hold_many(void) {
  uint64_t state = seed;
  int proc = (me + 1) % procs;
  for (int i = MUTEXES; i < MANY; i++)
    lock(&state, i, proc);
  for (int i = MUTEXES; i < MANY; i++)
    unlock(&state, i, proc);
}

static long sum(void) {
  long all = 0;
  for (int p = 0; p < procs; p++)
    for (int i = 0; i < MUTEXES; i++)
      all += ARMCI_GetValueLong(counts[p] + i, p);
  return all;
}

// Counts how often this process has added.
static long expected(void) {
  long n = 0;
  for (int p = 0; p < procs; p++)
    for (int thread = 0; thread < THREADS; thread++) {
      uint64_t state = seed + (uint64_t)(p * THREADS) + (uint64_t)thread;
      for (int turn = 0; turn < turns; turn++) {
        int first = below(&state, MUTEXES * procs), second = below(&state, MUTEXES * procs);
        int two = !(first > second || below(&state, 2)) && second != first;
        for (int ways = two ? 4 : 2; ways > 0; ways--)
          below(&state, 2);
        n += 1 + two;
      }
    }
  return n;
}

int main(int argc, char **argv) {
  pthread_t threads[THREADS];
  CHECK(ARMCI_Init_args(&argc, &argv) == 0 && argc == 3);
  me = armci_msg_me();
  procs = armci_msg_nproc();
  seed = strtoull(argv[1], NULL, 10);
  turns = atoi(argv[2]);
  CHECK(ARMCI_Malloc((void **)counts, MUTEXES * sizeof(long)) == 0 && ARMCI_Create_mutexes(MANY) == 0);
  for (uintptr_t i = 0; i < THREADS; i++)
    CHECK(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  hold_many();
  ARMCI_Barrier();
  CHECK(sum() == expected());
  ARMCI_Barrier();
  CHECK(ARMCI_Destroy_mutexes() == 0 && ARMCI_Free(counts[me]) == 0);
  ARMCI_Finalize();
  printf("process %d of %d agrees\n", me, procs);
  return 0;
}
