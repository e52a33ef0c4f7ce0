// Checks what every function returns before acp_init, between, and after acp_finalize, and for
// every kind of wrong argument.
#include "check.h"

static char region[1000];
static void *outside = &region[900];

static void not_initialised(void) {
  FAILS(acp_finalize(), -1, EPERM);
  FAILS(acp_procs(), -1, EPERM);
  FAILS(acp_rank(), -1, EPERM);
  FAILS(acp_sync(), -1, EPERM);
  FAILS(acp_reset(0), -1, EPERM);
  FAILS(acp_register_memory(region, 8, 0), ACP_ATKEY_NULL, EPERM);
  FAILS(acp_unregister_memory(1), -1, EPERM);
  FAILS(acp_query_ga(1, region), ACP_GA_NULL, EPERM);
  FAILS(acp_colors(), -1, EPERM);
  FAILS(acp_query_rank(4096), -1, EPERM);
  FAILS(acp_query_color(4096), -1, EPERM);
  FAILS(acp_query_address(4096), NULL, EPERM);
  FAILS(acp_query_starter_ga(0), ACP_GA_NULL, EPERM);
  FAILS(acp_copy(4096, 4104, 8, ACP_HANDLE_NULL), ACP_HANDLE_NULL, EPERM);
  FAILS(acp_add4(4096, 4104, 1, ACP_HANDLE_NULL), ACP_HANDLE_NULL, EPERM);
  FAILS(acp_cas8(4096, 4104, 1, 2, ACP_HANDLE_NULL), ACP_HANDLE_NULL, EPERM);
  acp_complete(ACP_HANDLE_ALL);
  CHECK(acp_inquire(ACP_HANDLE_ALL) == 0);
}

// Every atomic, with addresses that are wrong.
static void atomics_refuse(acp_ga_t dst, acp_ga_t src4, acp_ga_t src8, int number) {
  FAILS(acp_add4(dst, src4, 1, 0), ACP_HANDLE_NULL, number);
  FAILS(acp_and4(dst, src4, 1, 0), ACP_HANDLE_NULL, number);
  FAILS(acp_or4(dst, src4, 1, 0), ACP_HANDLE_NULL, number);
  FAILS(acp_xor4(dst, src4, 1, 0), ACP_HANDLE_NULL, number);
  FAILS(acp_swap4(dst, src4, 1, 0), ACP_HANDLE_NULL, number);
  FAILS(acp_cas4(dst, src4, 1, 1, 0), ACP_HANDLE_NULL, number);
  FAILS(acp_add8(dst, src8, 1, 0), ACP_HANDLE_NULL, number);
  FAILS(acp_and8(dst, src8, 1, 0), ACP_HANDLE_NULL, number);
  FAILS(acp_or8(dst, src8, 1, 0), ACP_HANDLE_NULL, number);
  FAILS(acp_xor8(dst, src8, 1, 0), ACP_HANDLE_NULL, number);
  FAILS(acp_swap8(dst, src8, 1, 0), ACP_HANDLE_NULL, number);
  FAILS(acp_cas8(dst, src8, 1, 1, 0), ACP_HANDLE_NULL, number);
}

int main(int argc, char **argv) {
  CHECK(argc == 3);
  int rank = atoi(argv[1]), procs = atoi(argv[2]);
  CHECK(ACP_ERRNO == 0);
  not_initialised();
  CHECK(acp_init(&argc, &argv) == 0);
  CHECK(ACP_ERRNO == 0);
  FAILS(acp_init(&argc, &argv), -1, EALREADY);
  CHECK(acp_rank() == rank);
  CHECK(acp_procs() == procs);
  CHECK(acp_sync() == 0);

  // Starter memory.
  acp_ga_t mine = acp_query_starter_ga(rank);
  CHECK(mine != ACP_GA_NULL && mine % 8 == 0);
  FAILS(acp_query_starter_ga(-1), ACP_GA_NULL, EINVAL);
  FAILS(acp_query_starter_ga(procs), ACP_GA_NULL, EINVAL);
  const char *starter = acp_query_address(mine);
  CHECK(starter != NULL);
  for (int i = 0; i < 10240; i++)
    CHECK(starter[i] == 0);
  CHECK(acp_query_address(mine + 10239) == starter + 10239);
  FAILS(acp_query_address(mine + 10241), NULL, EFAULT);

  // Colors and keys.
  int colors = acp_colors();
  CHECK(colors >= 1);
  FAILS(acp_register_memory(region, 8, -1), ACP_ATKEY_NULL, EINVAL);
  FAILS(acp_register_memory(region, 8, colors), ACP_ATKEY_NULL, EINVAL);
  FAILS(acp_register_memory(NULL, 8, 0), ACP_ATKEY_NULL, EINVAL);
  acp_atkey_t key = acp_register_memory(region, 100, colors - 1);
  CHECK(key != ACP_ATKEY_NULL);
  CHECK(acp_register_memory(region + 100, 100, colors - 1) == key);
  acp_ga_t ga = acp_query_ga(key, region);
  CHECK(ga != ACP_GA_NULL && (ga - (uintptr_t)region) % 64 == 0);
  CHECK(acp_query_ga(key, region + 199) == ga + 199);
  CHECK(acp_query_rank(ga) == rank);
  CHECK(acp_query_color(ga) == colors - 1);
  CHECK(acp_query_address(ga + 7) == region + 7);
  FAILS(acp_query_ga(key, outside), ACP_GA_NULL, EINVAL);
  FAILS(acp_query_ga(ACP_ATKEY_NULL, region), ACP_GA_NULL, ENOENT);
  FAILS(acp_query_ga(key + 1000, region), ACP_GA_NULL, ENOENT);
  FAILS(acp_unregister_memory(ACP_ATKEY_NULL), -1, ENOENT);
  CHECK(acp_unregister_memory(key) == 0);
  CHECK(acp_query_address(ga) == region);
  CHECK(acp_unregister_memory(key) == 0);
  FAILS(acp_unregister_memory(key), -1, ENOENT);
  FAILS(acp_query_address(ga), NULL, EFAULT);
  acp_atkey_t empty = acp_register_memory(region, 0, 0);
  CHECK(empty != ACP_ATKEY_NULL && acp_query_ga(empty, region) != ACP_GA_NULL);
  CHECK(acp_unregister_memory(empty) == 0);

  // Questions about addresses.
  acp_ga_t no_rank = mine + ((acp_ga_t)(procs - rank) << 44);
  FAILS(acp_query_rank(ACP_GA_NULL), -1, EFAULT);
  FAILS(acp_query_color(ACP_GA_NULL), -1, EFAULT);
  FAILS(acp_query_address(ACP_GA_NULL), NULL, EFAULT);
  FAILS(acp_query_rank(no_rank), -1, EFAULT);
  CHECK(acp_query_rank(mine) == rank);
  CHECK(acp_query_color(mine) == 0);
  for (int r = 0; r < procs; r++) {
    acp_ga_t theirs = acp_query_starter_ga(r);
    CHECK(acp_query_rank(theirs) == r);
    if (r != rank)
      FAILS(acp_query_address(theirs), NULL, EREMOTE);
  }

  // Copies and atomics that are refused, and handles.
  FAILS(acp_copy(ACP_GA_NULL, mine, 8, 0), ACP_HANDLE_NULL, EFAULT);
  FAILS(acp_copy(mine, ACP_GA_NULL, 8, 0), ACP_HANDLE_NULL, EFAULT);
  FAILS(acp_copy(no_rank, mine, 8, 0), ACP_HANDLE_NULL, EFAULT);
  FAILS(acp_copy(mine, no_rank, 0, 0), ACP_HANDLE_NULL, EFAULT);
  atomics_refuse(ACP_GA_NULL, mine, mine, EFAULT);
  atomics_refuse(mine, ACP_GA_NULL, ACP_GA_NULL, EFAULT);
  atomics_refuse(no_rank, mine, mine, EFAULT);
  atomics_refuse(mine, no_rank, no_rank, EFAULT);
  atomics_refuse(mine, mine + 2, mine + 4, EINVAL);
  atomics_refuse(mine + 1, mine, mine, EINVAL);
  if (procs > 1) {
    // The same after that memory is mapped. C then decides.
    acp_ga_t theirs = acp_query_starter_ga((rank + 1) % procs);
    atomics_refuse(theirs, mine, mine, EREMOTE);
    acp_complete(acp_copy(mine, theirs, 8, ACP_HANDLE_NULL));
    atomics_refuse(theirs, mine, mine, EREMOTE);
  }
  acp_handle_t h = acp_copy(mine, mine + 8, 0, ACP_HANDLE_NULL);
  CHECK(h != ACP_HANDLE_NULL && h < ACP_HANDLE_CONT);
  acp_complete(h);
  CHECK(acp_inquire(h) == 0);
  CHECK(acp_inquire(h + 1000) == 0 && acp_inquire(ACP_HANDLE_NULL) == 0);
  CHECK(acp_inquire(ACP_HANDLE_ALL) == 0 && acp_inquire(ACP_HANDLE_CONT) == 0);
  acp_complete(h + 1000);
  acp_complete(ACP_HANDLE_NULL);
  acp_handle_t h2 = acp_copy(mine, mine + 8, 8, h + 1000);
  CHECK(h2 > h);
  acp_complete(ACP_HANDLE_CONT);

  CHECK(acp_sync() == 0);
  CHECK(acp_finalize() == 0);
  not_initialised();
  return 0;
}
