// Links between random parts of random points over random ranks: all ranks make the same cases of
// their numbers, move some messages and compare what arrives with what it has to be.
//
//     couple_random FIRST CASES
//
// Several threads of each rank play cases at the same time.

#include "check.h"
#include <acp_couple.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

enum { RANKS = 8, POINTS = 300, VALUES = 3, LARGEST = 16, STREAMS = 8, LONG = 40 };

static const size_t sizes[] = {0, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 8, 16};

// Random numbers, the same on all ranks.
static uint32_t next(uint64_t *state, uint32_t below) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((*state >> 33) % below);
}

// The ranks of one side, and which points each of them has, in the order of its memory.
struct side {
  int ranks[RANKS], count;
  int64_t points[RANKS][POINTS];
  int held[RANKS];
  int levels, every, listed;
};

struct test {
  int number, type, values, messages;
  size_t size; // of a point
  int64_t apart, first; // numbers of the points
  struct side sides[2];
};

static void shuffle(uint64_t *r, int64_t *x, int n) {
  for (int i = n - 1; i > 0; i--) {
    int k = (int)next(r, (uint32_t)i + 1);
    int64_t y = x[i];
    x[i] = x[k];
    x[k] = y;
  }
}

// Gives points to the ranks of a side. With overlap some have several ranks, and some have none.
static void divide(uint64_t *r, struct side *s, int points, int overlap) {
  int way = (int)next(r, 3), length = 1 + (int)next(r, 5);
  for (int x = 0; x < points; x++) {
    int owner = way == 0 ? x * s->count / points : way == 1 ? x / length % s->count : (int)next(r, (uint32_t)s->count);
    if (overlap && next(r, 5) == 0)
      continue;
    s->points[owner][s->held[owner]++] = x;
    int other = (int)next(r, (uint32_t)s->count);
    if (overlap && other != owner && next(r, 4) == 0)
      s->points[other][s->held[other]++] = x;
  }
  for (int i = 0; i < s->count; i++)
    if (next(r, 2))
      shuffle(r, s->points[i], s->held[i]);
}

static void plan(struct test *t, int number, int procs) {
  uint64_t r = (uint64_t)number * 1000003 + (uint64_t)procs;
  for (int i = 0; i < 10; i++)
    next(&r, 2);
  memset(t, 0, sizeof *t);
  t->number = number;
  t->type = ACP_INT8 + (int)next(&r, ACP_DOUBLE_COMPLEX);
  t->values = 1 + (int)next(&r, VALUES);
  t->messages = 1 + (int)next(&r, 6);
  if (next(&r, 20) == 0)
    t->values *= LONG; // so that values may go by zero copy
  t->size = sizes[t->type] * (size_t)t->values;
  t->apart = next(&r, 4) == 0 ? 1 + (int64_t)next(&r, 100000) : 1;
  t->first = next(&r, 2) * (int64_t)1000;
  int points = next(&r, 3) == 0 ? 1 + (int)next(&r, 6) : 1 + (int)next(&r, POINTS);
  for (int k = 0; k < 2; k++) {
    struct side *s = &t->sides[k];
    int64_t order[RANKS];
    for (int i = 0; i < procs; i++)
      order[i] = i;
    shuffle(&r, order, procs);
    s->count = 1 + (int)next(&r, (uint32_t)procs);
    for (int i = 0; i < s->count; i++)
      s->ranks[i] = (int)order[i];
    s->levels = (int)next(&r, 5);
    s->every = (int)next(&r, 4);
    s->listed = (int)next(&r, 2);
    divide(&r, s, points, k);
  }
}

static int every(const struct side *s) { return s->every == 0 ? 1 : s->every; }

// Whether a rank of a side masks a point. A point has one rank on the sending side.
static int masked(const struct test *t, int side, int index, int64_t x) {
  uint64_t r = (uint64_t)t->number * 77 + (uint64_t)(side * (index + 1)) * 1009 + (uint64_t)x * 7919;
  next(&r, 2);
  return t->number % 4 == 1 && next(&r, 3) == 0;
}

// Byte i of a point in a message.
static unsigned char byte_of(const struct test *t, int message, int64_t x, size_t i) {
  return (unsigned char)(t->number * 31 + message * 17 + x * 7 + (int64_t)i * 3 + 1);
}

// What one rank does on one side.
struct part {
  const struct test *t;
  int side, index;
};

// The field of a part, in one of two arrays.
struct field {
  acp_field_t field;
  unsigned char *data[2];
  acp_ga_t blocks[2]; // of the arrays, if the senders map them
  size_t bytes;
};

static struct field declare(const struct part *p) {
  const struct test *t = p->t;
  const struct side *s = &t->sides[p->side];
  int n = s->held[p->index];
  char name[32];
  int64_t numbers[POINTS], ones[POINTS];
  for (int i = 0; i < n; i++) {
    numbers[i] = t->first + t->apart * s->points[p->index][i];
    ones[i] = 1;
  }
  snprintf(name, sizeof name, "%c%d", 'a' + p->side, t->number);
  acp_model_t m = acp_create_model(name, s->ranks, s->count);
  struct field f = {.bytes = (size_t)n * t->size};
  for (int k = 0; k < 2; k++) {
    f.blocks[k] = t->number % 3 ? acp_malloc(f.bytes + LARGEST, acp_rank()) : ACP_GA_NULL;
    f.data[k] = f.blocks[k] != ACP_GA_NULL ? acp_query_address(f.blocks[k]) : calloc(1, f.bytes + LARGEST);
    CHECK(f.data[k] != NULL);
  }
  f.field = s->listed ? acp_create_field_list(m, "f", t->type, t->values, f.data[0], numbers, n)
                      : acp_create_field_ranges(m, "f", t->type, t->values, f.data[0], numbers, ones, n);
  CHECK(f.field != ACP_FIELD_NULL && acp_free_model(m) == 0);
  int mask[POINTS];
  for (int i = 0; i < n; i++)
    mask[i] = masked(t, p->side, p->index, s->points[p->index][i]) ? 0 : i + 1;
  CHECK(t->number % 4 != 1 || acp_mask_field(f.field, mask, n) == 0);
  return f;
}

// Delays this rank at random, sometimes for so long that the other side parks.
static void dawdle(uint64_t *r) {
  uint32_t x = next(r, 100);
  if (x == 0)
    usleep(300);
  else if (x < 10)
    sched_yield();
}

static void fill(const struct part *p, unsigned char *data, int message) {
  const struct side *s = &p->t->sides[p->side];
  for (int i = 0; i < s->held[p->index]; i++)
    for (size_t k = 0; k < p->t->size; k++)
      data[(size_t)i * p->t->size + k] = message < 0 ? 0xee : byte_of(p->t, message, s->points[p->index][i], k);
}

static void check(const struct part *p, const unsigned char *data, int message) {
  const struct side *s = &p->t->sides[p->side];
  for (int i = 0; i < s->held[p->index]; i++) {
    int64_t x = s->points[p->index][i];
    int kept = message < 0 || masked(p->t, 0, 0, x) || masked(p->t, 1, p->index, x);
    for (size_t k = 0; k < p->t->size; k++)
      CHECK(data[(size_t)i * p->t->size + k] == (kept ? 0xee : byte_of(p->t, message, x, k)));
  }
}

static void *play(void *of) {
  const struct part *p = of;
  const struct test *t = p->t;
  const struct side *s = &t->sides[p->side];
  uint64_t r = (uint64_t)t->number * 7 + (uint64_t)acp_rank();
  struct field f = declare(p);
  char other[40];
  snprintf(other, sizeof other, "%c%d.f", 'b' - p->side, t->number);
  acp_link_t link = p->side == 0 ? acp_open_link_to(f.field, other, s->levels, s->every, -1)
                                 : acp_open_link_from(f.field, other, s->levels, s->every, -1);
  CHECK(link != ACP_LINK_NULL);
  int n = every(s);
  for (int step = 0; step < t->messages * n; step++) {
    int now = step % 2;
    CHECK(f.bytes == 0 || acp_use_field(f.field, f.data[now]) == 0);
    dawdle(&r);
    if (p->side == 0) {
      fill(p, f.data[now], step % n == 0 ? step / n : -1);
      CHECK(acp_send_link(link, step) == 0);
      fill(p, f.data[now], -1);
      CHECK(step % n != 0 || f.bytes == 0 || acp_send_link(link, step - n) == -1);
    } else {
      fill(p, f.data[now], -1);
      CHECK(acp_receive_link(link, step) == 0);
      check(p, f.data[now], step % n == 0 ? step / n : -1);
    }
  }
  if (p->side == 1 && f.bytes != 0 && t->number % 2 == 0) {
    CHECK(acp_receive_link(link, t->messages * n) == -1);
    CHECK(strstr(acp_couple_message(), "the other side has ended") != NULL);
  }
  CHECK(acp_close_link(link) == 0 && acp_free_field(f.field) == 0);
  for (int k = 0; k < 2; k++)
    if (f.blocks[k] != ACP_GA_NULL)
      acp_free(f.blocks[k]);
    else
      free(f.data[k]);
  return NULL;
}

// The cases with numbers from first to less than end, every STREAMS-th one of them.
struct stream {
  int first, end;
};

static void play_case(int number) {
  struct test t;
  pthread_t thread;
  struct part parts[2];
  int takes[2] = {0, 0};
  plan(&t, number, acp_procs());
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < t.sides[k].count; i++)
      if (t.sides[k].ranks[i] == acp_rank()) {
        parts[k] = (struct part){&t, k, i};
        takes[k] = 1;
      }
  if (takes[0] && takes[1]) {
    CHECK(pthread_create(&thread, NULL, play, &parts[0]) == 0);
    play(&parts[1]);
    CHECK(pthread_join(thread, NULL) == 0);
  } else if (takes[0] || takes[1]) {
    play(&parts[takes[1]]);
  }
}

static void *play_stream(void *of) {
  const struct stream *s = of;
  for (int number = s->first; number < s->end; number += STREAMS)
    play_case(number);
  return NULL;
}

int main(int argc, char **argv) {
  CHECK(acp_init(&argc, &argv) == 0 && argc == 3);
  int first = atoi(argv[1]), end = first + atoi(argv[2]);
  pthread_t threads[STREAMS];
  struct stream streams[STREAMS];
  for (int i = 0; i < STREAMS; i++) {
    streams[i] = (struct stream){first + i, end};
    CHECK(pthread_create(&threads[i], NULL, play_stream, &streams[i]) == 0);
  }
  for (int i = 0; i < STREAMS; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
  CHECK(acp_finalize() == 0);
  return 0;
}
