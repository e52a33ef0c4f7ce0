// Links with operations in time, their restarts, and links that keep integrals.

#include "couple_every.h"

// Opens the link for the operations in time, and chooses them: rank 0 sends the average of four steps, and rank 1 computes
// values between the messages, in twice the unit.
static acp_link_t timed(acp_field_t f) {
  acp_link_t link = opened(f, 1, 4);
  CHECK(link != ACP_LINK_NULL);
  if (me == 0)
    CHECK(acp_reduce_link(link, ACP_REDUCE_AVERAGE) == 0 && acp_lag_link(link, 1) == 0);
  else
    CHECK(acp_interpolate_link(link) == 0 && acp_scale_link(link, 2, 1) == 0);
  return link;
}

// What rank 1 has in a step: message 0 has the initial value, and message n the average of steps 4n-4 to 4n-1.
static double expected(int step) {
  double messages[2];
  for (int i = 0; i < 2; i++) {
    int n = step / 4 + i;
    messages[i] = 2 * (n == 0 ? -10 : 4 * n - 2.5) + 1;
  }
  return messages[0] + (messages[1] - messages[0]) * (step % 4) / 4;
}

// Plays some steps of rank 0 and rank 1.
static void play(acp_link_t link, double *x, int from, int to) {
  for (int step = from; step < to; step++) {
    if (me == 0) {
      *x = step;
      CHECK(acp_send_link(link, step) == 0);
    } else {
      CHECK(acp_receive_link(link, step) == 0 && *x == expected(step));
    }
  }
}

// Reductions, lags, interpolation and units, and a restart of them in the middle.
static void times(void) {
  int64_t zero = 0, one = 1, step;
  double x;
  acp_field_t f = acp_create_field_ranges(model, "f", ACP_DOUBLE, 1, &x, &zero, &one, 1);
  acp_link_t link = timed(f);
  if (me == 0) {
    SAYS(acp_interpolate_link(link), -1, EINVAL, "sends by the link");
    SAYS(acp_reduce_link(link, 5), -1, EINVAL, "reduction 5; expected one from 0 to 4");
    SAYS(acp_lag_link(link, -1), -1, EINVAL, "a lag of -1 steps");
    SAYS(acp_send_link(link, 0), -1, EINVAL, "before the initial values, which a lag of 1 steps needs");
    SAYS(acp_initialize_link(link, 0, file_of("absent")), -1, ENOENT, "absent");
    x = -10;
    CHECK(acp_initialize_link(link, 0, NULL) == 0);
  } else {
    SAYS(acp_reduce_link(link, ACP_REDUCE_SUM), -1, EINVAL, "receives by the link");
    SAYS(acp_lag_link(link, 1), -1, EINVAL, "receives by the link");
    SAYS(acp_initialize_link(link, 0, NULL), -1, EINVAL, "receives by the link");
  }
  play(link, &x, 0, 6);
  SAYS(acp_save_link(link, NULL), -1, EFAULT, "file is NULL");
  SAYS(acp_save_link(link, file_of("absent/x")), -1, ENOENT, "absent");
  CHECK(acp_save_link(link, file_of(me == 0 ? "left" : "right")) == 0);
  play(link, &x, 6, me == 0 ? 12 : 10);
  CHECK(acp_sync() == 0 && acp_close_link(link) == 0);

  link = timed(f);
  SAYS(acp_load_link(link, NULL, &step), -1, EFAULT, "file is NULL");
  SAYS(acp_load_link(link, file_of("absent"), &step), -1, ENOENT, "absent.0");
  CHECK(acp_sync() == 0);
  const char *other = me == 0 ? "right" : "left";
  SAYS(acp_load_link(link, file_of(other), &step), -1, EINVAL, me == 0 ? "written by the receiving side; expected the sending side" : "written by the sending side");
  CHECK(acp_load_link(link, file_of(me == 0 ? "left" : "right"), &step) == 0 && step == 5);
  SAYS(acp_load_link(link, file_of("left"), NULL), -1, EINVAL, "before the first step");
  SAYS(acp_scale_link(link, 1, 0), -1, EINVAL, "before the first step");
  play(link, &x, 6, me == 0 ? 16 : 14);
  CHECK(acp_sync() == 0 && acp_close_link(link) == 0);
  CHECK(acp_free_field(f) == 0);
  SAYS(acp_reduce_link(link, ACP_REDUCE_SUM), -1, EBADF, "link 0x");
  SAYS(acp_lag_link(link, 1), -1, EBADF, "link 0x");
  SAYS(acp_initialize_link(link, 0, NULL), -1, EBADF, "link 0x");
  SAYS(acp_interpolate_link(link), -1, EBADF, "link 0x");
  SAYS(acp_scale_link(link, 1, 1), -1, EBADF, "link 0x");
  SAYS(acp_save_link(link, "x"), -1, EBADF, "link 0x");
  SAYS(acp_load_link(link, "x", NULL), -1, EBADF, "link 0x");
}

// A link keeps the integral of a field, which its weights would double.
static void conserves(void) {
  int64_t points[] = {0, 1}, count = 2, zero = 0;
  double x[2] = {3, 4}, areas[] = {1, 2}, weights[] = {2, 2};
  acp_field_t f = acp_create_field_ranges(model, "f", ACP_DOUBLE, 1, x, &zero, &count, 1);
  SAYS(acp_conserve_field(f, 3, NULL, 0), -1, EINVAL, "method 3 of conservation");
  SAYS(acp_conserve_field(f, ACP_CONSERVE_ADD, areas, 3), -1, EINVAL, "3 areas for 2 points");
  CHECK(acp_conserve_field(f, me == 0 ? ACP_CONSERVE_NONE : ACP_CONSERVE_ADD, NULL, 0) == 0);
  SAYS(opened(f, 1, 1), ACP_LINK_NULL, EINVAL, "the sending field has conservation none, the receiving field add");
  CHECK(acp_conserve_field(f, ACP_CONSERVE_MULTIPLY, areas, 2) == 0);
  acp_link_t link = me == 0 ? acp_open_link_to(f, "right.f", 1, 1, -1)
                            : acp_open_link_weighted_from(f, "left.f", points, points, weights, 2, 1, 1, -1);
  CHECK(link != ACP_LINK_NULL && moved(link, 0) == 0 && x[0] == 3 && x[1] == 4);
  CHECK(acp_close_link(link) == 0 && acp_free_field(f) == 0);
  SAYS(acp_conserve_field(f, ACP_CONSERVE_ADD, NULL, 0), -1, EBADF, "field 0x");
}

void check_times(void) {
  times();
  conserves();
}
