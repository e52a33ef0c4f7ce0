// Every call that acp_set_timeout limits fails with ETIMEDOUT while rank 0 is late, and continues to wait when it is
// called again. Nothing is lost.
#include "check.h"

#include <acp_couple.h>

static int rank, procs;

// Rank 0 waits until all others have failed once.
static void everybody_has_failed(const char *stage) {
  for (int r = 1; r < procs; r++) {
    char name[64];
    snprintf(name, sizeof name, "%s %d", stage, r);
    CHECK(acp_wait_value(name, 1, NULL, 0, NULL) == 0);
  }
}

static void has_failed(const char *stage) {
  char name[64];
  snprintf(name, sizeof name, "%s %d", stage, rank);
  CHECK(acp_put_value(name, NULL, 0) == 1);
}

// Makes call on all ranks, on rank 0 after it has failed on all others.
#define LATE(stage, call, failure)                                             \
  do {                                                                         \
    if (rank == 0) {                                                           \
      everybody_has_failed(stage);                                             \
      CHECK((call) != (failure));                                              \
      break;                                                                   \
    }                                                                          \
    CHECK(acp_set_timeout(1e-3) == 0);                                         \
    FAILS(call, failure, ETIMEDOUT);                                           \
    CHECK(acp_error_number() == ETIMEDOUT && strstr(acp_error_message(), "deadline") != NULL); \
    has_failed(stage);                                                         \
    while ((call) == (failure))                                                \
      CHECK(acp_error_number() == ETIMEDOUT);                                         \
    CHECK(acp_set_timeout(-1) == 0);                                           \
  } while (0)

static void collective(void) {
  LATE("sync", acp_sync(), -1);
  LATE("sync again", acp_sync(), -1);
  int ranks[16];
  for (int i = 0; i < procs; i++)
    ranks[i] = i;
  LATE("ranks", acp_sync_ranks(ranks, procs), -1);
  LATE("job", acp_sync_job(acp_job(rank)), -1);
  int number = rank == 0 ? 42 : 0;
  LATE("broadcast", acp_broadcast(&number, sizeof number, 0, ranks, procs), -1);
  CHECK(number == 42);
  for (int i = 0; i < 100; i++)
    CHECK(acp_sync() == 0);
}

// The value, which rank 0 puts late.
static int64_t value(void) {
  int number = 7;
  if (rank == 0)
    return acp_put_value("number", &number, sizeof number);
  number = 0;
  int64_t n = acp_wait_value("number", 1, &number, sizeof number, NULL);
  CHECK(n == -1 ? number == 0 : number == 7);
  return n;
}

// Messages of rank 0 to all others, and back. The last ones are longer than the buffers of the channels.
static void channels(size_t size) {
  char stage[64];
  char *text = calloc(size, 1);
  if (rank == 0) {
    for (int r = 1; r < procs; r++) {
      acp_ch_t out = acp_create_ch(0, r), in = acp_create_ch(r, 0);
      snprintf(stage, sizeof stage, "channel %zu %d", size, r);
      CHECK(acp_wait_value(stage, 1, NULL, 0, NULL) == 0);
      memset(text, r, size);
      CHECK(acp_wait_ch(acp_nbsend_ch(out, text, size)) == 0);
      memset(text, 0, size);
      CHECK(acp_wait_ch(acp_nbrecv_ch(in, text, size)) == size && text[size - 1] == r);
      CHECK(acp_free_ch(out) == 0 && acp_free_ch(in) == 0);
    }
  } else {
    acp_ch_t in = acp_create_ch(0, rank), out = acp_create_ch(rank, 0);
    acp_request_t request = acp_nbrecv_ch(in, text, size);
    size_t got;
    CHECK(acp_set_timeout(1e-3) == 0);
    FAILS(acp_wait_ch(request), (size_t)-1, ETIMEDOUT);
    FAILS(acp_wait_ch(request), (size_t)-1, ETIMEDOUT);
    snprintf(stage, sizeof stage, "channel %zu %d", size, rank);
    CHECK(acp_put_value(stage, NULL, 0) == 1);
    while ((got = acp_wait_ch(request)) == (size_t)-1)
      CHECK(acp_error_number() == ETIMEDOUT);
    CHECK(got == size && text[0] == rank && text[size - 1] == rank);
    request = acp_nbsend_ch(out, text, size);
    while (acp_wait_ch(request) != 0)
      CHECK(acp_error_number() == ETIMEDOUT);
    CHECK(acp_set_timeout(-1) == 0);
    CHECK(acp_free_ch(in) == 0 && acp_free_ch(out) == 0);
  }
  free(text);
}

// The time does not limit acp_waitall_ch and acp_free_ch, which could not continue.
static void all_requests(void) {
  if (rank > 1 || procs == 1)
    return;
  acp_ch_t first = acp_create_ch(0, 1), second = acp_create_ch(0, 1);
  int numbers[2] = {rank == 0 ? 5 : 0, rank == 0 ? 6 : 0};
  acp_request_t requests[2];
  size_t sizes[2] = {0, 0};
  if (rank == 0) {
    CHECK(acp_wait_ch(acp_nbsend_ch(first, &numbers[0], sizeof(int))) == 0);
    CHECK(acp_wait_value("all 1", 1, NULL, 0, NULL) == 0);
    CHECK(acp_wait_ch(acp_nbsend_ch(second, &numbers[1], sizeof(int))) == 0);
  } else {
    requests[0] = acp_nbrecv_ch(first, &numbers[0], sizeof(int));
    requests[1] = acp_nbrecv_ch(second, &numbers[1], sizeof(int));
    CHECK(acp_set_timeout(1e-9) == 0);
    has_failed("all");
    CHECK(acp_waitall_ch(requests, 2, sizes) == 0);
    CHECK(numbers[0] == 5 && numbers[1] == 6 && sizes[0] == sizeof(int) && sizes[1] == sizeof(int));
  }
  CHECK(acp_free_ch(first) == 0 && acp_free_ch(second) == 0);
  CHECK(acp_set_timeout(-1) == 0);
}

// A link from rank 0, which begins and sends late, to all others.
static void links(void) {
  if (procs == 1)
    return;
  double numbers[8] = {0};
  int64_t first = 0, count = 8;
  int others[16];
  for (int r = 1; r < procs; r++)
    others[r - 1] = r;
  acp_model_t model = rank == 0 ? acp_create_model("source", &rank, 1) : acp_create_model("sink", others, procs - 1);
  acp_field_t field = acp_create_field_ranges(model, "f", ACP_DOUBLE, 1, numbers, &first, &count, 1);
  CHECK(field != ACP_FIELD_NULL);
  acp_link_t link;
  if (rank == 0) {
    everybody_has_failed("open");
    link = acp_begin_link_to(field, "sink.f", 1, 1, -1);
  } else {
    link = acp_begin_link_from(field, "source.f", 1, 1, -1);
    CHECK(acp_set_timeout(1e-3) == 0);
    FAILS(acp_complete_links(&link, 1), -1, EINPROGRESS);
    FAILS(acp_complete_links(&link, 1), -1, EINPROGRESS);
    has_failed("open");
  }
  while (acp_complete_links(&link, 1) != 0)
    CHECK(acp_error_number() == EINPROGRESS);
  CHECK(acp_set_timeout(-1) == 0);
  for (int step = 0; step < 3; step++) {
    for (int i = 0; i < 8; i++)
      numbers[i] = rank == 0 ? 10 * step + i : -1;
    char stage[32];
    snprintf(stage, sizeof stage, "link %d", step);
    LATE(stage, rank == 0 ? acp_send_link(link, step) : acp_receive_link(link, step), -1);
    CHECK(numbers[7] == 10 * step + 7);
  }
  CHECK(acp_sync() == 0);
  if (rank == 0) { // the others have room for one message
    CHECK(acp_send_link(link, 3) == 0 && acp_set_timeout(1e-3) == 0);
    FAILS(acp_send_link(link, 4), -1, ETIMEDOUT);
    CHECK(acp_put_value("full", NULL, 0) == 1);
    while (acp_send_link(link, 4) != 0)
      CHECK(acp_error_number() == ETIMEDOUT);
    CHECK(acp_set_timeout(-1) == 0);
  } else {
    CHECK(acp_wait_value("full", 1, NULL, 0, NULL) == 0);
    CHECK(acp_receive_link(link, 3) == 0 && acp_receive_link(link, 4) == 0);
  }
  CHECK(acp_close_link(link) == 0);
}

// The number that leading ranks iterate, and the iteration.
static double iterated;
static acp_implicit_t both;
static int64_t round_of_step;

// Ends an iteration. A call whose time is over changes nothing.
static int iterate(void) {
  double before = iterated;
  int again = acp_iterate_implicit(both, &round_of_step);
  CHECK(again != -1 || iterated == before);
  return again;
}

// Two models repeat steps of three iterations. Rank 0 leads, alone or with others, and is late each time.
static void iterations(void) {
  if (procs == 1)
    return;
  int leads = rank < procs / 2, own[16], n = 0;
  for (int r = 0; r < procs; r++)
    if ((r < procs / 2) == leads)
      own[n++] = r;
  acp_model_t model = acp_create_model(leads ? "leading" : "following", own, n);
  both = acp_create_implicit(model, leads ? "following" : "leading", leads);
  iterated = 1 + rank;
  if (leads) {
    CHECK(acp_add_implicit(both, "number", &iterated, 1) == 0);
    CHECK(acp_measure_implicit(both, "number", ACP_MEASURE_ABSOLUTE, 1e-300) == 0);
    CHECK(acp_accelerate_implicit(both, ACP_METHOD_CONSTANT, 1, 0, 0) == 0 && acp_limit_implicit(both, 3) == 0);
  }
  for (int i = 0; i < 6; i++) { // two steps
    if (i == 0)
      LATE("first step", acp_begin_implicit(both, &round_of_step), -1);
    else if (i == 3)
      CHECK(acp_begin_implicit(both, &round_of_step) == 0);
    CHECK(round_of_step == i && iterated == (leads ? (1 + rank) / (double)(1 << i) : 1 + rank));
    if (leads)
      iterated /= 2;
    char stage[32];
    snprintf(stage, sizeof stage, "iteration %d", i);
    int again = -1;
    LATE(stage, again = iterate(), -1);
    CHECK(again == (i % 3 != 2));
  }
  CHECK(acp_free_implicit(both) == 0);
}

// acp_complete gives up, and acp_inquire shows that the copy is under way.
static void copies(void) {
  acp_ga_t own = acp_query_starter_ga(rank), other = acp_query_starter_ga((rank + 1) % procs);
  CHECK(acp_set_timeout(1e-9) == 0);
  for (int i = 0; i < 50; i++) {
    acp_handle_t copy = acp_copy(other + 1024, own, 4096, ACP_HANDLE_NULL);
    CHECK(copy != ACP_HANDLE_NULL);
    do {
      ACP_ERRNO = 0;
      acp_complete(copy);
      CHECK(ACP_ERRNO == 0 || ACP_ERRNO == ETIMEDOUT);
    } while (acp_inquire(copy));
  }
  CHECK(acp_get_value("number", NULL, 0, NULL) == sizeof(int)); // without a limit
  CHECK(acp_set_timeout(-1) == 0);
}

int main(int argc, char **argv) {
  CHECK(acp_error_number() == 0 && acp_error_message()[0] == 0);
  FAILS(acp_set_timeout(1), -1, EPERM);
  CHECK(acp_error_number() == EPERM && acp_error_message()[0] != 0);
  CHECK(acp_init(&argc, &argv) == 0);
  CHECK(acp_error_number() == 0 && acp_error_message()[0] == 0);
  FAILS(acp_set_timeout(0), -1, EINVAL);
  FAILS(acp_set_timeout(0.0 / 0.0), -1, EINVAL);
  rank = acp_rank();
  procs = acp_procs();
  collective();
  LATE("value", value(), -1);
  channels(8);
  channels(100000);
  all_requests();
  links();
  iterations();
  copies();
  CHECK(acp_set_timeout(1e-9) == 0); // does not limit acp_finalize
  CHECK(acp_finalize() == 0);
  return 0;
}
