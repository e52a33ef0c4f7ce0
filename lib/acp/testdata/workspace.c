// Creates workspaces, reads and writes them as old programs do, also through the members of the
// struct, and makes every possible mistake.
#include "check.h"

_Static_assert(sizeof(acp_wsditem) == 88, "the size that programs were compiled for");
_Static_assert(offsetof(acp_wsditem, ngas) == 24, "sizes first");
_Static_assert(offsetof(acp_wsditem, ga_data) == 40, "then this process's piece");
_Static_assert(offsetof(acp_wsditem, procs) == 64, "then all pieces");
_Static_assert(offsetof(acp_wsditem, data) == 80, "and the address");

enum { PIECE = 100, SIZE = 1050, SHARE = 150 };

static unsigned char *starter;
static acp_ga_t own;

static unsigned char value(size_t i) { return (unsigned char)(i * 7 + 3); }

// Checks where the pieces are, and that they have the bytes that were written.
static void pieces(acp_wsd_t ws, int rank, int procs, int first) {
  CHECK(ws->size_ws == SIZE && ws->size_default == PIECE);
  CHECK(ws->size_remainder == SIZE % PIECE && ws->ngas == 11);
  CHECK(ws->key_data == ACP_ATKEY_NULL);
  acp_ga_t mine = ACP_GA_NULL;
  for (size_t i = 0; i < ws->ngas; i++) {
    CHECK(ws->procs[i] == (first + (int)i) % procs);
    CHECK(acp_query_rank(ws->gas[i]) == ws->procs[i]);
    CHECK(ws->sizes[i] == (i < 10 ? PIECE : SIZE % PIECE));
    CHECK(ws->keys[i] == ACP_ATKEY_NULL);
    if (ws->procs[i] == rank && mine == ACP_GA_NULL) {
      mine = ws->gas[i];
      for (int k = 0; k < ws->sizes[i]; k++)
        CHECK(((unsigned char *)ws->data)[k] == value(i * PIECE + (size_t)k));
    }
    acp_complete(acp_copy(own, ws->gas[i], (size_t)ws->sizes[i], ACP_HANDLE_NULL));
    for (int k = 0; k < ws->sizes[i]; k++)
      CHECK(starter[k] == value(i * PIECE + (size_t)k));
  }
  CHECK(ws->ga_data == mine && ws->data == acp_query_address(mine));
}

static void contents(int rank, int procs) {
  int first = procs - 1;
  CHECK(acp_setparams_ws((size_t)first, PIECE) == 0);
  acp_wsd_t ws = acp_create_ws(SIZE);
  CHECK(ws != ACP_WSD_NULL);
  for (size_t share = (size_t)rank; share * SHARE < SIZE; share += (size_t)procs) {
    for (size_t i = 0; i < SHARE; i++)
      starter[i] = value(share * SHARE + i);
    CHECK(acp_write_ws(ws, own, SHARE, share * SHARE) == 0);
  }
  CHECK(acp_sync() == 0);
  memset(starter, 0, SIZE + 1);
  CHECK(acp_read_ws(ws, own, SIZE, 0) == 0);
  for (size_t i = 0; i < SIZE; i++)
    CHECK(starter[i] == value(i));
  CHECK(starter[SIZE] == 0);
  pieces(ws, rank, procs, first);
  CHECK(acp_read_ws(ws, own, 2, 199) == 0);
  CHECK(starter[0] == value(199) && starter[1] == value(200));
  acp_destroy_ws(ws);
  FAILS(acp_read_ws(ws, own, 1, 0), 1, EINVAL);
}

// The parameters from before acp_setparams_ws.
static void defaults(int rank) {
  acp_wsd_t ws = acp_create_ws(20);
  CHECK(ws != ACP_WSD_NULL);
  CHECK(ws->size_ws == 20 && ws->size_default == 17073526 && ws->size_remainder == 20);
  CHECK(ws->ngas == 1 && ws->procs[0] == 0 && ws->sizes[0] == 20);
  CHECK((ws->data != NULL) == (rank == 0));
  CHECK((ws->ga_data != ACP_GA_NULL) == (rank == 0));
  acp_destroy_ws(ws);
  ws = acp_create_ws(0);
  CHECK(ws != ACP_WSD_NULL && ws->ngas == 0);
  CHECK(acp_read_ws(ws, own, 0, 0) == 0);
  acp_destroy_ws(ws);
}

static void mistakes(int rank, int procs) {
  FAILS(acp_setparams_ws(0, 0), 1, EINVAL);
  FAILS(acp_setparams_ws((size_t)procs, 1), 1, EINVAL);
  FAILS(acp_setparams_ws(SIZE_MAX, 1), 1, EINVAL);
  FAILS(acp_create_ws(SIZE_MAX), ACP_WSD_NULL, ENOMEM);
  FAILS(acp_create_ws((size_t)procs << 40), ACP_WSD_NULL, ENOMEM);
  if (procs > 1)
    FAILS(acp_create_ws(10 + (size_t)rank), ACP_WSD_NULL, EINVAL);
  acp_wsd_t ws = acp_create_ws(SIZE);
  FAILS(acp_read_ws(ws, own, SIZE + 1, 0), 1, EINVAL);
  FAILS(acp_write_ws(ws, own, 2, SIZE - 1), 1, EINVAL);
  FAILS(acp_write_ws(ws, own, 1, SIZE_MAX), 1, EINVAL);
  FAILS(acp_write_ws(ws, ACP_GA_NULL, 1, 0), 1, EFAULT);
  FAILS(acp_read_ws(ws, own + ((acp_ga_t)1 << 40), 1, 0), 1, EFAULT);
  CHECK(acp_read_ws(ws, ACP_GA_NULL, 0, SIZE) == 0);
  acp_destroy_ws(ws);
  acp_wsditem other;
  acp_wsd_t wrong[] = {ws, NULL, ACP_WSD_NULL, &other};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    FAILS(acp_read_ws(wrong[i], own, 1, 0), 1, EINVAL);
    FAILS(acp_write_ws(wrong[i], own, 1, 0), 1, EINVAL);
    ACP_ERRNO = 0;
    acp_destroy_ws(wrong[i]);
    CHECK(ACP_ERRNO == EINVAL);
  }
}

int main(int argc, char **argv) {
  FAILS(acp_create_ws(8), ACP_WSD_NULL, EPERM);
  FAILS(acp_setparams_ws(0, 1), 1, EPERM);
  CHECK(acp_init(&argc, &argv) == 0);
  int rank = acp_rank(), procs = acp_procs();
  own = acp_query_starter_ga(rank);
  starter = acp_query_address(own);
  defaults(rank);
  contents(rank, procs);
  acp_wsd_t ws = acp_create_ws(SIZE);
  CHECK(acp_reset((rank + 1) % procs) == 0);
  FAILS(acp_read_ws(ws, own, 1, 0), 1, EINVAL);
  rank = acp_rank();
  own = acp_query_starter_ga(rank);
  defaults(rank);
  mistakes(rank, procs);
  CHECK(acp_create_ws(SIZE) != ACP_WSD_NULL); // acp_finalize frees it
  CHECK(acp_finalize() == 0);
  return 0;
}
