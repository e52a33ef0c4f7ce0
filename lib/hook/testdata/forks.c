// forks THREADS FORKS: threads allocate, resize and free all the time while the first one forks. Each child
// finds the blocks of the thread that has forked as they were, overwrites them, allocates and forks
// itself. The blocks of the parent stay as they are.

#include "check.h"

#include <pthread.h>
#include <sys/wait.h>

#define BLOCKS 300

static struct block {
  unsigned char *p;
  size_t n;
} blocks[BLOCKS];

static int over;

static void *disturb(void *seed) {
  uint64_t state = (uintptr_t)seed * 7919 + 3;
  unsigned char *own[50] = {0};
  size_t n[50] = {0};
  while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
    unsigned i = next_random(&state) % 50;
    if (own[i] != NULL)
      CHECK(filled(own[i], n[i], i));
    n[i] = 1 + random_size(&state, 18);
    own[i] = realloc(own[i], n[i]);
    fill(own[i], n[i], i);
    FILE *f = fopen("/dev/null", "w");
    CHECK(f != NULL && fprintf(f, "%u", i) > 0 && fclose(f) == 0);
  }
  for (int i = 0; i < 50; i++)
    free(own[i]);
  return NULL;
}

static void change(uint64_t *state) {
  for (int i = 0; i < 20; i++) {
    unsigned b = next_random(state) % BLOCKS;
    size_t n = 1 + random_size(state, 19);
    blocks[b].p = realloc(blocks[b].p, n);
    blocks[b].n = n;
    fill(blocks[b].p, n, b);
  }
}

static void check_all(void) {
  for (unsigned b = 0; b < BLOCKS; b++)
    CHECK(blocks[b].p == NULL || filled(blocks[b].p, blocks[b].n, b));
}

static void wait_for(pid_t child) {
  int status;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// check_generation: the pool of each child is another file.
static void check_generation(unsigned depth) {
  struct goacp_hook_pool pool;
  CHECK(goacp_hook_pool(&pool) == 0 && pool.generation == depth);
}

// overwrite writes all blocks and replaces half of them.
static void overwrite(void) {
  for (unsigned b = 0; b < BLOCKS; b++) {
    if (blocks[b].p != NULL)
      memset(blocks[b].p, 0xee, blocks[b].n);
    if (b % 2)
      free(blocks[b].p);
    if (b % 2 || blocks[b].p == NULL)
      blocks[b] = (struct block){malloc(b * 20), b * 20};
    fill(blocks[b].p, blocks[b].n, b);
  }
}

// child runs in the processes that fork makes: the child, and one of its own.
static void child(uint64_t *state) {
  pid_t pid = 0;
  for (unsigned depth = 1; depth <= 2 && pid == 0; depth++) {
    check_generation(depth);
    check_all();
    change(state);
    overwrite();
    check_all();
    pid = depth == 1 ? fork() : 0;
  }
  if (pid != 0) {
    wait_for(pid);
    check_all();
  }
  _exit(0);
}

int main(int argc, char **argv) {
  CHECK(argc == 3);
  int threads = atoi(argv[1]), forks = atoi(argv[2]);
  uint64_t state = 4711;
  pthread_t t[8];
  change(&state);
  for (int i = 0; i < threads; i++)
    CHECK(pthread_create(&t[i], NULL, disturb, (void *)(uintptr_t)i) == 0);
  for (int i = 0; i < forks; i++) {
    change(&state);
    pid_t pid = fork();
    if (pid == 0)
      child(&state);
    // The parent goes on while the child works.
    change(&state);
    check_all();
    wait_for(pid);
    check_all();
  }
  __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < threads; i++)
    pthread_join(t[i], NULL);
  return 0;
}
