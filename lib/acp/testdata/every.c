// Calls every function of acp.h, between two ranks, and checks a result of each: memory, channels, processes and values
// here, the data structures in every_structures.c and every_many.c.

#include "every.h"

int me, peer;
acp_ga_t scratch;
unsigned char *here;

acp_element_t bytes(size_t at, const char *text) {
  acp_element_t e;
  memcpy(here + at, text, strlen(text));
  e.ga = scratch + at;
  e.size = strlen(text);
  return e;
}

static void memory(void) {
  static uint64_t words[8];
  acp_atkey_t key = acp_register_memory(words, sizeof words, acp_colors() - 1);
  CHECK(key != ACP_ATKEY_NULL);
  acp_ga_t ga = acp_query_ga(key, words);
  CHECK(acp_query_rank(ga) == me && acp_query_color(ga) == 0);
  CHECK(acp_query_address(ga) == (void *)words);
  acp_ga_t result = ga + 8;
#define STEP(call) acp_complete(call)
  STEP(acp_add4(result, ga, 5, ACP_HANDLE_NULL));
  STEP(acp_or4(result, ga, 2, ACP_HANDLE_NULL));
  STEP(acp_and4(result, ga, 6, ACP_HANDLE_NULL));
  STEP(acp_xor4(result, ga, 1, ACP_HANDLE_NULL));
  STEP(acp_cas4(result, ga, 7, 9, ACP_HANDLE_NULL));
  STEP(acp_swap4(result, ga, 0, ACP_HANDLE_NULL));
  CHECK((uint32_t)words[1] == 9 && (uint32_t)words[0] == 0);
  STEP(acp_add8(result, ga, 5, ACP_HANDLE_NULL));
  STEP(acp_or8(result, ga, 2, ACP_HANDLE_NULL));
  STEP(acp_and8(result, ga, 6, ACP_HANDLE_NULL));
  STEP(acp_xor8(result, ga, 1, ACP_HANDLE_NULL));
  STEP(acp_cas8(result, ga, 7, 9, ACP_HANDLE_NULL));
  STEP(acp_swap8(result, ga, 3, ACP_HANDLE_ALL));
  CHECK(words[1] == 9 && words[0] == 3);
  acp_handle_t copied = acp_copy(ga + 16, ga, 8, ACP_HANDLE_CONT);
  acp_complete(copied);
  CHECK(acp_inquire(copied) == 0 && words[2] == 3);
  CHECK(acp_unregister_memory(key) == 0);
}

static void channels(void) {
  acp_ch_t ch = acp_create_ch(0, 1), second = acp_create_ch(1, 0);
  acp_request_t requests[2];
  size_t sizes[2];
  char text[8] = "";
  requests[0] = me == 0 ? acp_nbsend_ch(ch, (void *)"hello", 6) : acp_nbrecv_ch(ch, text, sizeof text);
  CHECK(requests[0] != ACP_REQUEST_NULL && ch != ACP_CH_NULL);
  CHECK(acp_waitall_ch(requests, 1, sizes) == 0 && sizes[0] == (me == 0 ? 0u : 6u));
  CHECK(me == 0 || strcmp(text, "hello") == 0);
  requests[1] = acp_nbfree_ch(second);
  CHECK(acp_wait_ch(requests[1]) == 0);
  CHECK(acp_free_ch(ch) == 0);
}

static void segments(void) {
  static unsigned char ring[4][16];
  acp_segbuf_t s = me == 0 ? acp_create_src_segbuf(1, ring, sizeof ring[0], 4)
                           : acp_create_dst_segbuf(0, ring, sizeof ring[0], 4);
  CHECK(s != ACP_SEGBUF_NULL);
  CHECK(acp_connect_segbuf(s) == 0 && acp_isconnected_segbuf(s) == 0);
  for (unsigned char i = 0; i < 10; i++) {
    if (me == 0) {
      while (acp_isready_segbuf(s) != 0)
        ;
      memset(ring[acp_query_segbuf_tail(s)], i, sizeof ring[0]);
      CHECK(acp_ack_segbuf(s) == 0);
      CHECK(acp_query_segbuf_sent(s) >= 0);
    } else {
      while (acp_isacked_segbuf(s) != 0)
        ;
      CHECK(ring[acp_query_segbuf_head(s)][15] == i);
      CHECK(acp_ready_segbuf(s) == 0);
    }
  }
  acp_sync();
  CHECK(acp_disconnect_segbuf(s) == 0);
  CHECK(acp_free_segbuf(s) == 0);
}

static void workspaces(void) {
  CHECK(acp_setparams_ws(1, 100) == 0);
  acp_wsd_t ws = acp_create_ws(250);
  CHECK(ws != ACP_WSD_NULL && ws->size_ws == 250);
  acp_element_t e = bytes(0, me == 0 ? "left" : "rite");
  CHECK(acp_write_ws(ws, e.ga, 4, me == 0 ? 98 : 198) == 0);
  acp_sync();
  CHECK(acp_read_ws(ws, e.ga, 4, me == 0 ? 198 : 98) == 0);
  CHECK(memcmp(here, me == 0 ? "rite" : "left", 4) == 0);
  acp_destroy_ws(ws);
}

static void members(void) {
  CHECK(acp_seats() >= 2);
  CHECK(acp_state(peer) == ACP_STATE_PRESENT && acp_cohort(peer) == 0);
  CHECK(acp_state(acp_seats()) == -1 && acp_cohort(acp_seats()) == -1);
  CHECK(acp_await_change(-1, -1) == acp_await_change(1 << 20, 0.001));
}

// The ranks of this run are fixed.
static void epochs(void) {
  int ranks[3] = {-1, -1, -1};
  CHECK(acp_epoch() == 0 && acp_epoch_ranks(ranks, 3) == 2 && ranks[0] == 0 && ranks[1] == 1 && ranks[2] == -1);
  CHECK(acp_epoch_ranks(NULL, 0) == 2 && acp_epoch_ranks(NULL, 1) == -1);
  CHECK(acp_asked(peer) == 0 && acp_ask_leave(peer) == -1 && ACP_ERRNO == ENOTSUP);
  CHECK(acp_ask_join(1) == -1 && ACP_ERRNO == ENOTSUP);
  CHECK(acp_adopt(0) == -1 && ACP_ERRNO == ENOTSUP);
  CHECK(acp_adopt(1) == 1 && acp_adopt(1) == 2 && acp_epoch() == 2);
}

static void jobs(void) {
  CHECK(acp_jobs() == 1 && acp_job(peer) == 0 && acp_job_procs(0) == 2);
  CHECK(acp_job_find(acp_job_name(0)) == 0 && acp_job_find("absent") == -1);
  CHECK(acp_job_rank(0, 0) == 1 && acp_job_rank(0, 1) == 0);
}

static void groups(void) {
  int both[] = {peer, me};
  char text[6] = "";
  if (me == 0)
    memcpy(text, "hello", 6);
  CHECK(acp_sync_ranks(both, 2) == 0 && acp_sync_job(0) == 0);
  CHECK(acp_broadcast(text, sizeof text, 0, both, 2) == 0 && strcmp(text, "hello") == 0);
}

static void values(void) {
  int64_t version = -1;
  char text[6] = "";
  if (me == 0)
    CHECK(acp_put_value("greeting", "hello", 6) == 1);
  CHECK(acp_wait_value("greeting", 1, text, sizeof text, &version) == 6 && version == 1);
  CHECK(acp_get_value("greeting", text, 3, NULL) == 6 && strcmp(text, "hello") == 0);
}

static void stats(void) {
  int64_t before = 0, after = 0;
  acp_ga_t own = acp_query_starter_ga(me), other = acp_query_starter_ga(1 - me);
  int64_t n = acp_stats(1 - me, ACP_STATS_PUT, ACP_STATS_ALL, &before);
  CHECK(n >= 0);
  acp_complete(acp_copy(other + 64, own + 64, 24, ACP_HANDLE_NULL));
  CHECK(acp_stats(1 - me, ACP_STATS_PUT, ACP_STATS_ALL, &after) == n + 1 && after == before + 24);
  CHECK(acp_stats(-1, ACP_STATS_ALL, ACP_STATS_ALL, NULL) > n);
}

static void errors(void) {
  CHECK(acp_set_timeout(0) == -1 && acp_error_number() == ACP_ERRNO && acp_error_message()[0] != 0);
  CHECK(acp_set_timeout(60) == 0 && acp_set_timeout(-1) == 0);
  char version[40];
  snprintf(version, sizeof version, "%d.%d.%d", ACP_VERSION_MAJOR, ACP_VERSION_MINOR, ACP_VERSION_PATCH);
  CHECK(strcmp(acp_version(), version) == 0);
  CHECK(strcmp(acp_library(), "libacp") == 0 && acp_mpi_name()[0] == 0);
}

int main(int argc, char **argv) {
  CHECK(acp_init(&argc, &argv) == 0);
  CHECK(acp_procs() == 2);
  CHECK(acp_reset(1 - acp_rank()) == 0);
  me = acp_rank();
  peer = 1 - me;
  CHECK(acp_query_starter_ga(peer) != ACP_GA_NULL);
  scratch = acp_malloc(1024, me);
  here = (unsigned char *)acp_query_address(scratch);
  CHECK(here != NULL);
  memory();
  channels();
  segments();
  check_structures();
  check_many();
  workspaces();
  members();
  epochs();
  jobs();
  groups();
  values();
  stats();
  errors();
  acp_free(scratch);
  CHECK(acp_finalize() == 0);
  return 0;
}
