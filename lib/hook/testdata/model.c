// model THREADS STEPS SEED: threads allocate, resize and free at random, also blocks of each other. Each
// block has a pattern of its own, which must be there until the end.

#include "check.h"

#include <pthread.h>

struct block {
  unsigned char *p;
  size_t n;
  uint64_t number;
};

// Blocks that threads leave to others.
#define SHARED 64
static struct block shared[SHARED];
static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;

#define OWN 400
static long steps;

static void check(const struct block *b) {
  CHECK(b->p == NULL || (malloc_usable_size(b->p) >= b->n && filled(b->p, b->n, b->number)));
}

static void allocate(struct block *b, uint64_t *state) {
  size_t n = random_size(state, next_random(state) % 50 == 0 ? 20 : 13);
  unsigned char *p;
  switch (next_random(state) % 4) {
  case 0:
    p = calloc(n, 1);
    for (size_t i = 0; i < n; i++)
      CHECK(p[i] == 0);
    break;
  case 1: {
    size_t a = (size_t)1 << next_random(state) % 15;
    p = aligned_alloc(a, n);
    CHECK((uintptr_t)p % a == 0);
    break;
  }
  default:
    p = malloc(n);
  }
  CHECK(p != NULL);
  *b = (struct block){p, n, next_random(state)};
  fill(p, n, b->number);
}

static void resize(struct block *b, uint64_t *state) {
  size_t n = 1 + random_size(state, 17);
  check(b);
  b->p = realloc(b->p, n);
  CHECK(b->p != NULL && filled(b->p, b->n < n ? b->n : n, b->number));
  b->n = n;
  fill(b->p, n, b->number);
}

static void drop(struct block *b) {
  check(b);
  free(b->p);
  b->p = NULL;
}

// swap leaves a block to another thread and takes one that another has left.
static void swap(struct block *b, uint64_t *state) {
  struct block *other = &shared[next_random(state) % SHARED], its;
  pthread_mutex_lock(&shared_lock);
  its = *other;
  *other = *b;
  pthread_mutex_unlock(&shared_lock);
  *b = its;
  check(b);
}

static void *work(void *seed) {
  uint64_t state = (uintptr_t)seed * 0x9e3779b97f4a7c15u + 1;
  struct block own[OWN] = {0};
  for (long i = 0; i < steps; i++) {
    struct block *b = &own[next_random(&state) % OWN];
    if (next_random(&state) % 8 == 0)
      swap(b, &state);
    else if (b->p == NULL)
      allocate(b, &state);
    else if (next_random(&state) % 3 == 0)
      resize(b, &state);
    else
      drop(b);
  }
  for (int i = 0; i < OWN; i++)
    drop(&own[i]);
  return NULL;
}

int main(int argc, char **argv) {
  CHECK(argc == 4);
  int threads = atoi(argv[1]);
  steps = atol(argv[2]);
  uintptr_t seed = strtoul(argv[3], NULL, 0);
  // Twice, so that the second threads get the caches of the first ones.
  for (int round = 0; round < 2; round++) {
    pthread_t t[16];
    for (int i = 0; i < threads; i++)
      CHECK(pthread_create(&t[i], NULL, work, (void *)(seed + (uintptr_t)(round * threads + i))) == 0);
    for (int i = 0; i < threads; i++)
      pthread_join(t[i], NULL);
  }
  for (int i = 0; i < SHARED; i++)
    drop(&shared[i]);
  return 0;
}
