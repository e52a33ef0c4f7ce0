// Orders and completion. Copies carry a value around all ranks. Each copy is ordered after the one
// before, in the three ways that there are.
#include "check.h"

#include <sched.h>

enum { ROUNDS = 50, SLOT = 64 };

static const acp_handle_t previous = 1; // in place of the handle of the GMA before

int main(int argc, char **argv) {
  CHECK(acp_init(&argc, &argv) == 0);
  int rank = acp_rank(), procs = acp_procs();
  acp_ga_t mine = acp_query_starter_ga(rank);
  uint64_t *own = acp_query_address(mine);
  const acp_handle_t orders[] = {previous, ACP_HANDLE_ALL, ACP_HANDLE_CONT};
  for (int o = 0; o < 3; o++) {
    // Each rank has its own slot on every rank.
    size_t slot = (size_t)rank * SLOT;
    own[slot / 8] = (uint64_t)rank + 1;
    acp_handle_t h = ACP_HANDLE_NULL;
    for (int i = 0; i < ROUNDS * procs; i++) {
      acp_ga_t from = acp_query_starter_ga((rank + i) % procs) + slot;
      acp_ga_t to = acp_query_starter_ga((rank + i + 1) % procs) + slot;
      h = acp_copy(to, from, 8, orders[o] == previous ? h : orders[o]);
      CHECK(h != ACP_HANDLE_NULL);
      if (procs == 1)
        continue;
      // The copy is complete before the value at the old position changes.
      h = acp_copy(from, mine + 4096 + (size_t)rank * 8, 8, orders[o] == previous ? h : orders[o]);
      CHECK(h != ACP_HANDLE_NULL);
    }
    acp_complete(h);
    CHECK(acp_inquire(ACP_HANDLE_ALL) == 0);
    CHECK(own[slot / 8] == (uint64_t)rank + 1);
    CHECK(acp_sync() == 0);
    for (int r = 0; r < procs; r++)
      CHECK(r == rank || own[(size_t)r * SLOT / 8] == 0);
    CHECK(acp_sync() == 0);
  }

  // A flag follows its data: a rank that sees the flag sees the data.
  int to = (rank + 1) % procs;
  volatile uint64_t *flag = own + 8 * 100;
  for (uint64_t i = 1; i <= 200; i++) {
    own[8 * 101] = i;
    acp_ga_t theirs = acp_query_starter_ga(to);
    acp_handle_t data = acp_copy(theirs + 64 * 102, mine + 64 * 101, 8, ACP_HANDLE_NULL);
    acp_copy(theirs + 64 * 100, mine + 64 * 101, 8, data);
    acp_complete(ACP_HANDLE_ALL);
    while (*flag != i)
      sched_yield(); // without a call of the library: its agent serves other ranks
    CHECK(own[8 * 102] == i);
    CHECK(acp_sync() == 0);
  }
  CHECK(acp_finalize() == 0);
  return 0;
}
