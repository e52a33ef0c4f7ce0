// Several threads of every rank issue many small GMAs before they wait, so that most are issued while others
// for the same rank are in flight. Each thread has memory of its own on each rank, and records its contents.
// With an argument, rank 0 makes a mistake among such GMAs.
#include "check.h"

#include <pthread.h>
#include <stddef.h>

enum {
  THREADS = 3,
  BURSTS = 60,
  LONGEST = 400, // GMAs of a burst, more than the submission queue has room for
  STARTER = 2097152, // bytes of starter memory
  PLACES = 128,
  BYTES = 272, // of a place; the longest copies are longer than those that others may wait for
};

// place is where one GMA puts or gets bytes.
struct place {
  unsigned char bytes[BYTES];
};

// area is what a thread has in the starter memory of each rank.
struct area {
  uint64_t counter; // that the thread adds to
  uint64_t word;    // that the thread compares and swaps
  struct place places[PLACES];
};

// mine is what a thread registers.
struct mine {
  uint64_t olds[LONGEST];                  // by GMA of the burst: what an atomic has returned
  struct place from[LONGEST], to[LONGEST]; // sources of puts, destinations of gets
};

static int rank, procs;

static uint64_t next(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static acp_ga_t area_of(int r, size_t thread) {
  return acp_query_starter_ga(r) + ((size_t)rank * THREADS + thread) * sizeof(struct area);
}

static void fill(struct place *p, uint64_t *state) {
  for (size_t i = 0; i < BYTES; i++)
    p->bytes[i] = (unsigned char)next(state);
}

// worker is the state of a thread.
struct worker {
  size_t number;
  uint64_t state; // of the random numbers
  struct mine *mine;
  acp_ga_t ga; // of mine
  int rank;    // the rank that the burst is for
  acp_ga_t area;
  struct place expected[PLACES]; // on that rank
  int put[PLACES];               // 0: this burst has put nothing there; 2 + i: GMA i got it back
  acp_handle_t last;
  uint64_t kind, bytes; // of the GMAs that come next, and how many these are
  size_t alike;
};

// put puts a random number of bytes in a place that the burst has not used.
static void put(struct worker *w, size_t i) {
  size_t p = next(&w->state) % PLACES;
  if (w->put[p])
    return;
  w->put[p] = 1;
  size_t n = w->bytes;
  fill(&w->mine->from[i], &w->state);
  memcpy(&w->expected[p], &w->mine->from[i], n);
  acp_ga_t from = w->ga + offsetof(struct mine, from) + i * sizeof(struct place);
  acp_ga_t to = w->area + offsetof(struct area, places) + p * sizeof(struct place);
  w->last = acp_copy(to, from, n, ACP_HANDLE_NULL);
  CHECK(w->last != ACP_HANDLE_NULL);
  if (next(&w->state) % 4 != 0)
    return;
  // A chain behind the put gets what it has put.
  acp_ga_t back = w->ga + offsetof(struct mine, to) + i * sizeof(struct place);
  memcpy(&w->mine->to[i], &w->expected[p], sizeof(struct place));
  memset(&w->mine->to[i], 0, n);
  w->last = acp_copy(back, to, n, next(&w->state) % 2 ? w->last : ACP_HANDLE_CONT);
  CHECK(w->last != ACP_HANDLE_NULL);
  w->put[p] = 2 + (int)i;
}

// beyond issues many puts and then a get of bytes of which the next rank does not have the last ones. It
// does not return.
static void beyond(void) {
  acp_ga_t mine = acp_query_starter_ga(rank), theirs = acp_query_starter_ga((rank + 1) % procs);
  for (size_t i = 0; i < LONGEST; i++)
    acp_copy(theirs + 8 * i, mine + 8 * i, 8, ACP_HANDLE_NULL);
  acp_copy(mine, theirs + STARTER - 4, 8, ACP_HANDLE_NULL);
  for (size_t i = 0; i < LONGEST; i++)
    acp_copy(theirs + 8 * i, mine + 8 * i, 8, ACP_HANDLE_NULL);
  acp_complete(ACP_HANDLE_ALL);
}

// choose chooses the kind of the next GMA, often that of the one before: GMAs that are alike start together.
static uint64_t choose(struct worker *w) {
  if (w->alike-- == 0) {
    w->alike = next(&w->state) % 2 ? next(&w->state) % 50 : 0;
    w->kind = next(&w->state) % 8;
    w->bytes = next(&w->state) % 4 == 0 ? next(&w->state) % BYTES + 1 : next(&w->state) % 8 + 1;
  }
  return w->kind;
}

static void burst(struct worker *w) {
  size_t n = next(&w->state) % LONGEST + 1;
  uint64_t kinds[LONGEST];
  memset(w->put, 0, sizeof w->put);
  w->rank = (int)(next(&w->state) % (uint64_t)procs);
  w->area = area_of(w->rank, w->number);
  acp_ga_t all = w->ga + offsetof(struct mine, to);
  // The places of the thread as the rank has them.
  acp_complete(acp_copy(w->ga + offsetof(struct mine, olds), w->area, 2 * sizeof(uint64_t), ACP_HANDLE_NULL));
  uint64_t counter = w->mine->olds[0], word = w->mine->olds[1], added = 0;
  acp_complete(acp_copy(all, w->area + offsetof(struct area, places), sizeof w->expected, ACP_HANDLE_ALL));
  memcpy(w->expected, w->mine->to, sizeof w->expected);

  for (size_t i = 0; i < n; i++) {
    acp_ga_t old = w->ga + offsetof(struct mine, olds) + i * sizeof(uint64_t);
    switch (kinds[i] = choose(w)) {
    case 0:
      CHECK(acp_add8(old, w->area, 1, ACP_HANDLE_NULL) != ACP_HANDLE_NULL);
      added++;
      break;
    case 1: // fails to swap, since the word is never odd
      CHECK(acp_cas8(old, w->area + 8, 1, 3, ACP_HANDLE_NULL) != ACP_HANDLE_NULL);
      break;
    case 2: // some are behind all GMAs before
      if (next(&w->state) % 8 == 0)
        acp_add8(old, w->area + 8, 0, ACP_HANDLE_ALL);
      else
        acp_add4(old, w->area + 8, 0, ACP_HANDLE_NULL);
      break;
    default:
      put(w, i);
    }
    if (next(&w->state) % 64 == 0)
      acp_inquire(w->last);
  }
  acp_complete(ACP_HANDLE_ALL);

  unsigned char seen[LONGEST] = {0};
  for (size_t i = 0; i < n; i++)
    switch (kinds[i]) {
    case 0: // each add has found another value
      CHECK(w->mine->olds[i] - counter < added && !seen[w->mine->olds[i] - counter]++);
      break;
    case 1:
      CHECK(w->mine->olds[i] == word);
      break;
    }
  for (size_t p = 0; p < PLACES; p++)
    if (w->put[p] > 1)
      CHECK(memcmp(&w->mine->to[w->put[p] - 2], &w->expected[p], BYTES) == 0);
  acp_complete(acp_copy(all, w->area + offsetof(struct area, places), sizeof w->expected, ACP_HANDLE_NULL));
  CHECK(memcmp(w->mine->to, w->expected, sizeof w->expected) == 0);
  acp_complete(acp_copy(w->ga, w->area, 8, ACP_HANDLE_NULL));
  CHECK(w->mine->olds[0] == counter + added);
}

static void *work(void *number) {
  struct worker *w = calloc(1, sizeof *w);
  struct mine *mine = calloc(1, sizeof *mine);
  CHECK(w != NULL && mine != NULL);
  w->number = (size_t)number;
  w->state = 88172645463325252u + (uint64_t)rank * THREADS + w->number;
  w->mine = mine;
  acp_atkey_t key = acp_register_memory(mine, sizeof *mine, 0);
  w->ga = acp_query_ga(key, mine);
  CHECK(w->ga != ACP_GA_NULL);
  for (int i = 0; i < BURSTS; i++)
    burst(w);
  CHECK(acp_unregister_memory(key) == 0);
  free(mine);
  free(w);
  return NULL;
}

int main(int argc, char **argv) {
  CHECK(acp_init(&argc, &argv) == 0);
  rank = acp_rank();
  procs = acp_procs();
  if (argc > 1) {
    if (rank == 0)
      beyond();
    acp_sync();
    return 0;
  }
  pthread_t threads[THREADS];
  for (size_t n = 0; n < THREADS; n++)
    CHECK(pthread_create(&threads[n], NULL, work, (void *)n) == 0);
  for (size_t n = 0; n < THREADS; n++)
    CHECK(pthread_join(threads[n], NULL) == 0);
  CHECK(acp_finalize() == 0);
  return 0;
}
