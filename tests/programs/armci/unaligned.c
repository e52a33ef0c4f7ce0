// Processes of ARMCI accumulate elements at addresses that are not aligned, with strides that are no
// multiples of the elements, all to the same memory at the same time. No contribution gets lost.

#include <armci.h>

#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition))                                                          \
      ARMCI_Error(__FILE__ ": " #condition, __LINE__);                         \
  } while (0)

// Elements of 35 bytes in rows of 1003 lie across the ends of pages, too.
enum { BYTES = 40000, STRIDE = 35, ROW = 1003, COLUMNS = 7, ROWS = 20, TURNS = 30 };

static int me, procs;
static void *block[64];

static int size_of(int type) {
  static const int sizes[] = {4, 8, 4, 8, 8, 16};
  return sizes[type - ARMCI_ACC_INT];
}

// Stores a small number as an element of a type; a complex number has it in both parts.
static void store(int type, void *at, int x) {
  long l = x;
  float f[2] = {(float)x, (float)x};
  double d[2] = {x, x};
  memcpy(at, type == ARMCI_ACC_INT ? (void *)&x
             : type == ARMCI_ACC_LNG ? (void *)&l
             : type == ARMCI_ACC_FLT || type == ARMCI_ACC_CPL ? (void *)f : (void *)d,
         (size_t)size_of(type));
}

// A factor of two.
static void *factor(int type) {
  static double memory[2];
  int part = type == ARMCI_ACC_CPL ? ARMCI_ACC_FLT : type == ARMCI_ACC_DCP ? ARMCI_ACC_DBL : type;
  memset(memory, 0, sizeof memory);
  store(part, memory, 2);
  return memory;
}

// The element of a row and a column, from an address on.
static char *at(void *base, int first, int row, int column) {
  return (char *)base + first + row * ROW + column * STRIDE;
}

// All processes accumulate to the elements of process 0, in each form. first is the first address.
static void accumulate(int type, int first) {
  int size = size_of(type), strides[] = {STRIDE, ROW}, tight[] = {size, size * COLUMNS};
  int count[] = {size, COLUMNS, ROWS};
  static char local[COLUMNS * ROWS * 16 + 1];
  void *from[COLUMNS * ROWS], *to[COLUMNS * ROWS];
  if (me == 0)
    memset(block[0], 0, BYTES);
  ARMCI_Barrier();
  for (int i = 0; i < COLUMNS * ROWS; i++) {
    from[i] = local + 1 + i * size;
    to[i] = at(block[0], first, i / COLUMNS, i % COLUMNS);
    store(type, from[i], me + 1);
  }
  armci_giov_t segments = {from, to, size, COLUMNS * ROWS};
  for (int turn = 0; turn < TURNS; turn++) {
    armci_hdl_t h;
    ARMCI_INIT_HANDLE(&h);
    if (turn % 2 == 1)
      ARMCI_SET_AGGREGATE_HANDLE(&h);
    CHECK(ARMCI_AccS(type, factor(type), local + 1, tight, to[0], strides, count, 2, 0) == 0);
    CHECK(ARMCI_AccV(type, factor(type), &segments, 1, 0) == 0);
    CHECK(ARMCI_Acc(type, factor(type), from[0], to[turn], size, 0) == 0);
    CHECK(ARMCI_NbAcc(type, factor(type), from[0], to[turn], size, 0, &h) == 0);
    CHECK(ARMCI_Wait(&h) == 0);
  }
  ARMCI_Barrier();
  int each = procs * (procs + 1) / 2 * 2; // the sum of all processes, times the factor
  for (int i = 0; i < COLUMNS * ROWS; i++) {
    char want[16], got[16];
    store(type, want, each * (2 * TURNS + (i < TURNS ? 2 : 0)));
    CHECK(ARMCI_Get(to[i], got, size, 0) == 0);
    if (memcmp(got, want, (size_t)size) != 0) {
      fprintf(stderr, "process %d: type %d at %d: element %d differs\n", me, type, first, i);
      ARMCI_Error("unaligned accumulate", 1);
    }
  }
  ARMCI_Barrier();
}

// Puts and gets of three bytes, and of nine, arrive where they belong and nowhere else.
static void transfer(int bytes) {
  int strides[] = {STRIDE}, tight[] = {bytes}, count[] = {bytes, 40}, to = (me + 1) % procs;
  char out[40 * 9], in[40 * 9], around[STRIDE];
  for (int i = 0; i < 40 * bytes; i++)
    out[i] = (char)(i + me + 1);
  memset(block[me], 0, BYTES);
  ARMCI_Barrier();
  CHECK(ARMCI_PutS(out, tight, (char *)block[to] + 4091, strides, count, 1, to) == 0);
  CHECK(ARMCI_GetS((char *)block[to] + 4091, strides, in, tight, count, 1, to) == 0);
  CHECK(memcmp(in, out, (size_t)(40 * bytes)) == 0);
  CHECK(ARMCI_Get((char *)block[to] + 4091 + STRIDE, around, STRIDE, to) == 0);
  for (int i = 0; i < STRIDE; i++)
    CHECK(around[i] == (i < bytes ? out[bytes + i] : 0));
  ARMCI_Barrier();
}

int main(int argc, char **argv) {
  CHECK(ARMCI_Init_args(&argc, &argv) == 0);
  me = armci_msg_me();
  procs = armci_msg_nproc();
  CHECK(ARMCI_Malloc(block, BYTES) == 0);
  for (int type = ARMCI_ACC_INT; type <= ARMCI_ACC_DCP; type++)
    for (int first = 0; first < 8; first += 1 + first % 3)
      accumulate(type, first);
  transfer(3);
  transfer(9);
  CHECK(ARMCI_Free(block[me]) == 0);
  armci_msg_finalize(); // and MPI
  printf("process %d has come to the end\n", me);
  return 0;
}
