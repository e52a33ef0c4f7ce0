// Makes the mistake that the first argument names, on rank 0 only, and goes on like a program
// that checks no results.
#include "check.h"

static void mistake(const char *which) {
  int n = acp_procs();
  acp_ga_t mine = acp_query_starter_ga(acp_rank());
  acp_ga_t missing = (acp_ga_t)n << 44 | 4096; // of a rank that is not there
  acp_ga_t beyond = mine + 10240 - 4;          // the starter memory ends in the middle
  acp_vector_t vector = {mine};
  acp_deque_t deque = {mine};
  acp_list_t list = {mine}, none = {0};
  acp_set_t set = {mine, 1, 1};
  acp_multiset_t multiset = {mine, 1, 1};
  acp_map_t map = {mine, 1, 1};
  acp_element_t key = {mine, 8};
  acp_request_t unknown = (acp_request_t)(uintptr_t)5;
  acp_pair_t pairs[] = {{key, key}, {{mine, 16}, key}, {{mine, 4}, {ACP_GA_NULL, 8}}};
#define MISTAKE(name, ...)                                                     \
  if (strcmp(which, name) == 0) {                                              \
    __VA_ARGS__;                                                               \
    return;                                                                    \
  }
  MISTAKE("copy-rank", acp_complete(acp_copy(mine, missing, 8, ACP_HANDLE_NULL)))
  MISTAKE("copy-null", acp_complete(acp_copy(ACP_GA_NULL, mine, 8, ACP_HANDLE_ALL)))
  MISTAKE("copy-order", acp_complete(acp_copy(mine, missing, 4294967296, 77)))
  MISTAKE("copy-later", acp_complete(acp_copy(beyond, mine, 8, ACP_HANDLE_CONT)))
  MISTAKE("cas4-later", acp_complete(acp_cas4(mine, beyond + 4, 1, 2, ACP_HANDLE_ALL)))
  MISTAKE("or8-later", acp_complete(acp_or8(mine, beyond + 4, 3, ACP_HANDLE_ALL)))
  MISTAKE("add4", acp_add4(mine, mine + 2, 1, ACP_HANDLE_NULL))
  MISTAKE("add8", acp_add8(mine + 4, mine, 1, ACP_HANDLE_NULL))
  MISTAKE("cas4", acp_cas4(mine, missing, 1, 2, ACP_HANDLE_NULL))
  MISTAKE("cas8", acp_cas8(mine, missing, 1, 2, ACP_HANDLE_NULL))
  MISTAKE("and4", acp_and4(mine, missing, 1, ACP_HANDLE_NULL))
  MISTAKE("and8", acp_and8(mine, missing, 1, ACP_HANDLE_NULL))
  MISTAKE("or4", acp_or4(mine, missing, 1, ACP_HANDLE_NULL))
  MISTAKE("or8", acp_or8(mine, missing, 1, ACP_HANDLE_NULL))
  MISTAKE("xor4", acp_xor4(mine, missing, 1, ACP_HANDLE_NULL))
  MISTAKE("xor8", acp_xor8(mine, missing, 1, ACP_HANDLE_NULL))
  MISTAKE("swap4", acp_swap4(mine, missing, 1, ACP_HANDLE_NULL))
  MISTAKE("swap8", acp_swap8(mine, missing, 1, ACP_HANDLE_NULL))
  MISTAKE("malloc", acp_malloc(100, n))
  MISTAKE("free", acp_free(mine))
  MISTAKE("register", acp_register_memory((void *)64, 8, 9))
  MISTAKE("unregister", acp_unregister_memory(7))
  MISTAKE("query-ga", acp_query_ga(7, (void *)64))
  MISTAKE("query-rank", acp_query_rank(missing))
  MISTAKE("query-color", acp_query_color(ACP_GA_NULL))
  MISTAKE("query-address", acp_query_address(missing))
  MISTAKE("starter", acp_query_starter_ga(n))
  MISTAKE("reset", acp_reset(n))
  MISTAKE("create-vector", acp_create_vector(100, n))
  MISTAKE("push-vector", acp_push_back_vector(vector, mine, 8))
  MISTAKE("erase-vector", acp_erase_vector((acp_vector_it_t){vector, -3}, 8))
  MISTAKE("create-deque", acp_create_deque(100, n))
  MISTAKE("swap-deque", acp_swap_deque(deque, deque))
  MISTAKE("dereference-deque", (acp_dereference_deque_it)((acp_deque_it_t){deque, 2}, 8))
  MISTAKE("dereference-deque-ga", goacp_deque_it_ga((acp_deque_it_t){deque, 2}))
  MISTAKE("create-list", acp_create_list(n))
  MISTAKE("push-list", acp_push_back_list(list, key, 0))
  MISTAKE("splice-list", acp_splice_list((acp_list_it_t){list, 0}, (acp_list_it_t){none, mine}))
  MISTAKE("create-set", acp_create_set(-1, NULL, 2, 0))
  MISTAKE("insert-set", acp_insert_set(set, key))
  MISTAKE("size-local-set", acp_size_local_set(set))
  MISTAKE("merge-multiset", acp_merge_multiset(multiset, multiset))
  MISTAKE("remove-all-multiset", acp_remove_all_multiset(multiset, key))
  MISTAKE("find-map", acp_find_map(map, key))
  MISTAKE("insert-map", acp_insert_map(map, (acp_pair_t){key, key}))
  MISTAKE("increment-map", acp_increment_map_it((acp_map_it_t){map, 0, 0, mine}))
  MISTAKE("insert-many-map", {
    int here = acp_rank();
    acp_insert_many_map(acp_create_map(1, &here, 100, here), pairs, 3, NULL);
  })
  MISTAKE("create-ch", acp_create_ch(0, 0))
  MISTAKE("send-ch", acp_nbsend_ch(NULL, NULL, 8))
  MISTAKE("receive-ch", acp_nbrecv_ch(NULL, NULL, 8))
  MISTAKE("free-ch", acp_free_ch(NULL))
  MISTAKE("nbfree-ch", acp_nbfree_ch(NULL))
  MISTAKE("wait-ch", acp_wait_ch(unknown))
  MISTAKE("waitall-ch", acp_waitall_ch(NULL, 3, NULL))
  MISTAKE("waitall-negative", acp_waitall_ch(NULL, -3, NULL))
  MISTAKE("waitall-unknown", acp_waitall_ch(&unknown, 1, NULL))
  MISTAKE("create-segbuf", acp_create_src_segbuf(0, NULL, 8, 2))
  MISTAKE("free-segbuf", acp_free_segbuf(NULL))
  MISTAKE("head-segbuf", acp_query_segbuf_head(NULL))
  MISTAKE("setparams", acp_setparams_ws((size_t)n, 4096))
  MISTAKE("destroy-ws", acp_destroy_ws(ACP_WSD_NULL))
  MISTAKE("write-ws", {
    acp_wsd_t wsd = acp_create_ws(100);
    acp_write_ws(wsd, mine, 8, 99);
  })
  CHECK(!"known");
}

// Receives from a rank that has freed its end.
static void wait_in_vain(void) {
  acp_ch_t ch = acp_create_ch(1, 0);
  if (acp_rank() == 0)
    acp_wait_ch(acp_nbrecv_ch(ch, &ch, 8));
  acp_free_ch(ch);
}

// If rank 0 has ended the run, acp_sync fails, and the library ends this process.
static void sync_all(void) {
  while (acp_sync() != 0)
    pause();
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  if (strcmp(argv[1], "early") == 0) {
    acp_complete(acp_copy(4096, 4096, 8, ACP_HANDLE_NULL));
    return 0;
  }
  CHECK(acp_init(&argc, &argv) == 0);
  sync_all(); // a rank that is still in acp_init would report the end of the run
  if (strcmp(argv[1], "wait-in-vain") == 0)
    wait_in_vain();
  else if (acp_rank() == 0)
    mistake(argv[1]);
  sync_all();
  return acp_finalize();
}
