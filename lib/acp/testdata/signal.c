// A signal handler calls, before, during and after all that the library does, what it may
// call: acp_rank, acp_procs and what computes with its arguments alone.
#include "check.h"

#include <signal.h>
#include <sys/time.h>

static volatile sig_atomic_t calls, wrong, running;
static int procs;

static void handler(int number) {
  (void)number;
  int saved = ACP_ERRNO, rank = acp_rank(), all = acp_procs();
  ACP_ERRNO = saved;
  int none = rank == -1 && all == -1, some = rank >= 0 && rank < all && all == procs;
  // acp_init or acp_finalize may be under way.
  if (running ? !some : !none && procs != 0 && !some)
    wrong++;
  acp_vector_it_t it = acp_advance_vector_it(acp_begin_vector((acp_vector_t){4096}), 3);
  if (it.index != 3)
    wrong++;
  calls++;
}

static void work(void) {
  int rank = acp_rank();
  acp_ga_t mine = acp_query_starter_ga(rank), next = acp_query_starter_ga((rank + 1) % procs);
  for (int i = 0; i < 200; i++) {
    acp_complete(acp_copy(next, mine, 8, ACP_HANDLE_NULL));
    acp_ga_t block = acp_malloc(100000, (rank + 1) % procs);
    CHECK(block != ACP_GA_NULL && acp_query_rank(block) == (rank + 1) % procs);
    acp_free(block);
    CHECK(acp_sync() == 0);
  }
}

int main(int argc, char **argv) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK | SA_RESTART};
  CHECK(sigaction(SIGALRM, &action, NULL) == 0);
  struct itimerval every = {{0, 500}, {0, 500}};
  CHECK(setitimer(ITIMER_REAL, &every, NULL) == 0);
  while (calls < 20)
    ;
  CHECK(acp_init(&argc, &argv) == 0);
  procs = acp_procs();
  running = 1;
  for (int round = 0; round < 5 || calls < 40; round++) {
    work();
    CHECK(acp_reset((acp_rank() + 1) % procs) == 0);
  }
  running = 0;
  CHECK(acp_finalize() == 0);
  int last = calls;
  while (calls < last + 20)
    ;
  CHECK(wrong == 0);
  return 0;
}
