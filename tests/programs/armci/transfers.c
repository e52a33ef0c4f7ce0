// ARMCI processes change memory of each other by every kind of transfer, and check the memory.

#ifdef WITH_MPI
#include <mpi.h>
#endif

#include <acp.h>
#include <armci.h>
#include <armcix.h>
#include <armci_iterator.h>

#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition))                                                          \
      ARMCI_Error(__FILE__ ": " #condition, __LINE__);                         \
  } while (0)

enum { ROWS = 6, COLUMNS = 9, WORDS = 4096, LONG = 300000 };

static int me, procs;
static void *block[64]; // of all processes

static double *words(int proc) { return (double *)block[proc]; }

// Each process puts numbers of its own into a row of a matrix on its neighbour, and gets them back.
static void strided(void) {
  int to = (me + 1) % procs;
  double here[ROWS][COLUMNS], back[ROWS * 2][COLUMNS], one = 1, two = 2;
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++)
      here[i][j] = 1000 * me + 10 * i + j;
  int here_stride[] = {sizeof here[0]}, there_stride[] = {2 * sizeof here[0]};
  int count[] = {5 * sizeof(double), ROWS};
  double *there = words(to) + 10;
  CHECK(ARMCI_PutS(&here[0][2], here_stride, there, there_stride, count, 1, to) == 0);
  CHECK(ARMCI_AccS(ARMCI_ACC_DBL, &two, &here[0][2], here_stride, there, there_stride, count, 1, to) == 0);
  CHECK(ARMCI_AccS(ARMCI_ACC_DBL, &one, &here[0][2], here_stride, there, there_stride, count, 1, to) == 0);
  memset(back, 0, sizeof back);
  int back_stride[] = {-(int)sizeof back[0]};
  CHECK(ARMCI_GetS(there, there_stride, &back[ROWS - 1][1], back_stride, count, 1, to) == 0);
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < 5; j++)
      CHECK(back[ROWS - 1 - i][1 + j] == 4 * here[i][2 + j]);
  CHECK(back[0][0] == 0 && back[0][6] == 0);
}

// The same by segments, with a handle and without.
static void vectors(void) {
  int to = (me + procs - 1) % procs;
  int value[40], back[40];
  void *src[40], *dst[40];
  int *there = (int *)(words(to) + 1000);
  for (int i = 0; i < 40; i++) {
    value[i] = me + i;
    src[i] = &value[i];
    dst[i] = there + 3 * (39 - i);
  }
  armci_giov_t put = {src, dst, sizeof(int), 40};
  armci_hdl_t handle;
  memset(&handle, 0x5a, sizeof handle); // never initialised
  CHECK(ARMCI_NbPutV(&put, 1, to, &handle) == 0);
  CHECK(ARMCI_Wait(&handle) == 0);
  int three = 3;
  CHECK(ARMCI_NbAccV(ARMCI_ACC_INT, &three, &put, 1, to, NULL) == 0);
  CHECK(ARMCI_WaitProc(to) == 0);
  for (int i = 0; i < 40; i++)
    src[i] = there + 3 * i, dst[i] = &back[i];
  CHECK(ARMCI_GetV(&put, 1, to) == 0);
  for (int i = 0; i < 40; i++)
    CHECK(back[i] == 4 * (me + 39 - i));
  put.bytes = 0;
  CHECK(ARMCI_PutV(&put, 1, to) == 0);
}

// All processes add to the same long array.
static void accumulates(void) {
  static float ones[LONG], sum[LONG];
  float scale = 2;
  float *there = (float *)(words(0) + WORDS);
  for (int i = 0; i < LONG; i++)
    ones[i] = (float)(i % 5);
  CHECK(ARMCI_Acc(ARMCI_ACC_FLT, &scale, ones, there, sizeof ones, 0) == 0);
  armci_hdl_t handle = {{0, 0}};
  CHECK(ARMCI_NbAcc(ARMCI_ACC_FLT, &scale, ones, there, sizeof ones, 0, &handle) == 0);
  while (ARMCI_Test(&handle) == 1)
    ;
  ARMCI_Barrier();
  CHECK(ARMCI_NbGet(there, sum, sizeof sum, 0, &handle) == 0);
  CHECK(ARMCI_Wait(&handle) == 0);
  for (int i = 0; i < LONG; i++)
    CHECK(sum[i] == 4 * procs * (float)(i % 5));
}

// All processes add to the same elements, which lie in no order in more pages than there are locks.
static void scattered(void) {
  enum { SEGMENTS = 5000, ROUNDS = 20, STEP = 7919 };
  static void *src[SEGMENTS], *dst[SEGMENTS];
  static int value[SEGMENTS], sum[LONG], expected[LONG];
  int *there = (int *)(words(0) + WORDS), one = 1;
  ARMCI_Barrier();
  if (me == 0)
    memset(there, 0, LONG * sizeof *there);
  memset(expected, 0, sizeof expected);
  for (int i = 0; i < SEGMENTS; i++) {
    value[i] = i % 7 + 1;
    src[i] = &value[i];
    dst[i] = there + ((long)i * STEP + me) % LONG;
    for (int p = 0; p < procs; p++)
      expected[((long)i * STEP + p) % LONG] += ROUNDS * value[i];
  }
  ARMCI_Barrier();
  armci_giov_t add = {src, dst, sizeof *there, SEGMENTS};
  for (int i = 0; i < ROUNDS; i++)
    CHECK(ARMCI_AccV(ARMCI_ACC_INT, &one, &add, 1, 0) == 0);
  ARMCI_Barrier();
  CHECK(ARMCI_Get(there, sum, sizeof sum, 0) == 0);
  CHECK(memcmp(sum, expected, sizeof sum) == 0);
}

// All processes count, and take turns by a mutex.
static void counters(void) {
  long *count = (long *)(words(procs - 1) + 2000), old;
  int *turn = (int *)(words(0) + 2001);
  for (int i = 0; i < 100; i++)
    CHECK(ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, count, 3, procs - 1) == 0 && old % 3 == 0);
  CHECK(ARMCI_Create_mutexes(me == 0 ? 2 : 0) == 0);
  for (int i = 0; i < 50; i++) {
    ARMCI_Lock(1, 0);
    CHECK(ARMCI_PutValueInt(ARMCI_GetValueInt(turn, 0) + 1, turn, 0) == 0);
    ARMCI_Unlock(1, 0);
  }
  CHECK(ARMCI_Destroy_mutexes() == 0);
  ARMCI_Barrier();
  CHECK(ARMCI_GetValueLong(count, procs - 1) == 300L * procs);
  CHECK(ARMCI_GetValueInt(turn, 0) == 50 * procs);
  int mine = 7;
  CHECK(ARMCI_Rmw(ARMCI_SWAP, &mine, (int *)(words(me) + 2002), 99, me) == 0 && mine == 0);
  CHECK(*(int *)(words(me) + 2002) == 7);
  CHECK(ARMCI_PutValueDouble(2.5, words(me) + 2003, me) == 0);
  CHECK(ARMCI_GetValueDouble(words(me) + 2003, me) == 2.5);
}

// Data with a flag after it, and a notification.
static void flags(void) {
  int to = (me + 1) % procs, from = (me + procs - 1) % procs;
  int *flag = (int *)(words(to) + 3000);
  volatile int *own = (int *)(words(me) + 3000);
  double data[100];
  for (int i = 0; i < 100; i++)
    data[i] = me + i;
  CHECK(ARMCI_Put_flag(data, words(to) + 3100, sizeof data, flag, 5, to) == 0);
  while (__atomic_load_n(own, __ATOMIC_ACQUIRE) != 5)
    ;
  for (int i = 0; i < 100; i++)
    CHECK(words(me)[3100 + i] == from + i);
  ARMCI_Barrier();
  data[0] = -1;
  CHECK(ARMCI_Put(data, words(to) + 3100, sizeof data, to) == 0);
  int number = 0;
  CHECK(armci_notify(to) == 1);
  CHECK(armci_notify_wait(from, &number) == 1 && number == 1);
  CHECK(words(me)[3100] == -1);
}

// Functions on this process only.
static void local(void) {
  int cells[4][5], packed[6], stride[] = {sizeof cells[0]}, count[] = {2 * sizeof(int), 3};
  for (int i = 0; i < 20; i++)
    cells[i / 5][i % 5] = i;
  armci_write_strided(&cells[0][1], 1, stride, count, (char *)packed);
  CHECK(packed[0] == 1 && packed[1] == 2 && packed[4] == 11 && packed[5] == 12);
  packed[5] = -7;
  armci_read_strided(&cells[0][1], 1, stride, count, (char *)packed);
  CHECK(cells[2][2] == -7 && cells[2][3] == 13);
  stride_info_t s;
  armci_stride_info_init(&s, &cells[0][1], 1, stride, count);
  int n = 0;
  for (; armci_stride_info_has_more(&s); armci_stride_info_next(&s))
    CHECK(armci_stride_info_seg_ptr(&s) == (void *)&cells[n][1] && armci_stride_info_pos(&s) == n++);
  CHECK(n == armci_stride_info_size(&s));
  void *p = ARMCI_Malloc_local(0);
  CHECK(p != NULL && ARMCI_Free_local(p) == 0);
  armci_meminfo_t info;
  ARMCI_Memget(1000, &info, 0);
  CHECK(info.addr != NULL && info.cpid == me && ARMCI_Memat(&info, 8) == info.addr + 8);
  ARMCI_Memctl(&info);
  CHECK(info.addr == NULL);
}

// The number of this process, and of processes: the rank in ACP may differ.
static int armci_procs(void) {
  int n = 0;
  while (ARMCIX_Acp_rank(n) >= 0)
    n++;
  return n;
}

static int armci_me(void) {
  int proc = 0;
  while (ARMCIX_Acp_rank(proc) != acp_rank())
    proc++;
  return proc;
}

int main(int argc, char **argv) {
#ifdef WITH_MPI
  MPI_Init(&argc, &argv);
#endif
  CHECK(!ARMCI_Initialized());
  CHECK(ARMCI_Init_args(&argc, &argv) == 0 && ARMCI_Init() == 0 && ARMCI_Initialized());
  me = armci_me(), procs = armci_procs();
  CHECK(ARMCI_Malloc(block, WORDS * sizeof(double) + LONG * sizeof(float)) == 0);
  CHECK((size_t)block[me] % 4096 == 0 && words(me)[0] == 0);
  CHECK(ARMCIX_Acp_rank(me) == acp_rank() && ARMCIX_Acp_ga(block[0], 0) != ACP_GA_NULL);
  CHECK(armci_domain_id(ARMCI_DOMAIN_SMP, procs) == -1 && armci_domain_same_id(ARMCI_DOMAIN_SMP, me));
  CHECK(armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, -1, 0) <= me && armci_domain_nprocs(ARMCI_DOMAIN_SMP, -1) >= 1);
  ARMCI_Barrier();
  strided();
  vectors();
  accumulates();
  scattered();
  counters();
  flags();
  local();
  CHECK(ARMCI_Free(block[me]) == 0);
  CHECK(ARMCI_Finalize() == 0 && ARMCI_Initialized());
#ifdef WITH_MPI
  MPI_Finalize(); // instead of the second ARMCI_Finalize
  CHECK(!ARMCI_Initialized());
#endif
  CHECK(ARMCI_Finalize() == 0 && !ARMCI_Initialized());
  printf("process %d of %d\n", me, procs);
  return 0;
}
