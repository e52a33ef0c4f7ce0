// Rotates the ranks twice, and checks what acp_reset ends and what it keeps.
#include "check.h"

static uint64_t fixed[8];

int main(int argc, char **argv) {
  CHECK(acp_init(&argc, &argv) == 0);
  int first = acp_rank(), procs = acp_procs();
  for (int round = 0; round < 3; round++) {
    int rank = acp_rank();
    CHECK(rank == (first + round) % procs && acp_procs() == procs);
    acp_ga_t mine = acp_query_starter_ga(rank);
    acp_ga_t next = acp_query_starter_ga((rank + 1) % procs);
    uint64_t *own = acp_query_address(mine);
    for (int i = 0; i < 10240 / 8; i++)
      CHECK(own[i] == 0);
    CHECK(acp_sync() == 0);
    own[0] = (uint64_t)rank + 100;
    CHECK(acp_copy(next + 8, mine, 8, ACP_HANDLE_NULL) != 0);
    CHECK(acp_add8(mine + 24, next + 16, 5, ACP_HANDLE_NULL) != 0);
    acp_complete(ACP_HANDLE_ALL);
    CHECK(acp_sync() == 0);
    CHECK(own[1] == (uint64_t)(rank + procs - 1) % (uint64_t)procs + 100 && own[2] == 5);
    acp_atkey_t key = acp_register_memory(fixed, sizeof fixed, 0);
    acp_ga_t ga = acp_query_ga(key, fixed);
    CHECK(ga != ACP_GA_NULL);
    memset(own, 0xff, 10240);
    acp_copy(mine, mine + 64, 64, ACP_HANDLE_NULL); // left to be completed

    // No permutation: nothing changes anywhere.
    FAILS(acp_reset(procs), -1, EINVAL);
    FAILS(acp_reset(-1), -1, EINVAL);
    if (procs > 1)
      FAILS(acp_reset(0), -1, EINVAL);
    CHECK(acp_rank() == rank && own[100] == UINT64_MAX && acp_query_address(ga) == fixed);

    CHECK(acp_reset((rank + 1) % procs) == 0);
    FAILS(acp_unregister_memory(key), -1, ENOENT);
    FAILS(acp_query_ga(key, fixed), ACP_GA_NULL, ENOENT);
  }
  CHECK(acp_finalize() == 0);
  return 0;
}
