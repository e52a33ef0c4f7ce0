// The ends of two-way couplings: closing depends neither on an order nor on what the other side calls.
//
//     couple_close HOW SEED
//
// HOW is "same" (both models close the link that they send by first), "opposite" (both close the same link first), "random"
// (many links in random orders), "finalize" (rank 0 closes nothing), or "alone" (one thread is in both models).

#include "check.h"

#include <acp_couple.h>

enum { LINKS = 12, LARGE = 50000, LEVELS = 2 };

static const int64_t lengths[] = {1, 700, LARGE};

// One end of a link.
struct strand {
  acp_link_t link;
  double *data;
  int64_t points;
  int sends, step;
};

static uint32_t next(uint64_t *state, uint32_t below) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((*state >> 33) % below);
}

// Begins to open an end of link number i. The values lie in memory that senders on the host of the receiver
// map.
static struct strand begin(acp_model_t model, const char *other, int i, int sends) {
  struct strand s = {.points = lengths[i % 3], .sends = sends};
  int64_t first = 0;
  char own[20], name[40];
  s.data = acp_query_address(acp_malloc((size_t)s.points * sizeof *s.data, acp_rank()));
  CHECK(s.data != NULL);
  snprintf(own, sizeof own, "%s%d", sends ? "s" : "r", i);
  snprintf(name, sizeof name, "%s.%s%d", other, sends ? "r" : "s", i);
  acp_field_t f = acp_create_field_ranges(model, own, ACP_DOUBLE, 1, s.data, &first, &s.points, 1);
  s.link = sends ? acp_begin_link_to(f, name, LEVELS, 1, -1) : acp_begin_link_from(f, name, 0, 1, -1);
  CHECK(s.link != ACP_LINK_NULL && acp_free_field(f) == 0);
  return s;
}

static void complete(struct strand *all, int count) {
  acp_link_t links[2 * LINKS];
  for (int i = 0; i < count; i++)
    links[i] = all[i].link;
  CHECK(acp_complete_links(links, count) == 0);
}

// Sends, or receives and checks what comes. Returns 0, or -1 if the other side has closed the link.
static int move(struct strand *s) {
  if (s->sends)
    for (int64_t i = 0; i < s->points; i++)
      s->data[i] = (double)(s->step + i);
  ACP_ERRNO = 0;
  if ((s->sends ? acp_send_link(s->link, s->step) : acp_receive_link(s->link, s->step)) != 0) {
    CHECK(ACP_ERRNO == EPIPE);
    return -1;
  }
  for (int64_t i = 0; !s->sends && i < s->points; i++)
    CHECK(s->data[i] == (double)(s->step + i));
  s->step++;
  return 0;
}

// Closes an end, and uses its memory for something else.
static void finish(struct strand *s) {
  CHECK(acp_close_link(s->link) == 0);
  memset(s->data, 0xff, (size_t)s->points * sizeof *s->data);
}

static acp_model_t model_of(int number) {
  int rank = acp_procs() == 1 ? 0 : number;
  acp_model_t m = acp_create_model(number == 0 ? "sea" : "air", &rank, 1);
  CHECK(m != ACP_MODEL_NULL);
  return m;
}

// Links of both directions between two ranks. Link i goes from rank i % 2.
static void between_ranks(const char *how, uint64_t seed) {
  struct strand all[LINKS];
  int rank = acp_rank(), left = LINKS;
  acp_model_t m = model_of(rank);
  for (int i = 0; i < LINKS; i++)
    all[i] = begin(m, rank == 0 ? "air" : "sea", i, i % 2 == rank);
  complete(all, LINKS);
  for (int i = 0; i < LINKS; i++)
    CHECK(!all[i].sends || (move(&all[i]) == 0 && move(&all[i]) == 0));
  CHECK(acp_sync() == 0);
  if (strcmp(how, "finalize") == 0) {
    for (int i = 0; rank == 1 && i < LINKS; i++) {
      int steps = 0;
      while (move(&all[i]) == 0)
        steps++;
      CHECK(steps == (all[i].sends ? 0 : LEVELS));
    }
    return;
  }
  // Which ends this rank closes first: those that it sends by, or in both ranks those of even links.
  for (int turn = 0; turn < 2 && strcmp(how, "random") != 0; turn++)
    for (int i = 0; i < LINKS; i++)
      if ((strcmp(how, "same") == 0 ? !all[i].sends : i % 2) == turn)
        finish(&all[i]);
  for (seed += (uint64_t)rank; left > 0 && strcmp(how, "random") == 0;) {
    struct strand *s = &all[next(&seed, LINKS)];
    if (s->link == ACP_LINK_NULL)
      continue;
    if (!s->sends && next(&seed, 2) == 0) {
      int steps = 0;
      while (acp_isready_link(s->link) == 0 && move(s) == 0)
        steps++;
      CHECK(steps <= LEVELS);
    }
    finish(s);
    s->link = ACP_LINK_NULL;
    left--;
  }
}

// One thread has both ends of links of both directions.
static void alone(void) {
  for (int order = 0; order < 2; order++) {
    struct strand all[2 * LINKS];
    acp_model_t sea = model_of(0), air = model_of(1);
    for (int i = 0; i < LINKS; i++) {
      all[2 * i] = begin(i % 2 == 0 ? sea : air, i % 2 == 0 ? "air" : "sea", i, 1);
      all[2 * i + 1] = begin(i % 2 == 0 ? air : sea, i % 2 == 0 ? "sea" : "air", i, 0);
    }
    complete(all, 2 * LINKS);
    for (int i = 0; i < 2 * LINKS; i += 2) {
      CHECK(move(&all[i]) == 0);
      finish(&all[i + order]);
      if (order == 0)
        CHECK(move(&all[i + 1]) == 0);
      CHECK(move(&all[i + 1 - order]) == -1);
      finish(&all[i + 1 - order]);
    }
    CHECK(acp_free_model(sea) == 0 && acp_free_model(air) == 0);
  }
}

int main(int argc, char **argv) {
  CHECK(acp_init(&argc, &argv) == 0 && argc == 3);
  if (strcmp(argv[1], "alone") == 0)
    alone();
  else
    between_ranks(argv[1], strtoull(argv[2], NULL, 10));
  CHECK(acp_finalize() == 0);
  return 0;
}
