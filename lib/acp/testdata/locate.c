// Locates addresses in tables that locate_test.go describes, and prints one address per line, 0 if
// there is none.
#include "check.h"
#include "direct.h"

enum { MOST = 8 };

static struct goacp_peer peers[MOST];
static struct goacp_direct table = {.peers = peers};

// The table of registered memory in a file.
static struct goacp_regions *read_regions(const char *path) {
  static uint64_t regions[1 << 16];
  FILE *f = fopen(path, "r");
  CHECK(f != NULL && fread(regions, 1, sizeof regions, f) > sizeof(struct goacp_regions));
  fclose(f);
  return (struct goacp_regions *)regions;
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  table.regions = read_regions(argv[1]);
  CHECK(scanf("%" SCNu64 " %" SCNu64, &table.procs, &table.rank) == 2 && table.procs <= MOST);
  for (uint64_t r = 0; r < table.procs; r++) {
    uint64_t base;
    CHECK(scanf("%" SCNu64 " %" SCNu64 " %" SCNu64, &base, &peers[r].starter, &peers[r].heap_len) == 3);
    peers[r].base = (char *)base;
    CHECK(scanf("%" SCNu32 " %" SCNu32 " %" SCNu64 " %" SCNu64, &peers[r].mapped_leaves, &peers[r].pages, &peers[r].pool_at, &base) == 4);
    peers[r].pool = (char *)base;
    peers[r].regions = table.regions;
  }
  for (uint64_t ga, n; scanf("%" SCNu64 " %" SCNu64, &ga, &n) == 2;) {
    void *p = goacp_at(&table, ga, n);
    if (p == NULL)
      p = goacp_pooled(&table, ga, n);
    printf("%" PRIuPTR "\n", (uintptr_t)(p != NULL ? p : goacp_own(&table, ga, n)));
  }
  return 0;
}
