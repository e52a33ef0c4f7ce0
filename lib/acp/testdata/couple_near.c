// Both ends of a link in one process. Steps of links between ranks that share memory do not enter Go: the
// linker puts the functions below in place of those of Go.
#include "check.h"

#include <acp_couple.h>
#include <pthread.h>
#include <stdint.h>

enum { POINTS = 1000, STEPS = 2000 };

static int calls; // into Go

int __real_goacp_send_link(uintptr_t link, int64_t step);
int __real_goacp_receive_link(uintptr_t link, int64_t step);

int __wrap_goacp_send_link(uintptr_t link, int64_t step) {
  __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
  return __real_goacp_send_link(link, step);
}

int __wrap_goacp_receive_link(uintptr_t link, int64_t step) {
  __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
  return __real_goacp_receive_link(link, step);
}

static double sent[POINTS], received[POINTS];

static acp_field_t declare(const char *name, double *data, int64_t points) {
  const int64_t first = 0;
  acp_model_t model = acp_create_model(name, NULL, 0);
  acp_field_t field = acp_create_field_ranges(model, "f", ACP_DOUBLE, 1, data, &first, &points, 1);
  CHECK(field != ACP_FIELD_NULL && acp_free_model(model) == 0);
  return field;
}

static void *open_out(void *field) {
  return (void *)acp_open_link_to((acp_field_t)field, "in.f", 2, 1, -1);
}

int main(int argc, char **argv) {
  CHECK(acp_init(&argc, &argv) == 0);
  for (int64_t points = 1; points <= POINTS; points *= 10) { // 1 … 1000: in the head of a slot, and behind it
    acp_field_t from = declare("out", sent, points), to = declare("in", received, points);
    pthread_t thread;
    void *out;
    CHECK(pthread_create(&thread, NULL, open_out, (void *)from) == 0);
    acp_link_t in = acp_open_link_from(to, "out.f", 2, 1, -1);
    CHECK(pthread_join(thread, &out) == 0 && in != ACP_LINK_NULL && out != NULL);
    calls = 0;
    for (int step = 0; step < STEPS; step++) {
      for (int i = 0; i < points; i++)
        sent[i] = step + i;
      CHECK(acp_send_link((acp_link_t)out, step) == 0);
      CHECK(acp_receive_link(in, step) == 0);
      for (int i = 0; i < points; i++)
        CHECK(received[i] == step + i);
    }
    CHECK(calls == 0);
    CHECK(acp_send_link((acp_link_t)out, 0) == -1 && calls == 1); // Go reports that the step is too early
    CHECK(acp_close_link((acp_link_t)out) == 0);
    CHECK(acp_receive_link(in, STEPS) == -1 && calls == 2); // Go reports that the other side has ended
    CHECK(acp_close_link(in) == 0);
    CHECK(acp_free_field(from) == 0 && acp_free_field(to) == 0);
  }
  CHECK(acp_finalize() == 0);
  return 0;
}
