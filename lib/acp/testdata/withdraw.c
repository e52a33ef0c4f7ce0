// A thread uses registered memory of its own process while another thread unregisters it and then unmaps it
// at once. An access that is still under way would fault. A later access is an error that ends the program.
// The argument names the access of the thread.
#include "check.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { SIZE = 1 << 20 };

static acp_ga_t starter, ga;
static int kind, begun;

static acp_handle_t use(void) {
  switch (kind) {
  case 0:
    return acp_copy(ga, starter, SIZE, ACP_HANDLE_NULL);
  case 1:
    return acp_copy(starter, ga, SIZE, ACP_HANDLE_NULL);
  case 2:
    return acp_copy(ga, starter, 8, ACP_HANDLE_NULL);
  case 3:
    return acp_add8(starter, ga, 1, ACP_HANDLE_NULL);
  default:
    return acp_cas4(ga, starter, 1, 2, ACP_HANDLE_NULL);
  }
}

static void *work(void *unused) {
  for (;;) {
    acp_complete(use());
    __atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
  }
  return unused;
}

int main(int argc, char **argv) {
  CHECK(acp_init(&argc, &argv) == 0);
  CHECK(argc == 2);
  kind = atoi(argv[1]);
  starter = acp_query_starter_ga(acp_rank());
  void *mem = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(mem != MAP_FAILED);
  acp_atkey_t key = acp_register_memory(mem, SIZE, 0);
  ga = acp_query_ga(key, mem);
  CHECK(ga != ACP_GA_NULL);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, work, NULL) == 0);
  while (!__atomic_load_n(&begun, __ATOMIC_ACQUIRE))
    ;
  CHECK(acp_unregister_memory(key) == 0);
  CHECK(mprotect(mem, SIZE, PROT_NONE) == 0);
  CHECK(pthread_join(thread, NULL) == 0); // the thread ends the program
  return 0;
}
