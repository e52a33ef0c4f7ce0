// Processes of ARMCI hold short transfers back with aggregate handles, and start them by everything
// that has to.

#include <acp.h>
#include <armci.h>

#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition))                                                          \
      ARMCI_Error(__FILE__ ": " #condition, __LINE__);                         \
  } while (0)

enum { MANY = 5000, WORDS = MANY + 100, HANDLES = 300 };

static int me, procs, to, from; // to: the process to which this process stores
static void *block[64];

static long *words(int proc) { return (long *)block[proc]; }

// A handle with n puts of one word each to the next process: value + i.
static void put(armci_hdl_t *handle, long value, int n) {
  for (int i = 0; i < n; i++)
    CHECK(ARMCI_NbPutValueLong(value + i, words(to) + i, to, handle) == 0);
}

// Whether the data of the process before this process has arrived.
static int is_there(long value, int n) {
  for (int i = 0; i < n; i++)
    if (words(me)[i] != value + i)
      return 0;
  return 1;
}

// Each way to make puts visible that the program has not waited for. Message barriers are no fences.
static void covered(void) {
  armci_hdl_t handle;
  ARMCI_INIT_HANDLE(&handle);
  ARMCI_SET_AGGREGATE_HANDLE(&handle);
  int *flag = (int *)(words(to) + MANY + 1), number;
  volatile int *own = (int *)(words(me) + MANY + 1);
  CHECK(ARMCI_Create_mutexes(1) == 0);
  for (int way = 0; way < 8; way++) {
    put(&handle, 1000 * way, 100);
    switch (way) {
    case 0:
      ARMCI_Fence(to);
      break;
    case 1:
      ARMCI_AllFence();
      break;
    case 2:
      ARMCI_Barrier();
      break;
    case 3:
      armci_notify(to);
      armci_notify_wait(from, &number);
      break;
    case 4:
      CHECK(ARMCI_Put_flag(&number, words(to) + MANY, sizeof number, flag, 7, to) == 0);
      while (__atomic_load_n(own, __ATOMIC_ACQUIRE) != 7)
        ;
      break;
    case 5:
      ARMCI_Lock(0, me);
      ARMCI_Unlock(0, me);
      break;
    case 6:
      CHECK(ARMCI_Wait(&handle) == 0);
      ARMCI_Fence(to);
      break;
    case 7: // the operations go on
      ARMCI_INIT_HANDLE(&handle);
      ARMCI_Fence(to);
    }
    armci_msg_barrier();
    CHECK(is_there(1000 * way, 100));
    armci_msg_barrier();
  }
  CHECK(ARMCI_Destroy_mutexes() == 0);
}

// The scale of an accumulate. At last there are more scales than a handle keeps apart.
static long scale_of(int i) { return i < MANY / 2 ? 1 + i % 3 : 1 + i % 300; }

// More puts, gets and accumulates with one handle, to all processes, than a handle holds back.
static void mixed(void) {
  static long back[MANY], one[MANY];
  armci_hdl_t handle;
  ARMCI_INIT_HANDLE(&handle);
  ARMCI_SET_AGGREGATE_HANDLE(&handle);
  put(&handle, 5, MANY);
  CHECK(ARMCI_Wait(&handle) == 0);
  ARMCI_Barrier();
  CHECK(is_there(5, MANY));
  ARMCI_Barrier();
  for (int i = 0; i < MANY; i++) {
    long scale = scale_of(i);
    one[i] = 1;
    for (int p = 0; p < procs; p++)
      CHECK(ARMCI_NbAcc(ARMCI_ACC_LNG, &scale, &one[i], words(p) + i, sizeof(long), p, &handle) == 0);
  }
  ARMCI_Barrier();
  for (int i = 0; i < MANY; i++)
    CHECK(words(me)[i] == 5 + i + procs * scale_of(i));
  ARMCI_Barrier();
  for (int i = 0; i < MANY; i += 2)
    CHECK(ARMCI_NbGet(words(to) + i, &back[i], 2 * sizeof(long), to, &handle) == 0);
  ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
  int result;
  while ((result = ARMCI_Test(&handle)) == 1)
    ;
  CHECK(result == 0);
  for (int i = 0; i < MANY; i++)
    CHECK(back[i] == 5 + i + procs * scale_of(i));
  ARMCI_Barrier();
}

// More handles than may hold operations back, each with a transfer of every shape.
static void many(void) {
  static armci_hdl_t handle[HANDLES];
  static long back[HANDLES], word[HANDLES][2];
  for (int i = 0; i < HANDLES; i++) {
    int stride = 2 * sizeof(long), count[] = {sizeof(long), 1};
    void *src = &word[i][0], *dst = words(to) + i;
    armci_giov_t segment = {&src, &dst, sizeof(long), 1};
    ARMCI_INIT_HANDLE(&handle[i]);
    ARMCI_SET_AGGREGATE_HANDLE(&handle[i]);
    word[i][0] = 3 * i;
    if (i % 3 == 0)
      CHECK(ARMCI_NbPut(src, dst, sizeof(long), to, &handle[i]) == 0);
    else if (i % 3 == 1)
      CHECK(ARMCI_NbPutS(src, &stride, dst, &stride, count, 1, to, &handle[i]) == 0);
    else
      CHECK(ARMCI_NbPutV(&segment, 1, to, &handle[i]) == 0);
  }
  for (int i = 0; i < HANDLES; i++) {
    CHECK(ARMCI_Wait(&handle[i]) == 0);
    CHECK(ARMCI_NbGet(words(to) + i, &back[i], sizeof(long), to, &handle[i]) == 0);
  }
  for (int i = 0; i < HANDLES; i++) {
    CHECK(ARMCI_Wait(&handle[i]) == 0 && back[i] == 3 * i);
    ARMCI_UNSET_AGGREGATE_HANDLE(&handle[i]);
  }
  ARMCI_Barrier();
}

int main(int argc, char **argv) {
  CHECK(acp_init(&argc, &argv) == 0);
  for (int world = 0; world < 2; world++) {
    CHECK(ARMCI_Init() == 0);
    me = armci_msg_me(), procs = armci_msg_nproc();
    to = (me + 1) % procs, from = (me + procs - 1) % procs;
    CHECK(ARMCI_Malloc(block, WORDS * sizeof(long)) == 0);
    covered();
    mixed();
    many();
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_SET_AGGREGATE_HANDLE(&handle);
    put(&handle, 9, 10); // Free starts it
    CHECK(ARMCI_Free(block[me]) == 0);
    CHECK(ARMCI_Finalize() == 0);
  }
  CHECK(acp_finalize() == 0);
  printf("process %d of %d\n", me, procs);
  return 0;
}
