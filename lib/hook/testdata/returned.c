// Memory that is free goes back to the system, and so do the caches of threads that have ended.

#include "check.h"

#include <pthread.h>
#include <sys/stat.h>

static size_t mib_of_pool(void) {
  struct goacp_hook_pool pool;
  struct stat file;
  CHECK(goacp_hook_pool(&pool) == 0 && fstat(pool.fd, &file) == 0);
  return (size_t)file.st_blocks * 512 >> 20;
}

static void take_and_give(size_t n, size_t total) {
  size_t count = total / n;
  char **p = malloc(count * sizeof *p);
  for (size_t i = 0; i < count; i++)
    memset(p[i] = malloc(n), 1, n);
  CHECK(mib_of_pool() >= (total >> 20) - 4);
  for (size_t i = 0; i < count; i++)
    free(p[i * 7919 % count]);
  free(p);
}

static void *in_thread(void *n) {
  take_and_give((size_t)(uintptr_t)n, (size_t)32 << 20);
  return NULL;
}

int main(void) {
  struct goacp_hook_pool pool;
  CHECK(goacp_hook_pool(&pool) == 0);
  CHECK(mib_of_pool() == 0);
  void *lazy = calloc(1, (size_t)512 << 20);
  CHECK(in_pool(lazy) && mib_of_pool() < 1);
  free(lazy);
  static const size_t sizes[] = {24, 200, 3000, 50000, 200000, 5 << 20};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    take_and_give(sizes[i], (size_t)96 << 20);
    CHECK(mib_of_pool() <= 24);
    pthread_t t;
    CHECK(pthread_create(&t, NULL, in_thread, (void *)(uintptr_t)sizes[i]) == 0);
    pthread_join(t, NULL);
    CHECK(mib_of_pool() <= 24);
  }
  // Free room in many pieces serves a block that is as long as all of them.
  void *whole = malloc(pool.size / 2);
  CHECK(in_pool(whole));
  free(whole);
  return 0;
}
