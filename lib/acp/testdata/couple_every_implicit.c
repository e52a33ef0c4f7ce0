// Implicit coupling: rank 0 leads, and both agree on a number in each step.

#include "couple_every.h"
#include <math.h>

// The number x of a step goes through y = c - 0.9 x at rank 1. Both agree on c / 1.9.
static void agrees(acp_model_t own, acp_implicit_t both) {
  int64_t zero = 0, one = 1, round = -1, last = -1;
  double x = 0;
  int kept = 5, count = -1, converged = -1, again;
  acp_field_t f = acp_create_field_ranges(own, "x", ACP_DOUBLE, 1, &x, &zero, &one, 1);
  acp_link_t links[2];
  CHECK(acp_seal_model(own) == 0);
  SAYS(acp_create_implicit(own, "late", 1), ACP_IMPLICIT_NULL, EINVAL, "declared after Seal");
  if (me == 0) {
    CHECK(acp_add_implicit(both, "x", &x, 1) == 0);
    SAYS(acp_add_implicit(both, "x", &x, 1), -1, EINVAL, "a name that no other has");
    SAYS(acp_add_implicit(both, "y", NULL, 1), -1, EFAULT, "data is NULL");
    SAYS(acp_add_implicit(both, NULL, &x, 1), -1, EFAULT, "name is NULL");
    SAYS(acp_add_implicit(both, "y", &x, -1), -1, EINVAL, "-1 data");
    SAYS(acp_measure_implicit(both, "y", ACP_MEASURE_ABSOLUTE, 1), -1, EINVAL, "no field \"y\" has been added");
    SAYS(acp_measure_implicit(both, "x", 3, 1), -1, EINVAL, "measure 3; expected one from 0 to 2");
    SAYS(acp_measure_implicit(both, "x", ACP_MEASURE_ABSOLUTE, NAN), -1, EINVAL, "limit NaN");
    SAYS(acp_measure_implicit(both, NULL, ACP_MEASURE_ABSOLUTE, 1), -1, EFAULT, "name is NULL");
    CHECK(acp_measure_implicit(both, "x", ACP_MEASURE_RELATIVE, 1e-9) == 0);
    CHECK(acp_measure_implicit(both, "x", ACP_MEASURE_RESIDUAL, 1) == 0);
    SAYS(acp_accelerate_implicit(both, 3, 0.5, 0, 0), -1, EINVAL, "method 3; expected one from 0 to 2");
    SAYS(acp_accelerate_implicit(both, ACP_METHOD_AITKEN, 0, 0, 0), -1, EINVAL, "relaxation 0");
    SAYS(acp_accelerate_implicit(both, ACP_METHOD_IQN_ILS, 0.5, -1, 0), -1, EINVAL, "columns of -1 earlier steps");
    SAYS(acp_accelerate_implicit(both, ACP_METHOD_IQN_ILS, 0.5, 0, 201), -1, EINVAL, "201 columns; expected 1 to 200");
    CHECK(acp_accelerate_implicit(both, ACP_METHOD_CONSTANT, 0.3, 0, 0) == 0);
    CHECK(acp_accelerate_implicit(both, ACP_METHOD_AITKEN, 0.3, 0, 0) == 0);
    SAYS(acp_limit_implicit(both, -1), -1, EINVAL, "at most -1 iterations");
    CHECK(acp_limit_implicit(both, 50) == 0);
  } else {
    SAYS(acp_add_implicit(both, "x", &x, 1), -1, EINVAL, "this model follows");
    SAYS(acp_limit_implicit(both, 1), -1, EINVAL, "this model follows");
  }
  CHECK(acp_keep_implicit(both, &kept, sizeof kept) == 0);
  SAYS(acp_keep_implicit(both, NULL, 4), -1, EFAULT, "data is NULL");
  SAYS(acp_iterate_implicit(both, &round), -1, EINVAL, "no step has begun");
  links[0] = acp_begin_link_to(f, me == 0 ? "follower.x" : "leader.x", 1, 1, -1);
  links[1] = acp_begin_link_from(f, me == 0 ? "follower.x" : "leader.x", 1, 1, -1);
  CHECK(acp_complete_links(links, 2) == 0);
  for (int step = 0; step < 3; step++) {
    kept = step;
    CHECK(acp_begin_implicit(both, step == 0 ? NULL : &round) == 0);
    if (step == 0) {
      round = 0;
      SAYS(acp_begin_implicit(both, &round), -1, EINVAL, "before the last one is over");
      SAYS(acp_keep_implicit(both, &kept, 1), -1, EINVAL, "within a step");
    }
    do {
      CHECK(round == last + 1 && kept == step);
      last = round;
      kept = -1;
      if (me == 0) {
        CHECK(acp_send_link(links[0], round) == 0 && acp_receive_link(links[1], round) == 0);
      } else {
        CHECK(acp_receive_link(links[1], round) == 0);
        x = step + 1 - 0.9 * x;
        CHECK(acp_send_link(links[0], round) == 0);
      }
      again = acp_iterate_implicit(both, &round);
    } while (again == 1);
    CHECK(again == 0 && (me == 1 || fabs(x - (step + 1) / 1.9) < 1e-8));
    CHECK(acp_query_implicit(both, &count, &converged) == 0 && count > 1 && count < 6 && converged == 1);
    CHECK(acp_query_implicit(both, NULL, NULL) == 0);
  }
  if (me == 0)
    SAYS(acp_limit_implicit(both, 2), -1, EINVAL, "the first step has begun");
  // A number that is none ends the iteration on both ranks.
  CHECK(acp_begin_implicit(both, NULL) == 0);
  x = NAN;
  SAYS(acp_iterate_implicit(both, NULL), -1, EDOM, "iteration 1 of the step has values that are no finite numbers");
  SAYS(acp_begin_implicit(both, NULL), -1, EINVAL, "after an error");
  for (int i = 0; i < 2; i++)
    CHECK(acp_close_link(links[i]) == 0);
  CHECK(acp_free_field(f) == 0);
}

void check_implicit(void) {
  acp_model_t own = acp_create_model(me == 0 ? "leader" : "follower", &me, 1);
  acp_implicit_t both = acp_create_implicit(own, me == 0 ? "follower" : "leader", me == 0);
  CHECK(own != ACP_MODEL_NULL && both != ACP_IMPLICIT_NULL);
  SAYS(acp_create_implicit(ACP_MODEL_NULL, "x", 1), ACP_IMPLICIT_NULL, EBADF, "model 0x0");
  SAYS(acp_create_implicit(own, NULL, 1), ACP_IMPLICIT_NULL, EFAULT, "other is NULL");
  SAYS(acp_create_implicit(own, "a.b", 1), ACP_IMPLICIT_NULL, EINVAL, "no full stop");
  agrees(own, both);
  CHECK(acp_free_implicit(both) == 0 && acp_free_model(own) == 0);
  SAYS(acp_free_implicit(both), -1, EBADF, "iteration 0x");
  SAYS(acp_add_implicit(both, "x", NULL, 0), -1, EBADF, "iteration 0x");
  SAYS(acp_measure_implicit(both, "x", 0, 1), -1, EBADF, "iteration 0x");
  SAYS(acp_accelerate_implicit(both, 0, 1, 0, 0), -1, EBADF, "iteration 0x");
  SAYS(acp_limit_implicit(both, 1), -1, EBADF, "iteration 0x");
  SAYS(acp_keep_implicit(both, NULL, 0), -1, EBADF, "iteration 0x");
  SAYS(acp_begin_implicit(both, NULL), -1, EBADF, "iteration 0x");
  SAYS(acp_iterate_implicit(both, NULL), -1, EBADF, "iteration 0x");
  SAYS(acp_query_implicit(both, NULL, NULL), -1, EBADF, "iteration 0x");
}
