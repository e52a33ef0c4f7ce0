// ARMCI processes compare the counts of acp_stats with their known transfers.
//
//     acprun -stats -np 3 counts shm|tcp SEED

#include <acp.h>
#include <armci.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition))                                                          \
      ARMCI_Error(__FILE__ ": " #condition, __LINE__);                         \
  } while (0)

enum { TIMES = 600, MOST = 8, KINDS = 7, BYTES = 1 << 16 };

static int me, procs, path_to_others;
static unsigned seed;
static char *block[MOST], local[BYTES];
static struct { int64_t operations, bytes; } ledger[MOST][KINDS];

static int draw(int n) { return (int)(rand_r(&seed) % (unsigned)n); }

static void note(int proc, int kind, int64_t bytes) {
  ledger[proc][kind].operations += bytes > 0;
  ledger[proc][kind].bytes += bytes;
}

// Compares all numbers with the ledger.
static void compare(void) {
  for (int proc = 0; proc < procs; proc++)
    for (int kind = 1; kind < KINDS; kind++) {
      int64_t bytes = -1, operations = acp_stats(proc, kind, ACP_STATS_ALL, &bytes);
      if (operations != ledger[proc][kind].operations || bytes != ledger[proc][kind].bytes)
        printf("process %d counts %lld operations of kind %d on %d, and %lld bytes\n", me, (long long)operations,
               kind, proc, (long long)bytes);
      CHECK(operations == ledger[proc][kind].operations && bytes == ledger[proc][kind].bytes);
      int path = proc == me ? ACP_STATS_SHM : path_to_others;
      CHECK(acp_stats(proc, kind, path, NULL) == operations);
    }
}

// A contiguous transfer, started or waited for.
static void contiguous(int proc) {
  int n = (int[]){0, 1, 8, 8, 8, 12, 4096, 40000}[draw(8)];
  double one = 1;
  armci_hdl_t handle;
  ARMCI_INIT_HANDLE(&handle);
  switch (draw(5)) {
  case 0:
    CHECK(ARMCI_Put(local, block[proc], n, proc) == 0);
    note(proc, ACP_STATS_PUT, n);
    break;
  case 1:
    CHECK(ARMCI_Get(block[proc], local, n, proc) == 0);
    note(proc, ACP_STATS_GET, n);
    break;
  case 2:
    CHECK(ARMCI_NbPut(local, block[proc], n, proc, &handle) == 0 && ARMCI_Wait(&handle) == 0);
    note(proc, ACP_STATS_PUT, n);
    break;
  case 3:
    CHECK(ARMCI_NbGet(block[proc], local, n, proc, &handle) == 0 && ARMCI_Wait(&handle) == 0);
    note(proc, ACP_STATS_GET, n);
    break;
  default:
    n -= n % 8;
    CHECK(ARMCI_Acc(ARMCI_ACC_DBL, &one, local, block[proc], n, proc) == 0);
    note(proc, ACP_STATS_ATOMIC, n);
  }
}

// A strided transfer, whose blocks may be adjacent.
static void strided(int proc) {
  int count[3] = {8 * (1 + draw(9)), 1 + draw(6), 1 + draw(4)}, levels = draw(3);
  int row = draw(2) ? count[0] : count[0] + 40, near[2] = {row, row * 7}, far[2] = {row, row * 8};
  double one = 1;
  int64_t bytes = count[0];
  for (int i = 1; i <= levels; i++)
    bytes *= count[i];
  switch (draw(3)) {
  case 0:
    CHECK(ARMCI_PutS(local, near, block[proc], far, count, levels, proc) == 0);
    note(proc, ACP_STATS_PUT, bytes);
    break;
  case 1:
    CHECK(ARMCI_GetS(block[proc], far, local, near, count, levels, proc) == 0);
    note(proc, ACP_STATS_GET, bytes);
    break;
  default:
    CHECK(ARMCI_AccS(ARMCI_ACC_DBL, &one, local, near, block[proc], far, count, levels, proc) == 0);
    note(proc, ACP_STATS_ATOMIC, bytes);
  }
}

// A vector transfer of two descriptors.
static void vector(int proc) {
  enum { LONGEST = 20 };
  void *here[2][LONGEST], *there[2][LONGEST];
  armci_giov_t d[2];
  double one = 1;
  int64_t bytes = 0;
  int kind = draw(3);
  for (int k = 0; k < 2; k++) {
    int n = 1 + draw(LONGEST), size = 8 * (1 + draw(4));
    for (int i = 0; i < n; i++) {
      here[k][i] = local + 64 * (k * LONGEST + i);
      there[k][i] = block[proc] + 128 * (k * LONGEST + i);
    }
    d[k].src_ptr_array = kind == 1 ? there[k] : here[k];
    d[k].dst_ptr_array = kind == 1 ? here[k] : there[k];
    d[k].ptr_array_len = n;
    d[k].bytes = size;
    bytes += n * size;
  }
  if (kind == 0)
    CHECK(ARMCI_PutV(d, 2, proc) == 0);
  else if (kind == 1)
    CHECK(ARMCI_GetV(d, 2, proc) == 0);
  else
    CHECK(ARMCI_AccV(ARMCI_ACC_DBL, &one, d, 2, proc) == 0);
  note(proc, (int[]){ACP_STATS_PUT, ACP_STATS_GET, ACP_STATS_ATOMIC}[kind], bytes);
}

// Words: values, atomics and flags.
static void word(int proc) {
  int old4;
  long old8;
  switch (draw(5)) {
  case 0:
    CHECK(ARMCI_PutValueInt(1, block[proc], proc) == 0);
    note(proc, ACP_STATS_PUT, sizeof(int));
    break;
  case 1:
    (void)ARMCI_GetValueDouble(block[proc], proc);
    note(proc, ACP_STATS_GET, sizeof(double));
    break;
  case 2:
    CHECK(ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &old4, block[proc], 1, proc) == 0);
    note(proc, ACP_STATS_ATOMIC, sizeof(int));
    break;
  case 3:
    old8 = 7;
    CHECK(ARMCI_Rmw(ARMCI_SWAP_LONG, &old8, block[proc], 0, proc) == 0);
    note(proc, ACP_STATS_ATOMIC, sizeof(long));
    break;
  default:
    CHECK(ARMCI_Put_flag(local, block[proc], 100, (int *)(block[proc] + 200), 1, proc) == 0);
    note(proc, ACP_STATS_PUT, 100);
    note(proc, ACP_STATS_PUT, sizeof(int));
  }
}

int main(int argc, char **argv) {
  CHECK(ARMCI_Init_args(&argc, &argv) == 0);
  CHECK(argc == 3);
  me = armci_msg_me();
  procs = armci_msg_nproc();
  path_to_others = strcmp(argv[1], "tcp") == 0 ? ACP_STATS_TCP : ACP_STATS_SHM;
  seed = (unsigned)atoi(argv[2]) + (unsigned)me;
  CHECK(procs <= MOST && ARMCI_Malloc((void **)block, BYTES) == 0);
  for (int i = 0; i < TIMES; i++) {
    int proc = draw(procs);
    switch (draw(4)) {
    case 0:
      contiguous(proc);
      break;
    case 1:
      strided(proc);
      break;
    case 2:
      vector(proc);
      break;
    default:
      word(proc);
    }
    if (i % 50 == 0)
      compare();
  }
  compare();
  ARMCI_Barrier();
  ARMCI_Free(block[me]);
  printf("process %d of %d agrees\n", me, procs);
  ARMCI_Finalize();
  return 0;
}
