// Values that go by local zero copy from the arrays of ranks 0 and 1 into that of rank 2, if they map it. The
// program reads the struct that the library has for the end of the link.
#include "check.h"

#include <acp_couple.h>
#include <lookup.h>
#include <sched.h>
#include <signal.h>

enum { STEPS = 60, RECEIVER = 2 };

static int64_t parts[] = {30000, 50000}; // points of ranks 0 and 1

static struct goacp_couple_end *end;

extern struct goacp_lookup goacp_links;

static double value(int step, int64_t point) { return 1000.0 * step + (double)point; }

// How many flows are missing for a step; -1 if there is none. The word is read again because the number may be that of
// a later epoch.
static int missing(int step) {
  const struct goacp_couple_ready *p = end->flows[0].ready;
  uint64_t word = __atomic_load_n(&p->word, __ATOMIC_ACQUIRE);
  if (word == 0 || __atomic_load_n(&p->number, __ATOMIC_ACQUIRE) != (uint64_t)step + 1 ||
      __atomic_load_n(&p->word, __ATOMIC_ACQUIRE) != word)
    return -1;
  return (int)(word & ((1 << GOACP_COUPLE_MISSING_BITS) - 1));
}

static void await_missing(int step, int n) {
  while (missing(step) != n)
    sched_yield();
}

// After a call that has failed: the death of rank 1 ends this rank here or in the call.
static void quit(const char *how) {
  CHECK(strcmp(how, "die") == 0);
  _exit(1);
}

// Rank 1 commits zero copy of the first step, and is killed before it copies.
static void settle_and_die(void) {
  await_missing(0, 1);
  __atomic_fetch_sub(&end->flows[0].ready->word, 1, __ATOMIC_SEQ_CST);
  raise(SIGKILL);
}

// Rank 0 sends the first step, and rank 1 closes the link.
static void send_one(acp_link_t link) {
  await_missing(0, acp_rank() == 0 ? 2 : 1);
  CHECK(acp_rank() != 0 || acp_send_link(link, 0) == 0);
}

static void receive_none(acp_link_t link, double *data) {
  for (int64_t i = 0; i < parts[0] + parts[1]; i++)
    data[i] = -1;
  FAILS(acp_receive_link(link, 0), -1, EPIPE);
  for (int64_t i = 0; i < parts[0] + parts[1]; i++)
    CHECK(data[i] == -1);
}

// Rank 0 has few values, which are always packed, so it does not see whether the receiver is ready. Rank 1 uses zero copy.
static void send_after_few(acp_link_t link, double *data) {
  for (int step = 0; step < STEPS; step++) {
    for (int64_t i = 0; i < parts[acp_rank()]; i++)
      data[i] = value(step, (acp_rank() == 1 ? parts[0] : 0) + i);
    if (acp_rank() == 0)
      usleep(500); // the receiver waits
    else
      await_missing(step, 1);
    CHECK(acp_send_link(link, step) == 0);
  }
}

// The senders take turns to be the last one, which uses zero copy. The other one does so if it has not packed all by then.
static void send(acp_link_t link, double *data, int64_t first, const char *how) {
  int zero_copy = strcmp(how, "plain") != 0;
  for (int step = 0; step < STEPS; step++) {
    if (step % 5 == 4)
      usleep(3000); // the receiver parks
    for (int64_t i = 0; i < parts[acp_rank()]; i++)
      data[i] = value(step, first + i);
    if (strcmp(how, "die") == 0 && acp_rank() == 1)
      settle_and_die();
    if (zero_copy)
      await_missing(step, acp_rank() == step % 2 ? 2 : 1);
    if (zero_copy && acp_rank() != step % 2 && step % 3 == 0) {
      usleep(1000); // the other message is there
      await_missing(step, 1);
    }
    if (acp_send_link(link, step) != 0)
      quit(how);
    if (strcmp(how, "die") == 0)
      return; // and closes the link
  }
}

static void receive(acp_link_t link, const double *data, const char *how) {
  int all = 0; // steps whose last sender has copied all of its values by zero copy
  for (int step = 0; step < STEPS; step++) {
    uint64_t before = end->progress->zero_copied;
    if (acp_receive_link(link, step) != 0)
      quit(how);
    for (int64_t i = 0; i < parts[0] + parts[1]; i++)
      CHECK(data[i] == value(step, i));
    uint64_t bytes = end->progress->zero_copied - before;
    CHECK(bytes <= (uint64_t)(parts[0] + parts[1]) * sizeof(double));
    all += bytes >= (uint64_t)parts[strcmp(how, "few") == 0 ? 1 : 1 - step % 2] * sizeof(double);
  }
  CHECK(end->progress->zero_copied == 0 || strcmp(how, "plain") != 0);
  // A sender may find no ready receiver between the wait in C and the wait in Go.
  CHECK(all > STEPS / 2 || strcmp(how, "plain") == 0);
}

int main(int argc, char **argv) {
  CHECK(acp_init(&argc, &argv) == 0);
  const char *how = argv[1];
  if (strcmp(how, "few") == 0)
    parts[0] = 3;
  const int senders[] = {0, 1}, receivers[] = {RECEIVER};
  int rank = acp_rank();
  int64_t first = rank == 1 ? parts[0] : 0, points = rank == RECEIVER ? parts[0] + parts[1] : parts[rank];
  double *data = strcmp(how, "plain") == 0 ? malloc((size_t)points * sizeof *data)
                                           : acp_query_address(acp_malloc((size_t)points * sizeof *data, rank));
  CHECK(data != NULL);
  acp_model_t model = rank == RECEIVER ? acp_create_model("in", receivers, 1) : acp_create_model("out", senders, 2);
  acp_field_t field = acp_create_field_ranges(model, "f", ACP_DOUBLE, 1, data, &first, &points, 1);
  acp_link_t link = rank == RECEIVER ? acp_open_link_from(field, "out.f", 2, 1, -1) : acp_open_link_to(field, "in.f", 2, 1, -1);
  end = goacp_look_up(&goacp_links, (uintptr_t)link);
  CHECK(link != ACP_LINK_NULL && end != NULL);
  if (strcmp(how, "end") == 0)
    rank == RECEIVER ? receive_none(link, data) : send_one(link);
  else if (rank == RECEIVER)
    receive(link, data, how);
  else if (strcmp(how, "few") == 0)
    send_after_few(link, data);
  else
    send(link, data, first, how);
  if (acp_close_link(link) != 0)
    quit(how);
  CHECK(acp_finalize() == 0);
  return 0;
}
