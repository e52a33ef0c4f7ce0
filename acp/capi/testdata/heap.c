// Small blocks that C allocates and frees without Go, and that Go frees and allocates:
// both keep the same books.
#include "check.h"
#include "direct.h"
#include "heap.h"

acp_ga_t goacp_malloc(size_t, int);
void goacp_free(acp_ga_t);

enum { SLOTS = 400, TURNS = 40000, LONGEST = 33000, HEAP = 64 << 20 };

static uint64_t state;

static unsigned below(unsigned n) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(state >> 33) % n;
}

static struct {
  acp_ga_t ga;
  unsigned char *addr;
  size_t size;
} block[SLOTS];

static int here; // how often C has done it

static void allocate(int i, int rank) {
  size_t size = below(4) == 0 ? below(LONGEST) : below(300);
  acp_ga_t ga = below(2) ? goacp_malloc_here(size, rank) : goacp_malloc(size, rank);
  if (ga == ACP_GA_NULL) // a span of that class is full, or there is none
    ga = goacp_malloc(size, rank);
  else
    here++;
  CHECK(ga != ACP_GA_NULL && ga % 16 == 0 && acp_query_rank(ga) == rank);
  block[i].ga = ga;
  block[i].size = size;
  block[i].addr = acp_query_address(ga);
  if (block[i].addr != NULL)
    memset(block[i].addr, i, size);
}

// Books that contradict themselves are left to Go, which reports it.
static void damage(int rank) {
  enum { OPEN = 18 + 3 }; // the word that leads to the blocks of 64 bytes
  acp_free(acp_malloc(64, rank));
  const struct goacp_peer *peer = &goacp_direct()->peers[rank];
  uint32_t *books = (uint32_t *)peer->books;
  uint32_t open = books[OPEN], wrong[] = {1u << 31, UINT32_MAX, HEAP / 65536 + 1, HEAP / 65536};
  for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    books[OPEN] = wrong[i];
    CHECK(goacp_malloc_here(64, rank) == ACP_GA_NULL);
    FAILS(acp_malloc(64, rank), ACP_GA_NULL, EIO);
  }
  books[OPEN] = open;
}

static void give_back(int i) {
  for (size_t k = 0; block[i].addr != NULL && k < block[i].size; k++)
    CHECK(block[i].addr[k] == (unsigned char)i);
  CHECK(!goacp_free_here(block[i].ga + 8));
  ACP_ERRNO = 0;
  if (below(2) && goacp_free_here(block[i].ga))
    here++;
  else
    goacp_free(block[i].ga);
  CHECK(ACP_ERRNO == 0);
  block[i].ga = ACP_GA_NULL;
}

int main(int argc, char **argv) {
  CHECK(acp_init(&argc, &argv) == 0);
  int rank = acp_rank(), procs = acp_procs();
  state = (uint64_t)rank + 1;
  for (int turn = 0; turn < TURNS; turn++) {
    int i = (int)below(SLOTS);
    if (block[i].ga == ACP_GA_NULL)
      allocate(i, (int)below((unsigned)procs));
    else
      give_back(i);
  }
  CHECK(here > TURNS / (8 * procs));
  for (int i = 0; i < SLOTS; i++)
    if (block[i].ga != ACP_GA_NULL)
      give_back(i);
  acp_ga_t ga = acp_malloc(64, rank);
  acp_free(ga);
  CHECK(!goacp_free_here(ga) && !goacp_free_here(ACP_GA_NULL) && !goacp_free_here(~(uint64_t)0));
  CHECK(!goacp_free_here(acp_query_starter_ga(rank)));
  FAILS((acp_free(ga), 0), 0, EINVAL);
  CHECK(goacp_malloc_here(64, procs) == ACP_GA_NULL && goacp_malloc_here(64, -1) == ACP_GA_NULL);
  CHECK(goacp_malloc_here(LONGEST, rank) == ACP_GA_NULL);
  if (procs == 1)
    damage(rank);
  CHECK(acp_sync() == 0);
  // All that there is: nothing is left, and no span keeps waiting for blocks.
  if (rank == 0) {
    for (int r = 0; r < procs; r++) {
      acp_ga_t all = acp_malloc(HEAP, r);
      CHECK(all != ACP_GA_NULL);
      acp_free(all);
    }
  }
  CHECK(acp_sync() == 0);
  return acp_finalize();
}
