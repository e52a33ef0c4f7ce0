// Several threads of each process use handles, mutexes, messages, fences and accumulates at the same
// time.

#include <armci.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition))                                                          \
      ARMCI_Error(__FILE__ ": " #condition, __LINE__);                         \
  } while (0)

enum { THREADS = 4, TURNS = 60, WORDS = 9000 };

static int me, procs;
static void *block[64];

// The words that a thread of this process alone changes in the block of a process.
static int *words(int proc, int thread) {
  return (int *)block[proc] + 16 + (me * THREADS + thread) * WORDS;
}

// Puts and gets by handles of this thread.
static void transfer(int thread, int turn) {
  int *out = malloc(WORDS * sizeof *out), *in = malloc(WORDS * sizeof *in);
  int to = (me + turn) % procs, half = WORDS / 2;
  armci_hdl_t h, aggregate;
  memset(&h, 0x99, sizeof h);
  memset(&aggregate, 0x99, sizeof aggregate);
  ARMCI_SET_AGGREGATE_HANDLE(&aggregate);
  for (int i = 0; i < WORDS; i++)
    out[i] = turn * 1000 + thread + i;
  CHECK(ARMCI_NbPut(out, words(to, thread), half * (int)sizeof *out, to, &h) == 0);
  for (int i = half; i < WORDS; i += 100)
    CHECK(ARMCI_NbPut(out + i, words(to, thread) + i, 100 * (int)sizeof *out, to, &aggregate) == 0);
  while (ARMCI_Test(&h) == 1)
    continue;
  CHECK(ARMCI_Wait(&aggregate) == 0);
  if (turn % 3 == 0)
    ARMCI_Fence(to);
  CHECK(ARMCI_NbGet(words(to, thread), in, WORDS * (int)sizeof *in, to, &h) == 0 && ARMCI_Wait(&h) == 0);
  CHECK(memcmp(in, out, WORDS * sizeof *in) == 0);
  ARMCI_UNSET_AGGREGATE_HANDLE(&aggregate);
  free(in);
  free(out);
}

// Adds one to counters of process 0: by two mutexes, an atomic and an accumulate.
static void count(void) {
  int was, one = 1;
  int *counter = block[0];
  for (int mutex = 0; mutex < 2; mutex++) {
    ARMCI_Lock(mutex, mutex * (procs - 1));
    int x = ARMCI_GetValueInt(counter + mutex, 0);
    CHECK(ARMCI_PutValueInt(x + 1, counter + mutex, 0) == 0);
    ARMCI_Unlock(mutex, mutex * (procs - 1));
  }
  CHECK(ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &was, counter + 2, 1, 0) == 0);
  CHECK(ARMCI_Acc(ARMCI_ACC_INT, &one, &one, counter + 3, sizeof one, 0) == 0);
}

static void *run(void *arg) {
  int thread = (int)(intptr_t)arg, next = (me + 1) % procs, before = (me + procs - 1) % procs;
  for (int turn = 0; turn < TURNS; turn++) {
    int message[2] = {turn, thread}, got[2], n;
    transfer(thread, turn);
    count();
    armci_msg_snd(thread, message, sizeof message, next);
    armci_msg_rcv(thread, got, sizeof got, &n, before);
    CHECK(n == sizeof got && got[0] == turn && got[1] == thread);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  CHECK(ARMCI_Init() == 0);
  me = armci_msg_me();
  procs = armci_msg_nproc();
  CHECK(ARMCI_Malloc(block, (long)sizeof(int) * (16 + procs * THREADS * WORDS)) == 0 && ARMCI_Create_mutexes(2) == 0);
  for (intptr_t i = 0; i < THREADS; i++)
    CHECK(pthread_create(&threads[i], NULL, run, (void *)i) == 0);
  for (int i = 0; i < THREADS; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
  ARMCI_Barrier();
  for (int i = 0; i < 4; i++)
    CHECK(ARMCI_GetValueInt((int *)block[0] + i, 0) == procs * THREADS * TURNS);
  CHECK(ARMCI_Destroy_mutexes() == 0);
  armci_msg_finalize(); // and MPI
  printf("%d has come to the end\n", me);
  return 0;
}
