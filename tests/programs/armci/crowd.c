// Many processes change the same memory. The first argument selects the way:
//
//     accumulate ROUNDS    by accumulates of all types and shapes, of which none may be lost
//     lock ROUNDS          under a mutex that its holder keeps while it sleeps, and by atomics. Those
//                          that wait use no processor time

#include <armci.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition))                                                          \
      ARMCI_Error(__FILE__ ": " #condition, __LINE__);                         \
  } while (0)

enum { CELLS = 1000, AREA = CELLS * 16, TYPES = 6 };

static const int size[TYPES] = {4, 8, 4, 8, 8, 16};

static int me, procs;
static void *block[256];

// Stores a number in an element, as its real part.
static void store(char *to, int type, int number) {
  long l = number;
  float f[2] = {(float)number, 0};
  double d[2] = {number, 0};
  const void *from[TYPES] = {&number, &l, f, d, f, d};
  memcpy(to, from[type], (size_t)size[type]);
}

// Adds one to each cell of a type, in one of several shapes.
static void add(int type, int round, int proc) {
  static char ones[AREA];
  char scale[16], *there = (char *)block[proc] + type * AREA;
  int n = size[type], by_two[] = {2 * n}, halves[] = {n, CELLS / 2};
  void *src[CELLS], *dst[CELLS];
  store(scale, type, 3);
  for (int i = 0; i < CELLS; i++)
    store(ones + i * n, type, -2);
  switch (round % 4) {
  case 0: // 3 * -2 + 7
    CHECK(ARMCI_Acc(type, scale, ones, there, CELLS * n, proc) == 0);
    break;
  case 1:
    CHECK(ARMCI_AccS(type, scale, ones, by_two, there, by_two, halves, 1, proc) == 0);
    CHECK(ARMCI_AccS(type, scale, ones, by_two, there + n, by_two, halves, 1, proc) == 0);
    break;
  case 2:
    for (int i = 0; i < CELLS; i++) {
      src[i] = ones + i * n;
      dst[i] = there + (CELLS - 1 - i) * n;
    }
    armci_giov_t g = {src, dst, n, CELLS};
    CHECK(ARMCI_AccV(type, scale, &g, 1, proc) == 0);
    break;
  case 3:
    for (int i = 0; i < CELLS; i++)
      CHECK(ARMCI_NbAcc(type, scale, ones, there + i * n, n, proc, NULL) == 0);
    CHECK(ARMCI_WaitProc(proc) == 0);
    break;
  }
  store(scale, type, 1);
  for (int i = 0; i < CELLS; i++)
    store(ones + i * n, type, 7);
  CHECK(ARMCI_Acc(type, scale, ones, there, CELLS * n, proc) == 0);
}

static void accumulate(int rounds) {
  for (int round = 0; round < rounds; round++)
    for (int type = 0; type < TYPES; type++)
      add(type, round + me, round % 2 ? procs - 1 : 0);
  ARMCI_Barrier();
  for (int type = 0; type < TYPES; type++)
    for (int which = 0; which < 2; which++) {
      char want[16], got[AREA];
      store(want, type, procs * (procs == 1 ? rounds : which ? rounds / 2 : (rounds + 1) / 2));
      CHECK(ARMCI_Get((char *)block[which ? procs - 1 : 0] + type * AREA, got, CELLS * size[type], which ? procs - 1 : 0) == 0);
      for (int i = 0; i < CELLS; i++)
        CHECK(memcmp(got + i * size[type], want, (size_t)size[type]) == 0);
    }
}

// The processor time of all processes, in seconds.
static double processor_time(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  double t = (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
  armci_msg_dgop(&t, 1, "+");
  return t;
}

// Adds one to both counters, to one of them under the mutex.
static void take_turn(int *counter, long nanoseconds) {
  const struct timespec hold = {0, nanoseconds};
  int was;
  ARMCI_Lock(0, 0);
  int x = ARMCI_GetValueInt(counter, procs - 1);
  nanosleep(&hold, NULL);
  CHECK(ARMCI_PutValueInt(x + 1, counter, procs - 1) == 0);
  ARMCI_Unlock(0, 0);
  CHECK(ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &was, counter + 1, 1, procs - 1) == 0);
}

static void lock(int rounds) {
  int *counter = block[procs - 1];
  CHECK(ARMCI_Create_mutexes(1) == 0);
  take_turn(counter, 0); // connects the processes
  processor_time();
  ARMCI_Barrier();
  double before = processor_time();
  for (int i = 1; i < rounds; i++)
    take_turn(counter, 50000000);
  ARMCI_Barrier();
  double each = (processor_time() - before) / ((rounds - 1) * procs);
  CHECK(ARMCI_GetValueInt(counter, procs - 1) == rounds * procs);
  CHECK(ARMCI_GetValueInt(counter + 1, procs - 1) == rounds * procs);
  if (me == 0)
    printf("%.0f us of processor time for each turn\n", 1e6 * each);
  CHECK(each < 25e-3); // if a waiting process used a processor, it would be 0.05
  CHECK(ARMCI_Destroy_mutexes() == 0);
}

int main(int argc, char **argv) {
  CHECK(ARMCI_Init_args(&argc, &argv) == 0 && argc == 3);
  me = armci_msg_me();
  procs = armci_msg_nproc();
  CHECK(ARMCI_Malloc(block, TYPES * AREA) == 0);
  (strcmp(argv[1], "lock") == 0 ? lock : accumulate)(atoi(argv[2]));
  armci_msg_finalize(); // and MPI
  return 0;
}
