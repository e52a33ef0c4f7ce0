// All ranks change one map at the same time; rank 0 is a program in Go. Each rank has keys of its own and
// records which of them are there.
#include "check.h"

enum { KEYS = 50, TURNS = 1000 };

int main(int argc, char **argv) {
  CHECK(acp_init(&argc, &argv) == 0);
  int rank = acp_rank();
  srand(check_seed());
  acp_ga_t ga = acp_query_starter_ga(rank);
  uint64_t *starter = acp_query_address(ga); // the handle, and then a key with its value
  CHECK(acp_sync() == 0);
  acp_complete(acp_copy(ga, acp_query_starter_ga(0), 24, ACP_HANDLE_NULL));
  acp_map_t map = {starter[0], starter[1], starter[2]};
  acp_element_t key = {ga + 24, 8}, value = {ga + 32, 8};
  uint64_t values[KEYS] = {0}, left = 0;
  for (int turn = 0; turn < TURNS; turn++) {
    int i = rand() % KEYS;
    starter[3] = (uint64_t)rank * KEYS + (uint64_t)i;
    if (rand() % 2) {
      starter[4] = (uint64_t)turn + 1;
      CHECK(acp_insert_map(map, (acp_pair_t){key, value}) == (values[i] == 0));
      values[i] = values[i] != 0 ? values[i] : starter[4];
    } else {
      acp_remove_map(map, key);
      values[i] = 0;
    }
    CHECK((acp_find_map(map, key).elem != ACP_GA_NULL) == (values[i] != 0));
    starter[4] = 0;
    CHECK(acp_retrieve_map(map, (acp_pair_t){key, value}) == (values[i] != 0 ? 8 : 0));
    CHECK(starter[4] == values[i]);
  }
  for (int i = 0; i < KEYS; i++)
    left += values[i] != 0;
  starter[0] = left;
  CHECK(acp_sync() == 0 && acp_sync() == 0);
  return acp_finalize();
}
