/* Several jobs, each with global arrays of its own, read each other's by ACP. Each process tells all ranks
   of the run the global address of its first element, and reads those of all others. */
#include <acp.h>
#include <armcix.h>

#include "program.h"

enum { N = 1000 };

/* The description of the block of a process, in its starter memory. */
struct block {
  acp_ga_t first;
  int value, own; /* own: whether it has a block */
};

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int dim = N, lo, hi, *mine;
  int g = NGA_Create(C_INT, 1, &dim, "of a job", NULL);
  check(g != 0, "no array");
  check(ARMCIX_Acp_rank(self) == acp_rank(), "rank %d, expected %d", ARMCIX_Acp_rank(self), acp_rank());

  struct block *starter = acp_query_address(acp_query_starter_ga(acp_rank()));
  NGA_Distribution(g, self, &lo, &hi);
  starter->own = lo >= 0 && lo <= hi;
  if (starter->own) {
    NGA_Access(g, &lo, &hi, &mine, NULL);
    *mine = starter->value = acp_rank() * N + lo;
    starter->first = ARMCIX_Acp_ga(mine, self);
    check(starter->first != ACP_GA_NULL, "no global address");
    NGA_Release_update(g, &lo, &hi);
  }
  acp_sync();

  acp_ga_t here = acp_query_starter_ga(acp_rank()) + sizeof *starter;
  struct block *theirs = starter + 1;
  int *element = (int *)(starter + 2);
  for (int rank = 0; rank < acp_procs(); rank++) {
    acp_complete(acp_copy(here, acp_query_starter_ga(rank), sizeof *theirs, ACP_HANDLE_NULL));
    if (!theirs->own)
      continue;
    acp_complete(acp_copy(here + sizeof *theirs, theirs->first, sizeof *element, ACP_HANDLE_NULL));
    check(*element == theirs->value, "element of rank %d: %d, expected %d", rank, *element, theirs->value);
  }
  acp_sync();
  GA_Destroy(g);
  return end();
}
