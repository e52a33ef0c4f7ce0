// C allocates and frees small blocks without Go, and Go frees and allocates them. Both use the same metadata,
// and change it in the same way.
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
  acp_ga_t ga = below(2) ? goacp_try_malloc(size, rank) : goacp_malloc(size, rank);
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

// If the metadata contradicts itself, C leaves the call to Go, which reports it.
static void damage(int rank) {
  enum { OPEN = 64 / GOACP_ALIGNMENT - 1 }; // that of blocks of 64 bytes
  acp_free(acp_malloc(64, rank));
  uint32_t *list = &goacp_direct()->peers[rank].metadata->open[OPEN];
  uint32_t open = *list, wrong[] = {1u << 31, UINT32_MAX, HEAP / GOACP_SPAN_SIZE + 1, HEAP / GOACP_SPAN_SIZE};
  for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    *list = wrong[i];
    CHECK(goacp_try_malloc(64, rank) == ACP_GA_NULL);
    FAILS(acp_malloc(64, rank), ACP_GA_NULL, EIO);
  }
  *list = open;
}

// The metadata of the heap of a rank, which no other rank uses meanwhile, and copies of it.
struct copy {
  struct goacp_heap_metadata metadata;
  struct goacp_span spans[HEAP / GOACP_SPAN_SIZE];
};

// The number of bytes of the metadata that are in use.
static size_t used_of(const struct copy *c) {
  return offsetof(struct copy, spans) + c->metadata.top * sizeof c->spans[0];
}

// NULL if they are not mapped as far as they are in use.
static struct copy *metadata_of(int rank) {
  struct goacp_peer *peer = &goacp_direct()->peers[rank];
  uint64_t mapped = peer->heap_len / GOACP_SPAN_SIZE;
  return mapped > 0 && peer->metadata->top <= mapped ? (struct copy *)peer->metadata : NULL;
}

static struct copy before, by_c;

// More small blocks than one word of a map has bits, and sizes close to those of blocks.
static size_t any_size(void) {
  if (below(4) != 0)
    return below(17);
  return below(2) ? below(LONGEST) : (1 + below(8)) * ((size_t)16 << below(9)) + below(2);
}

// C allocates or frees. Then Go does the same with the metadata as it was before. Returns the block.
static acp_ga_t allocate_twice(struct copy *metadata, int rank, int *same) {
  size_t size = any_size();
  memcpy(&before, metadata, used_of(metadata));
  acp_ga_t c = goacp_try_malloc(size, rank);
  memcpy(&by_c, metadata, used_of(&before));
  if (c == ACP_GA_NULL)
    CHECK(memcmp(&by_c, &before, used_of(&before)) == 0);
  memcpy(metadata, &before, used_of(&before));
  acp_ga_t ga = goacp_malloc(size, rank);
  CHECK(ga != ACP_GA_NULL);
  if (c == ACP_GA_NULL)
    return ga;
  CHECK(c == ga && memcmp(&by_c, metadata, used_of(&before)) == 0);
  ++*same;
  return ga;
}

static void free_twice(struct copy *metadata, acp_ga_t ga, int *same) {
  acp_ga_t wrong = below(4) == 0 ? ga + below(64) - 32 : ga;
  memcpy(&before, metadata, used_of(metadata));
  int done = goacp_try_free(wrong);
  memcpy(&by_c, metadata, used_of(&before));
  if (!done)
    CHECK(memcmp(&by_c, &before, used_of(&before)) == 0);
  memcpy(metadata, &before, used_of(&before));
  ACP_ERRNO = 0;
  goacp_free(done ? wrong : ga);
  CHECK(ACP_ERRNO == 0);
  if (done)
    CHECK(memcmp(&by_c, metadata, used_of(&before)) == 0);
  if (done && wrong != ga) { // it was another block, which is missing now
    memcpy(metadata, &before, used_of(&before));
    goacp_free(ga);
    CHECK(ACP_ERRNO == 0);
  }
  *same += done;
}

// C and Go change the same metadata in the same way.
static void twins(int rank) {
  if (metadata_of(rank) == NULL)
    return;
  int same = 0;
  for (int turn = 0; turn < TURNS / 4; turn++) {
    acp_ga_t *ga = &block[below(SLOTS)].ga;
    struct copy *metadata = metadata_of(rank);
    CHECK(metadata != NULL);
    if (*ga == ACP_GA_NULL) {
      *ga = allocate_twice(metadata, rank, &same);
    } else {
      free_twice(metadata, *ga, &same);
      *ga = ACP_GA_NULL;
    }
  }
  for (int i = 0; i < SLOTS; i++) {
    if (block[i].ga != ACP_GA_NULL)
      goacp_free(block[i].ga);
    block[i].ga = ACP_GA_NULL;
  }
  CHECK(same > TURNS / 16);
}

static void give_back(int i) {
  for (size_t k = 0; block[i].addr != NULL && k < block[i].size; k++)
    CHECK(block[i].addr[k] == (unsigned char)i);
  CHECK(!goacp_try_free(block[i].ga + 8));
  ACP_ERRNO = 0;
  if (below(2) && goacp_try_free(block[i].ga))
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
  CHECK(acp_sync() == 0); // no other rank takes the block that is freed twice
  acp_ga_t ga = acp_malloc(64, rank);
  acp_free(ga);
  CHECK(!goacp_try_free(ga) && !goacp_try_free(ACP_GA_NULL) && !goacp_try_free(~(uint64_t)0));
  CHECK(!goacp_try_free(acp_query_starter_ga(rank)));
  FAILS((acp_free(ga), 0), 0, EINVAL);
  CHECK(goacp_try_malloc(64, procs) == ACP_GA_NULL && goacp_try_malloc(64, -1) == ACP_GA_NULL);
  CHECK(goacp_try_malloc(LONGEST, rank) == ACP_GA_NULL);
  if (procs == 1)
    damage(rank);
  CHECK(acp_sync() == 0);
  for (int r = 0; r < procs; r++) {
    twins((r + rank) % procs); // each rank another heap
    CHECK(acp_sync() == 0);
  }
  // Allocates all of the heap: nothing is left, and no class keeps an empty span.
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
