// Makes the mistake that the first argument names, on rank 0 only, and goes on as programs
// do that do not check what they call.
#include "check.h"

static void mistake(const char *which) {
  acp_ga_t mine = acp_query_starter_ga(acp_rank());
  acp_ga_t nobody = (acp_ga_t)acp_procs() << 44 | 4096;
  int n = acp_procs();
  if (strcmp(which, "copy-rank") == 0)
    acp_complete(acp_copy(mine, nobody, 8, ACP_HANDLE_NULL));
  else if (strcmp(which, "copy-null") == 0)
    acp_complete(acp_copy(ACP_GA_NULL, mine, 8, ACP_HANDLE_NULL));
  else if (strcmp(which, "add8") == 0)
    acp_complete(acp_add8(mine + 4, mine, 1, ACP_HANDLE_NULL));
  else if (strcmp(which, "malloc") == 0)
    acp_malloc(100, n);
  else if (strcmp(which, "free") == 0)
    acp_free(mine);
  else if (strcmp(which, "unregister") == 0)
    acp_unregister_memory(7);
  else if (strcmp(which, "channel") == 0)
    acp_create_ch(0, 0);
  else if (strcmp(which, "vector") == 0)
    acp_create_vector(100, n);
  else if (strcmp(which, "push") == 0)
    acp_push_back_vector((acp_vector_t){mine}, mine, 8);
  else if (strcmp(which, "list") == 0)
    acp_create_list(n);
  else if (strcmp(which, "destroy") == 0)
    acp_destroy_ws(ACP_WSD_NULL);
  else if (strcmp(which, "starter") == 0)
    acp_query_starter_ga(n);
  else
    CHECK(!"known");
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  if (strcmp(argv[1], "early") == 0) {
    acp_complete(acp_copy(4096, 4096, 8, ACP_HANDLE_NULL));
    return 0;
  }
  CHECK(acp_init(&argc, &argv) == 0);
  if (acp_rank() == 0)
    mistake(argv[1]);
  acp_sync();
  return acp_finalize();
}
