// Accumulates and reductions of infinities, signalling NaNs and large numbers in programs that let exceptions of real
// numbers trap. After each call the exceptions that trap, and the flags, are as before.
//
//     floats

#define _GNU_SOURCE // feenableexcept

#include <armci.h>
#include <armci_msg.h>

#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRAPS = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW, N = 5 };

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition))                                                          \
      ARMCI_Error(__FILE__ ": " #condition, __LINE__);                         \
  } while (0)

#define SAME(call)                                                             \
  do {                                                                         \
    CHECK((call) == 0);                                                        \
    CHECK(fegetexcept() == TRAPS && fetestexcept(FE_ALL_EXCEPT) == 0);         \
  } while (0)

static int me, procs;

static void put_signalling(double *to) {
  const uint64_t bits = 0x7ff0000000000001;
  memcpy(to, &bits, sizeof bits);
}

// Values that raise invalid, overflow, underflow and inexact when they are added to themselves or multiplied with
// the factor of all accumulates.
static void fill(double *x) {
  const double values[N] = {INFINITY, 0, 1e308, 1e-308, 1};
  memcpy(x, values, sizeof values);
  put_signalling(&x[1]);
}

static void check(const double *x) {
  CHECK(isnan(x[0]) && isnan(x[1]) && isinf(x[2]) && x[2] > 0 && x[3] > 0 && x[3] < 1e-300 && x[4] > 1.4 && x[4] < 10);
}

// The first contents of process 0: together with values they raise the same exceptions.
static void begin(double *memory) {
  const double values[N] = {-INFINITY, 1, 1e308, 1e-308, 1};
  memcpy(memory, values, sizeof values);
}

// Accumulates by one of the functions into the memory of process 0.
static void accumulate(double *memory, int how) {
  double values[N], scale = 1.4142135623730951;
  void *from[N], *to[N];
  int size = sizeof values, counts[2] = {8, N}, stride = 8;
  for (int i = 0; i < N; i++) {
    from[i] = &values[i];
    to[i] = memory + i;
  }
  armci_giov_t vector = {.src_ptr_array = from, .dst_ptr_array = to, .ptr_array_len = N, .bytes = 8};
  armci_hdl_t handle;
  fill(values);
  switch (how) {
  case 0:
    SAME(ARMCI_Acc(ARMCI_ACC_DBL, &scale, values, memory, size, 0));
    break;
  case 1:
    SAME(ARMCI_AccS(ARMCI_ACC_DBL, &scale, values, &stride, memory, &stride, counts, 1, 0));
    break;
  case 2:
    SAME(ARMCI_AccV(ARMCI_ACC_DBL, &scale, &vector, 1, 0));
    break;
  default:
    ARMCI_INIT_HANDLE(&handle);
    SAME(ARMCI_NbAcc(ARMCI_ACC_DBL, &scale, values, memory, size, 0, &handle));
    SAME(ARMCI_Wait(&handle));
  }
  SAME((ARMCI_Fence(0), 0));
}

static void reduce(void) {
  double x[N];
  float y[2] = {me == 0 ? (float)INFINITY : -(float)INFINITY, 3e38f};
  fill(x);
  x[0] = me == 0 ? (double)INFINITY : -(double)INFINITY;
  armci_msg_dgop(x, N, "+");
  SAME(0);
  check(x);
  armci_msg_fgop(y, 2, "+");
  SAME(0);
  CHECK(isnan(y[0]) && isinf(y[1]));
}

int main(int argc, char **argv) {
  CHECK(feenableexcept(TRAPS) != -1); // a program that loads this program may have done it
  CHECK(ARMCI_Init_args(&argc, &argv) == 0);
  me = armci_msg_me();
  procs = armci_msg_nproc();
  void *memory[8];
  CHECK(procs > 1 && procs <= 8 && ARMCI_Malloc(memory, N * sizeof(double)) == 0);
  for (int how = 0; how < 4; how++) {
    if (me == 0)
      begin(memory[0]);
    SAME((ARMCI_Barrier(), 0));
    accumulate(memory[0], how);
    SAME((ARMCI_Barrier(), 0));
    if (me == 0)
      check(memory[0]);
    SAME((ARMCI_Barrier(), 0));
  }
  reduce();
  SAME(ARMCI_Free(memory[me]));
  SAME(ARMCI_Finalize());
  puts("as before");
  return 0;
}
