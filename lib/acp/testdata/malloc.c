// Allocates and frees on all ranks from all ranks, with a pattern in every block, and makes every
// possible mistake.
#include "check.h"

enum { BLOCKS = 50, LONGEST = 3000 };

static unsigned char *scratch;
static acp_ga_t scratch_ga;

static size_t length(int rank, int i) { return (size_t)(rank * 131 + i * 977) % LONGEST; }

static void move(acp_ga_t dst, acp_ga_t src, size_t n) {
  acp_handle_t h = acp_copy(dst, src, n, ACP_HANDLE_NULL);
  CHECK(h != ACP_HANDLE_NULL);
  acp_complete(h);
}

static void blocks(int rank, int procs) {
  acp_ga_t block[BLOCKS];
  for (int i = 0; i < BLOCKS; i++) {
    block[i] = acp_malloc(length(rank, i), i % procs);
    CHECK(block[i] != ACP_GA_NULL);
    CHECK(block[i] % 16 == 0);
    CHECK(acp_query_rank(block[i]) == i % procs);
    CHECK(acp_query_color(block[i]) == 0);
    CHECK((acp_query_address(block[i]) != NULL) == (i % procs == rank));
    memset(scratch, rank * 31 + i, length(rank, i));
    move(block[i], scratch_ga, length(rank, i));
  }
  CHECK(acp_sync() == 0);
  for (int i = 0; i < BLOCKS; i++) {
    move(scratch_ga, block[i], length(rank, i));
    for (size_t k = 0; k < length(rank, i); k++)
      CHECK(scratch[k] == (unsigned char)(rank * 31 + i));
    ACP_ERRNO = 0;
    acp_free(block[i]);
    CHECK(ACP_ERRNO == 0);
    acp_free(block[i]);
    CHECK(ACP_ERRNO == EINVAL);
  }
}

static void mistakes(int rank, int procs) {
  FAILS(acp_malloc(8, -1), ACP_GA_NULL, EINVAL);
  FAILS(acp_malloc(8, procs), ACP_GA_NULL, EINVAL);
  FAILS(acp_malloc(SIZE_MAX, rank), ACP_GA_NULL, ENOMEM);
  FAILS(acp_malloc((size_t)2 << 30, (rank + 1) % procs), ACP_GA_NULL, ENOMEM);
  ACP_ERRNO = 0;
  acp_free(ACP_GA_NULL);
  CHECK(ACP_ERRNO == EFAULT);
  ACP_ERRNO = 0;
  acp_free(acp_query_starter_ga(rank));
  CHECK(ACP_ERRNO == EINVAL);
  acp_ga_t least = acp_malloc(0, rank);
  CHECK(least != ACP_GA_NULL);
  acp_free(least + 1);
  acp_free(least);
}

int main(int argc, char **argv) {
  FAILS(acp_malloc(8, 0), ACP_GA_NULL, EPERM);
  CHECK(acp_init(&argc, &argv) == 0);
  int rank = acp_rank(), procs = acp_procs();
  scratch_ga = acp_malloc(LONGEST, rank);
  scratch = acp_query_address(scratch_ga);
  CHECK(scratch != NULL);
  blocks(rank, procs);
  mistakes(rank, procs);
  acp_free(scratch_ga);
  CHECK(acp_reset((rank + 1) % procs) == 0);
  ACP_ERRNO = 0;
  acp_free(scratch_ga);
  CHECK(ACP_ERRNO == EINVAL);
  CHECK(acp_finalize() == 0);
  return 0;
}
