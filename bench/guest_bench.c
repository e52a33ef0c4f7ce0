/* What guests of a run cost, and what they get.
 *
 *     acprun -np 2 guest_bench model              two ranks that compute, while guests attach and leave
 *     acprun -to RUN -np 1 guest_bench visit K    the guest number K of them, from 1
 *     acprun -np 1 guest_bench resident           a rank with an array of 8 MB
 *     acprun -to RUN -np 1 guest_bench read       a guest that reads it
 *     acprun -np 1 guest_bench publish            a model that publishes 10^6 doubles
 *     acprun -to RUN -np 1 guest_bench watch      a guest that watches them
 *
 * Models and residents print "pid P" when they are ready, and continue until their launcher ends. Before that a model
 * reports the median of its steps. Afterwards it reports the longest step of each period. A period ends when a guest has
 * come and has left, or by the signal SIGUSR1: then the caller has run something else beside the model. */

#define _GNU_SOURCE
#include "samples.h"

#include <acp_couple.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum {
  points = 1000000,
  size = 8 * points,
  work = 3000000, /* additions of one step: about a millisecond */
  alone = 500,    /* steps before the first guest */
  /* Words of starter memory: */
  guests = 0, /* how many have come, as the last of them says */
  array = 1,  /* the address of the array */
  scratch = 2,
};

static volatile sig_atomic_t periods; /* that a signal has ended */

static void count_period(int number) { periods += number == SIGUSR1; }

/* Ends the run unless a call of the library has succeeded. */
#define CHECK(call)                                                            \
  do {                                                                         \
    if (!(call)) {                                                             \
      fprintf(stderr, "rank %d: %s: %s %s\n", acp_rank(), #call,               \
              acp_error_message(), acp_couple_message());                      \
      acp_abort("a call has failed");                                          \
      abort();                                                                 \
    }                                                                          \
  } while (0)

static volatile int64_t *starter(void) { return acp_query_address(acp_query_starter_ga(acp_rank())); }

static acp_ga_t word(int rank, int n) { return acp_query_starter_ga(rank) + 8 * (acp_ga_t)n; }

static void copy(acp_ga_t to, acp_ga_t from, size_t n) {
  CHECK(acp_copy(to, from, n, ACP_HANDLE_NULL) != ACP_HANDLE_NULL);
  acp_complete(ACP_HANDLE_ALL);
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Tells the caller that this process is ready. */
static void ready(void) {
  printf("pid %d\n", (int)getpid());
  fflush(stdout);
}

/* Returns whether a guest is present. */
static int visited(void) {
  for (int rank = acp_procs(); rank < acp_seats(); rank++)
    if (acp_state(rank) == ACP_STATE_PRESENT)
      return 1;
  return 0;
}

/* Returns the name of the figures of the steps: a model of one rank leaves a processor to guests. */
static const char *steps_name(void) { return acp_procs() > 1 ? "attachstep" : "attachstepfree"; }

/* Reports the longest step since the last call if a period has ended, and otherwise keeps it. */
static void divide(double took) {
  static int64_t seen;
  static int heard;
  static double longest;
  int64_t come = starter()[guests];
  int signals = periods;
  longest = took > longest ? took : longest;
  if (come == seen ? signals == heard : visited())
    return;
  report(come == seen ? "another run" : "c", steps_name(), longest);
  seen = come, heard = signals, longest = 0;
}

static void model(int rank) {
  static double steps[alone];
  struct sigaction action = {.sa_handler = count_period, .sa_flags = SA_RESTART | SA_ONSTACK};
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  for (int n = 0;; n++) {
    double begin = now();
    for (volatile int i = 0; i < work; i++)
      ;
    CHECK(acp_sync() == 0);
    double took = now() - begin;
    if (rank == 0 && n >= alone)
      divide(took);
    else if (n < alone)
      steps[n] = took;
    if (rank == 0 && n == alone - 1) {
      qsort(steps, alone, sizeof *steps, ascending);
      report("its median", steps_name(), steps[alone / 2]);
      ready();
    }
  }
}

static void visit(int64_t number) {
  starter()[scratch] = number;
  copy(word(0, guests), word(acp_rank(), scratch), 8);
}

/* Returns an array in the heap of this rank. */
static acp_ga_t values(void) {
  acp_ga_t at = acp_malloc(size, acp_rank());
  double *a = acp_query_address(at);
  CHECK(a != NULL);
  for (int i = 0; i < points; i++)
    a[i] = i;
  return at;
}

static void resident(void) {
  starter()[array] = (int64_t)values();
  ready();
  for (int64_t seen = -1; (seen = acp_await_change(seen, -1)) >= 0;)
    ;
}

static void read_array(void) {
  acp_ga_t to = values();
  copy(word(acp_rank(), array), word(0, array), 8);
  acp_ga_t from = (acp_ga_t)starter()[array];
  MEASURE("c", "guestread8m", 20, copy(to, from, size))
}

/* Declares a field of all points in this process. */
static acp_field_t field(const char *model, const char *name) {
  int64_t first = 0, count = points;
  acp_model_t m = acp_create_model(model, NULL, 0);
  acp_field_t f = acp_create_field_ranges(m, name, ACP_DOUBLE, 1, acp_query_address(values()), &first, &count, 1);
  CHECK(f != ACP_FIELD_NULL);
  return f;
}

static void publish(void) {
  acp_link_t out = acp_publish_link_to(field("ocean", "sst"), "viewer.picture", 1);
  CHECK(out != ACP_LINK_NULL);
  ready();
  for (int64_t n = 0;; n++) {
    CHECK(acp_send_link(out, n) == 0);
    usleep(50); /* the model does other things between its steps */
  }
}

static void watch(void) {
  int64_t n;
  acp_link_t in = acp_watch_link_from(field("viewer", "picture"), "ocean.sst", -1);
  CHECK(in != ACP_LINK_NULL);
  MEASURE("c", "watch8m", 20, CHECK(acp_next_link(in, &n, -1) == 0))
  CHECK(acp_close_link(in) == 0);
}

int main(int argc, char **argv) {
  if (acp_init(&argc, &argv) != 0 || argc < 2)
    return 1;
  const char *what = argv[1];
  if (strcmp(what, "model") == 0)
    model(acp_rank());
  else if (strcmp(what, "visit") == 0 && argc > 2)
    visit(atoll(argv[2]));
  else if (strcmp(what, "resident") == 0)
    resident();
  else if (strcmp(what, "read") == 0)
    read_array();
  else if (strcmp(what, "publish") == 0)
    publish();
  else
    watch();
  return acp_finalize();
}
