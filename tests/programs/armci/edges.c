// ARMCI processes call its functions with edge values: nothing, the maximum, the first, overlapping memory,
// uninitialised values, and freed objects. There are at least three processes.

#include <armci.h>
#include <armci_iterator.h>
#include <armcix.h>

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition))                                                          \
      ARMCI_Error(__FILE__ ": " #condition, __LINE__);                         \
  } while (0)

enum { BYTES = 1 << 18 };

static int me, procs, to; // to: the neighbour
static void *block[64];

static double *mine(int proc) { return (double *)block[proc] + 64 * me; }

// Empty transfers succeed, wherever they would go.
static void empty(void) {
  int none[] = {0, 3}, no_rows[] = {8, 0}, row[] = {8}, stride[] = {8};
  double one = 1;
  armci_giov_t no_bytes = {NULL, NULL, 0, 5}, no_segments = {NULL, NULL, 8, 0};
  armci_hdl_t h;
  for (int p = 0; p < procs; p++) {
    CHECK(ARMCI_Put(NULL, NULL, 0, p) == 0 && ARMCI_Get(NULL, NULL, 0, p) == 0);
    CHECK(ARMCI_Acc(ARMCI_ACC_DBL, &one, NULL, NULL, 0, p) == 0);
    CHECK(ARMCI_PutS(NULL, stride, NULL, stride, none, 1, p) == 0);
    CHECK(ARMCI_GetS(NULL, stride, NULL, stride, no_rows, 1, p) == 0);
    CHECK(ARMCI_AccS(ARMCI_ACC_DBL, &one, NULL, stride, NULL, stride, no_rows, 1, p) == 0);
    CHECK(ARMCI_PutV(NULL, 0, p) == 0 && ARMCI_GetV(&no_bytes, 1, p) == 0);
    CHECK(ARMCI_AccV(ARMCI_ACC_DBL, &one, &no_segments, 1, p) == 0);
    CHECK(ARMCI_NbPut(NULL, NULL, 0, p, &h) == 0 && ARMCI_Wait(&h) == 0);
    CHECK(ARMCI_Put_flag(NULL, NULL, 0, (int *)mine(p), 7, p) == 0 && ARMCI_GetValueInt(mine(p), p) == 7);
    CHECK(ARMCI_PutS(&one, NULL, mine(p), NULL, row, 0, p) == 0 && *row == 8);
  }
  armci_msg_brdcst(NULL, 0, 0);
  armci_msg_dgop(NULL, 0, "+");
}

// Strides of levels with one block are ignored.
static void single_blocks(void) {
  double one = 1, here[4] = {1, 2, 3, 4}, back[4];
  int count[] = {16, 1, 2, 1}, local[] = {3, 16, INT_MIN}, remote[] = {-5, 16, INT_MAX};
  for (int p = 0; p < procs; p++) {
    memset(back, 0, sizeof back);
    CHECK(ARMCI_Put(back, mine(p), sizeof back, p) == 0);
    CHECK(ARMCI_AccS(ARMCI_ACC_DBL, &one, here, local, mine(p), remote, count, 3, p) == 0);
    CHECK(ARMCI_GetS(mine(p), remote, back, local, count, 3, p) == 0);
    CHECK(memcmp(here, back, sizeof back) == 0);
  }
}

// Contiguous transfers inside of a process read the source as it was.
static void overlapping(void) {
  int x[40], one = 1, two = 2;
  for (int shift = -9; shift <= 9; shift++) {
    for (int i = 0; i < 40; i++)
      x[i] = i;
    CHECK(ARMCI_Put(x + 10, x + 10 + shift, 20 * sizeof *x, me) == 0);
    for (int i = 0; i < 20; i++)
      CHECK(x[10 + shift + i] == 10 + i);
    CHECK(ARMCI_Get(x + 10 + shift, x + 10, 20 * sizeof *x, me) == 0);
    for (int i = 0; i < 20; i++)
      CHECK(x[10 + i] == 10 + i);
    for (int i = 0; i < 40; i++)
      x[i] = i;
    CHECK(ARMCI_Acc(ARMCI_ACC_INT, shift % 2 ? &one : &two, x + 10, x + 10 + shift, 20 * sizeof *x, me) == 0);
    for (int i = 0; i < 20; i++)
      CHECK(x[10 + shift + i] == 10 + shift + i + (shift % 2 ? 1 : 2) * (10 + i));
  }
}

// Integers wrap, and a factor of zero multiplies all the same.
static void arithmetic(void) {
  for (int p = 0; p < procs; p++) {
    int i = INT_MAX, small = 3, was;
    long l = LONG_MAX, old;
    double d = 1, infinite = INFINITY, zero = 0, sum;
    CHECK(ARMCI_PutValueInt(INT_MAX, mine(p), p) == 0 && ARMCI_PutValueLong(LONG_MIN, mine(p) + 1, p) == 0);
    CHECK(ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &was, mine(p), 2, p) == 0 && was == INT_MAX);
    CHECK(ARMCI_GetValueInt(mine(p), p) == INT_MIN + 1);
    CHECK(ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, mine(p) + 1, -1, p) == 0 && old == LONG_MIN);
    CHECK(ARMCI_GetValueLong(mine(p) + 1, p) == LONG_MAX);
    CHECK(ARMCI_Acc(ARMCI_ACC_INT, &small, &i, mine(p), sizeof i, p) == 0);
    CHECK(ARMCI_GetValueInt(mine(p), p) == (int)(3u * INT_MAX + (unsigned)INT_MIN + 1));
    CHECK(ARMCI_Acc(ARMCI_ACC_LNG, &l, &l, mine(p) + 1, sizeof l, p) == 0);
    CHECK(ARMCI_GetValueLong(mine(p) + 1, p) == (long)((unsigned long)LONG_MAX * LONG_MAX + LONG_MAX));
    CHECK(ARMCI_PutValueDouble(d, mine(p), p) == 0);
    CHECK(ARMCI_Acc(ARMCI_ACC_DBL, &zero, &infinite, mine(p), sizeof d, p) == 0);
    CHECK(ARMCI_Get(mine(p), &sum, sizeof sum, p) == 0 && isnan(sum));
  }
}

// A handle of any bytes is idle, and collects operations of all kinds.
static void handles(void) {
  static char data[8][BYTES / 8];
  armci_hdl_t h, copy;
  for (int byte = 0; byte < 256; byte += 15) {
    memset(&h, byte, sizeof h);
    CHECK(ARMCI_Test(&h) == 0 && ARMCI_Wait(&h) == 0 && ARMCI_Test(&h) == 0);
    memset(&h, byte, sizeof h);
    ARMCI_SET_AGGREGATE_HANDLE(&h);
    ARMCI_UNSET_AGGREGATE_HANDLE(&h);
    memset(&h, byte, sizeof h);
    ARMCI_INIT_HANDLE(&h);
    for (int i = 0; i < 8; i++) {
      memset(data[i], byte + i, sizeof data[i]);
      CHECK(ARMCI_NbPut(data[i], (char *)mine(to) + 8 * i, 8, to, &h) == 0);
      CHECK(ARMCI_NbGet(block[to], data[i], sizeof data[i], to, i % 2 ? NULL : &h) == 0);
    }
    copy = h;
    CHECK(ARMCI_WaitAll() == 0 && ARMCI_Wait(&h) == 0 && ARMCI_Wait(&h) == 0);
    CHECK(ARMCI_Test(&copy) == 0 && ARMCI_Wait(&copy) == 0); // it is no longer valid
    ARMCI_Fence(to);
    for (int i = 0; i < 8; i++)
      CHECK(ARMCI_GetValueInt((char *)mine(to) + 8 * i, to) == (int)((byte + i) % 256 * 0x01010101u));
  }
}

// Memory: none, on one process only, too much on one process, and memory that one process allocates alone.
static void memory(void) {
  void *other[64];
  CHECK(ARMCI_Malloc(other, me == 1 ? 100 : 0) == 0);
  for (int p = 0; p < procs; p++)
    CHECK((other[p] != NULL) == (p == 1));
  CHECK(ARMCI_PutValueDouble(me, (double *)other[1] + me, 1) == 0);
  CHECK(ARMCI_Free(me == 1 ? (char *)other[1] + 99 : NULL) == 0);
  CHECK(ARMCI_Malloc(other, me == 1 ? 1L << 46 : 64) == -7);
  for (int p = 0; p < procs; p++)
    CHECK(other[p] == NULL);
  CHECK(ARMCI_Malloc(other, 0) == 0 && other[me] == NULL && ARMCI_Free(NULL) == 0);

  ARMCI_Set_shm_limit(8192 + BYTES); // there is a block of BYTES
  CHECK(ARMCI_Malloc(other, 8192) == 0 && ((size_t)other[to] & 4095) == 0);
  CHECK(ARMCI_Malloc(other + procs, me == 0) == -7);
  CHECK(ARMCI_Free(other[me]) == 0);
  ARMCI_Set_shm_limit(0);

  armci_meminfo_t info;
  ARMCI_Memget(4096, &info, 0);
  CHECK(info.armci_addr == info.addr && info.size == 4096 && info.cpid == me);
  armci_msg_snd(-7, &info, sizeof info, (me + procs - 1) % procs);
  armci_meminfo_t far;
  armci_msg_rcv(-7, &far, sizeof far, NULL, to);
  CHECK(far.cpid == to);
  far.armci_addr += 80; // does not count
  CHECK(ARMCI_PutValueInt(me, ARMCI_Memat(&far, 80), to) == 0);
  ARMCI_Memdt(&far, 80);
  ARMCI_Memctl(&far); // frees nothing, since another process has made it
  CHECK(far.addr == NULL && far.armci_addr == NULL && ARMCI_Memat(&far, 0) == NULL);
  ARMCI_Barrier();
  CHECK(*(int *)(void *)(info.addr + 80) == (me + procs - 1) % procs);
  ARMCI_Memctl(&info);
  CHECK(info.addr == NULL && ARMCI_Free_local(NULL) == 0);
}

// A group that was freed is gone for all copies, and the default group is the world again.
static void freed_groups(void) {
  for (int turn = 0; turn < 20; turn++) {
    int reversed[64], size = 0;
    void *shared[64];
    ARMCI_Group group, copy, left, world, inner;
    for (int p = 0; p < procs; p++)
      reversed[p] = procs - 1 - p;
    ARMCI_Group_get_world(&world);
    ARMCI_Group_create(procs, reversed, &group);
    copy = left = group;
    CHECK(ARMCI_Absolute_id(&copy, 0) == procs - 1 && ARMCI_Absolute_id(&copy, procs) == -1);
    ARMCI_Group_set_default(&copy);
    int first_two[] = {0, 1}; // of the default group
    ARMCI_Group_create(2, first_two, &inner);
    ARMCI_Group_size(&inner, &size);
    CHECK(size == (me >= procs - 2 ? 2 : 0));
    CHECK(ARMCI_Malloc_group(shared, 64, &group) == 0);
    ARMCI_Group_free(&inner);
    ARMCI_Group_free(&group);
    ARMCI_Group_free(&copy);
    CHECK(ARMCI_Absolute_id(&left, 0) == -1 && ARMCI_Group_rank(&left, &size) == 1 && size == -1);
    ARMCI_Group_size(&left, &size);
    CHECK(size == 0 && ARMCI_Group_rank(&world, &size) == 0 && size == me);
    CHECK(ARMCI_PutValueInt(me, shared[0], procs - 1) == 0 && ARMCI_PutValueInt(me, shared[procs - 1], 0) == 0);
    ARMCI_Group_create(2, first_two, &inner);
    ARMCI_Group_size(&inner, &size);
    CHECK(size == (me < 2 ? 2 : 0));
    ARMCI_Group_free(&inner);
    CHECK(ARMCI_Free(shared[procs - 1 - me]) == 0);
  }
}

// Notifications are counted for each pair, and arrive after the data.
static void notifications(void) {
  enum { TIMES = 300 };
  int from = (me + procs - 1) % procs, at;
  for (int i = 1; i <= TIMES; i++) {
    CHECK(ARMCI_PutValueInt(i, mine(to), to) == 0);
    CHECK(armci_notify(to) == i && armci_notify(me) == i);
  }
  for (int i = 1; i <= TIMES; i++) {
    CHECK(armci_notify_wait(from, &at) >= i && at == i);
    CHECK(((volatile int *)((double *)block[me] + 64 * from))[0] >= i);
    CHECK(armci_notify_wait(me, NULL) >= i);
  }
}

// Messages of every size, many that nothing expects, and in another order than they came.
static void messages(void) {
  static char out[BYTES + 1], in[BYTES + 1];
  static const int sizes[] = {0, 1, 8191, 8192, 8193, 65535, 65536};
  int from = (me + procs - 1) % procs, n;
  for (int round = 0; round < 2; round++) {
    int peer = round ? me : to, sender = round ? me : from;
    for (int i = 0; i < 7; i++) {
      memset(out, 10 * me + i, (size_t)sizes[i]);
      armci_msg_snd(INT_MIN + i, out, sizes[i], peer);
    }
    for (int i = 6; i >= 0; i--) {
      memset(in, 0x55, sizeof in);
      armci_msg_rcv(INT_MIN + i, in, BYTES, &n, sender);
      CHECK(n == sizes[i] && in[n] == 0x55);
      for (int k = 0; k < n; k++)
        CHECK(in[k] == (char)(10 * sender + i));
    }
  }
  armci_msg_snd(INT_MAX, out, BYTES, me); // of any size
  CHECK(armci_msg_rcvany(INT_MAX, in, BYTES, &n) == me && n == BYTES && memcmp(in, out, BYTES) == 0);
  for (int i = 0; i < 5000; i++)
    armci_msg_snd(i % 3, &i, sizeof i, to);
  armci_msg_barrier();
  for (int tag = 2; tag >= 0; tag--)
    for (int i = tag; i < 5000; i += 3) {
      int got;
      CHECK(armci_msg_rcvany(tag, &got, sizeof got, NULL) == from && got == i);
    }
  if (me == 0) // longer than a copied message: the receiver takes it
    for (int p = 1; p < procs; p++)
      armci_msg_rcv(9, in, BYTES + 1, &n, p);
  else
    armci_msg_snd(9, out, BYTES + 1, 0);
}

// The tree of a scope, also in processes that are not in it.
static void trees(void) {
  int root, up, left, right, masters = armci_domain_count(ARMCI_DOMAIN_SMP), master = 1;
  armci_msg_bintree(SCOPE_MASTERS, &root, &up, &left, &right);
  for (int p = 0; p < me; p++)
    master &= !ARMCI_Same_node(p);
  CHECK(root == 0 && (master || (up == -1 && left == -1 && right == -1)));
  CHECK(me != 0 || ((left > 0) == (masters > 1) && (right > 0) == (masters > 2)));
  int sum = 1;
  armci_msg_gop_scope(SCOPE_MASTERS, &sum, 1, "+", ARMCI_INT);
  CHECK(sum == (master ? masters : 1));
}

// Functions about the memory of the process alone.
static void local(void) {
  int count[9] = {1, 2, 2, 2, 2, 2, 2, 2, 2}, stride[8];
  char from[256], packed[256], back[256] = {0};
  for (int i = 0; i < 8; i++)
    stride[i] = i % 2 ? -(1 << i) : 1 << i;
  for (int i = 0; i < 256; i++)
    from[i] = (char)i;
  int first = 2 + 8 + 32 + 128;
  armci_write_strided(from + first, 8, stride, count, packed);
  armci_read_strided(back + first, 8, stride, count, packed);
  CHECK(memcmp(from, back, 256) == 0);
  stride_info_t s;
  armci_stride_info_init(&s, from + first, 8, stride, count);
  CHECK(armci_stride_info_size(&s) == 256 && armci_stride_info_count(&s) == 256 && armci_stride_info_seg_size(&s) == 1);
  for (int i = 0; i < 256; i++) {
    CHECK(armci_stride_info_has_more(&s) && armci_stride_info_pos(&s) == i);
    CHECK(*(char *)armci_stride_info_seg_ptr(&s) == packed[i]);
    CHECK(armci_stride_info_seg_off(&s) == (char *)armci_stride_info_seg_ptr(&s) - (from + first));
    armci_stride_info_next(&s);
  }
  CHECK(!armci_stride_info_has_more(&s));
  armci_stride_info_destroy(&s);
  count[3] = 0;
  armci_write_strided(NULL, 8, stride, count, NULL);
  armci_stride_info_init(&s, from, 8, stride, count);
  CHECK(!armci_stride_info_has_more(&s));
  ARMCI_Copy(from, from + 1, 100);
  CHECK(from[1] == 0 && from[100] == 99);
  ARMCI_Copy(from, NULL, 0);
}

int main(int argc, char **argv) {
  CHECK(ARMCI_Init_args(&argc, &argv) == 0);
  me = armci_msg_me();
  procs = armci_msg_nproc();
  to = (me + 1) % procs;
  CHECK(ARMCI_Malloc(block, BYTES) == 0);
  void (*const parts[])(void) = {empty,  single_blocks, overlapping,   arithmetic, handles, memory,
                                 freed_groups, notifications, messages, trees,      local};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    parts[i]();
    ARMCI_Barrier();
  }
  CHECK(ARMCI_Free(block[me]) == 0);
  armci_msg_finalize(); // and MPI
  CHECK(!ARMCI_Initialized() && ARMCI_Finalize() == 0);
  printf("%d has come to the end\n", me);
  return 0;
}
