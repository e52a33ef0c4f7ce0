// C finds registered memory of the process in the table that Go keeps, at all edges of regions that
// are registered and unregistered in random order.
#include "check.h"
#include "direct.h"

enum { REGIONS = 40, SIZE = 1000, DISTANCE = 5000 };

static char memory[REGIONS * DISTANCE];
static acp_atkey_t keys[REGIONS];
static acp_ga_t gas[REGIONS];

static char *region(int i) { return memory + i * DISTANCE; }

// Whether the n bytes at ga are found, at the given place.
static int leads(acp_ga_t ga, size_t n, void *where) {
  return goacp_own(goacp_direct(), ga, n) == where;
}

static void expect(int i, int there) {
  char *p = region(i);
  CHECK(leads(gas[i], SIZE, there ? p : NULL));
  CHECK(leads(gas[i], 0, there ? p : NULL));
  CHECK(leads(gas[i] + SIZE, 0, there ? p + SIZE : NULL));
  CHECK(leads(gas[i] + 17, SIZE - 17, there ? p + 17 : NULL));
  CHECK(leads(gas[i], SIZE + 1, NULL));
  CHECK(leads(gas[i] + SIZE, 1, NULL));
  CHECK(leads(gas[i] - 1, 1, NULL));
  CHECK(leads(gas[i], (size_t)-1, NULL));
}

int main(int argc, char **argv) {
  CHECK(acp_init(&argc, &argv) == 0);
  acp_ga_t none = acp_query_starter_ga(acp_rank());
  CHECK(leads(none, 8, NULL)); // goacp_at finds those addresses
  CHECK(leads(none - GOACP_STARTER_OFFSET + GOACP_USER_BASE, 8, NULL));
  for (int k = 0; k < REGIONS; k++) {
    int i = k * 7 % REGIONS;
    keys[i] = acp_register_memory(region(i), SIZE, 0);
    gas[i] = acp_query_ga(keys[i], region(i));
    CHECK(gas[i] != ACP_GA_NULL);
  }
  for (int i = 0; i < REGIONS; i++)
    expect(i, 1);
  for (int k = 0; k < REGIONS; k += 2) {
    int i = k * 11 % REGIONS;
    CHECK(acp_unregister_memory(keys[i]) == 0);
    keys[i] = ACP_ATKEY_NULL;
  }
  for (int i = 0; i < REGIONS; i++)
    expect(i, keys[i] != ACP_ATKEY_NULL);
  if (acp_procs() > 1) // the same position of another rank
    CHECK(leads(gas[1] ^ (acp_ga_t)1 << GOACP_POSITION_BITS, 8, NULL));

  CHECK(acp_reset(acp_procs() - 1 - acp_rank()) == 0);
  for (int i = 0; i < REGIONS; i++)
    CHECK(leads(gas[i], 8, NULL));
  struct goacp_direct *table = goacp_direct();
  CHECK(acp_finalize() == 0);
  CHECK(goacp_own(table, gas[1], 8) == NULL);
  return 0;
}
