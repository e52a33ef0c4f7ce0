// Links with values that are infinite, signalling NaNs, and too large for float, in a program that lets
// exceptions trap. Rank 0 sends, rank 1 receives, and each is a model. After each call the exceptions that trap, and
// the flags, are as before.
//
//     floats before|after
//
// Exceptions begin to trap before or after acp_init.

#define _GNU_SOURCE // feenableexcept

#include "check.h"

#include <acp_couple.h>
#include <fenv.h>
#include <math.h>

enum { TRAPS = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW, POINTS = 4 };

static int me, flags;

static int traps = TRAPS; // exceptions that trap

#define SAME(call)                                                             \
  do {                                                                         \
    CHECK(call);                                                               \
    CHECK(fegetexcept() == traps && fetestexcept(FE_ALL_EXCEPT) == flags);     \
  } while (0)

// Signalling NaNs as bits, which no instruction loads as a number.
static const uint64_t signalling8 = 0x7ff0000000000001;
static const uint32_t signalling4 = 0x7f800001;

static void put(int type, void *data, int point, double value, int signalling) {
  if (type == ACP_DOUBLE && signalling)
    memcpy((double *)data + point, &signalling8, 8);
  else if (type == ACP_DOUBLE)
    ((double *)data)[point] = value;
  else if (signalling)
    memcpy((float *)data + point, &signalling4, 4);
  else
    ((float *)data)[point] = (float)value;
}

static double get(int type, const void *data, int point) {
  uint64_t bits8;
  uint32_t bits4;
  if (type == ACP_DOUBLE) {
    memcpy(&bits8, (const double *)data + point, 8);
    return bits8 == signalling8 ? -1 : ((const double *)data)[point];
  }
  memcpy(&bits4, (const float *)data + point, 4);
  return bits4 == signalling4 ? -1 : (double)((const float *)data)[point];
}

// How a link is opened.
enum how { PLAIN, AT_SENDER, AT_RECEIVER, WATCHED, HOWS };

static acp_link_t open_link(acp_field_t f, const char *name, enum how how) {
  // Row 0 is infinity less infinity, row 1 a signalling NaN, row 2 too large, and row 3 too small for float.
  static const int64_t rows[] = {0, 0, 1, 2, 2, 3}, columns[] = {0, 1, 2, 3, 3, 3};
  static const double weights[] = {1, 1, 2, 1e300, 1, 1e-60};
  char other[40];
  snprintf(other, sizeof other, "%s.%s", me == 0 ? "right" : "left", name);
  if (how == AT_SENDER && me == 0)
    return acp_open_link_weighted_to(f, other, rows, columns, weights, 6, 1, 1, -1);
  if (how == AT_RECEIVER && me == 1)
    return acp_open_link_weighted_from(f, other, rows, columns, weights, 6, 1, 1, -1);
  if (how == WATCHED)
    return me == 0 ? acp_publish_link_weighted_to(f, other, rows, columns, weights, 6, 1)
                   : acp_watch_link_from(f, other, -1);
  return me == 0 ? acp_open_link_to(f, other, 1, 1, -1) : acp_open_link_from(f, other, 1, 1, -1);
}

// Fills the memory of a rank with what the sender has, or zeros.
static void fill(int type, void *memory) {
  put(type, memory, 0, me == 0 ? (double)INFINITY : 0, 0);
  put(type, memory, 1, me == 0 ? (double)-INFINITY : 0, 0);
  put(type, memory, 2, 0, me == 0);
  put(type, memory, 3, me == 0 ? 1e10 : 0, 0);
}

static void check(int type, const void *memory, enum how how) {
  double x[POINTS];
  for (int i = 0; i < POINTS; i++)
    x[i] = get(type, memory, i);
  if (how == PLAIN)
    CHECK(isinf(x[0]) && isinf(x[1]) && x[2] == -1 && x[3] == 1e10);
  else
    CHECK(isnan(x[0]) && isnan(x[1]) && isinf(x[2]) &&
          (type == ACP_DOUBLE ? x[3] > 0.99e-50 && x[3] < 1.01e-50 : x[3] == 0));
}

// Sends steps until the watcher has one.
static void publish(acp_link_t link, const char *name) {
  int64_t version = 0;
  for (int step = 0; version == 0; step++) {
    SAME(acp_send_link(link, step) == 0);
    CHECK(acp_get_value(name, NULL, 0, &version) >= 0);
  }
}

static void couple(acp_model_t m, int type, enum how how) {
  double memory[POINTS];
  int64_t zero = 0, all = POINTS;
  char name[32];
  snprintf(name, sizeof name, "%d-%d-%d", type, how, flags);
  acp_field_t f = acp_create_field_ranges(m, name, type, 1, memory, &zero, &all, 1);
  CHECK(f != ACP_FIELD_NULL);
  acp_link_t link = open_link(f, name, how);
  SAME(link != ACP_LINK_NULL);
  fill(type, memory);
  if (how == WATCHED && me == 0)
    publish(link, name);
  else if (how == WATCHED)
    SAME(acp_next_link(link, NULL, -1) == 0);
  for (int step = 0; step < 3 && how != WATCHED; step++)
    SAME((me == 0 ? acp_send_link(link, step) : acp_receive_link(link, step)) == 0);
  if (me == 1) {
    check(type, memory, how);
    CHECK(acp_put_value(name, name, 1) > 0);
  }
  SAME(acp_close_link(link) == 0 && acp_free_field(f) == 0);
}

// Lets exceptions trap. Most processors for AArch64 trap none, and refuse. Then the test is about the flags alone.
static void let_trap(void) {
  int found = feenableexcept(TRAPS);
#ifdef __aarch64__
  if (found == -1)
    traps = 0;
#endif
  CHECK(found == 0 || traps == 0);
}

int main(int argc, char **argv) {
  int before = strcmp(argv[1], "before") == 0;
  if (before)
    let_trap();
  CHECK(acp_init(&argc, &argv) == 0);
  if (!before)
    let_trap();
  me = acp_rank();
  acp_model_t m = acp_create_model(me == 0 ? "left" : "right", &me, 1);
  CHECK(m != ACP_MODEL_NULL);
  for (int round = 0; round < 2; round++) {
    CHECK(feclearexcept(FE_ALL_EXCEPT) == 0);
    flags = round == 0 ? 0 : FE_INEXACT;
    if (round == 1) {
      volatile double third = 3;
      third = 1 / third;
    }
    for (enum how how = PLAIN; how < HOWS; how++) {
      couple(m, ACP_DOUBLE, how);
      couple(m, ACP_FLOAT, how);
    }
  }
  SAME(acp_finalize() == 0);
  return 0;
}
