// Several threads of every rank work at once, each with its own memory.
#include "check.h"

#include <pthread.h>

enum { THREADS = 4, TIMES = 300 };

static int rank, procs;

static void *work(void *number) {
  size_t n = (size_t)number;
  uint64_t words[4] = {0};
  for (int i = 0; i < TIMES; i++) {
    acp_atkey_t key = acp_register_memory(words, sizeof words, 0);
    acp_ga_t ga = acp_query_ga(key, words);
    CHECK(ga != ACP_GA_NULL && acp_query_address(ga) == words);
    acp_ga_t other = acp_query_starter_ga((rank + i) % procs);
    acp_ga_t slot = other + 1024 + (n * (size_t)procs + (size_t)rank) * 8;
    words[0] = (uint64_t)i;
    acp_handle_t h = acp_copy(slot, ga, 8, ACP_HANDLE_NULL);
    h = acp_copy(ga + 8, slot, 8, h);
    CHECK(h != ACP_HANDLE_NULL);
    h = acp_add8(ga + 16, acp_query_starter_ga(0), 1, ACP_HANDLE_NULL);
    CHECK(h != ACP_HANDLE_NULL);
    acp_complete(h);
    CHECK(acp_inquire(h) == 0);
    CHECK(words[1] == (uint64_t)i);
    CHECK(acp_unregister_memory(key) == 0);
  }
  return NULL;
}

int main(int argc, char **argv) {
  CHECK(acp_init(&argc, &argv) == 0);
  rank = acp_rank();
  procs = acp_procs();
  pthread_t threads[THREADS];
  for (size_t n = 0; n < THREADS; n++)
    CHECK(pthread_create(&threads[n], NULL, work, (void *)n) == 0);
  for (size_t n = 0; n < THREADS; n++)
    CHECK(pthread_join(threads[n], NULL) == 0);
  CHECK(acp_sync() == 0);
  if (rank == 0) {
    uint64_t *count = acp_query_address(acp_query_starter_ga(0));
    CHECK(*count == (uint64_t)procs * THREADS * TIMES);
  }
  CHECK(acp_finalize() == 0);
  return 0;
}
