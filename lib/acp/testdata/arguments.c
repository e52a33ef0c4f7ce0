// Prints the arguments that acp_init leaves and the number of bytes of starter memory. Without a
// launcher it does so twice.
#include "check.h"

int main(int argc, char **argv) {
  char **before = argv;
  int had = argc;
  if (acp_init(&argc, &argv) != 0)
    return 3;
  CHECK(argv == before && argc <= had && argv[argc] == NULL);
  for (int i = 1; i < argc; i++)
    printf("[%s]", argv[i]);
  acp_ga_t ga = acp_query_starter_ga(acp_rank());
  size_t size = 1;
  while (acp_query_address(ga + size) != NULL)
    size++;
  printf(" %zu\n", size - 1);
  CHECK(acp_finalize() == 0);
  if (acp_init(NULL, NULL) != 0)
    return 3;
  CHECK(acp_rank() == 0 && acp_procs() == 1);
  acp_ga_t again = acp_query_starter_ga(0);
  CHECK(acp_copy(again, again + 8, 8, ACP_HANDLE_NULL) != ACP_HANDLE_NULL);
  CHECK(acp_finalize() == 0);
  argc = 0;
  CHECK(acp_init(&argc, NULL) == 0);
  return acp_finalize();
}
