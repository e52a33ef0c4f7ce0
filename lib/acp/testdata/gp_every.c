// Calls every function of gp.h and checks a result of each. It is C99 and C++17 at the same time.
#include <gp.h>

#include <acp.h>

#include <stdio.h>
#include <string.h>

#define CHECK(what)                                                            \
  do {                                                                         \
    if (!(what)) {                                                             \
      fprintf(stderr, "%s:%d: rank %d: %s\n", __FILE__, __LINE__, acp_rank(),  \
              #what);                                                          \
      acp_abort("check failed");                                               \
    }                                                                          \
  } while (0)

static int me, procs;

// An array of one place for each rank, whose element has 10 bytes and 1 more for each rank before.
static int make(void) {
  int dims[2], chunk[2] = {1, 0};
  int g_p = GP_Create_handle();
  CHECK(g_p > 0 && GP_Get_dimension(g_p) == -1);
  dims[0] = procs;
  dims[1] = 1;
  GP_Set_dimensions(g_p, 2, dims);
  GP_Set_chunk(g_p, chunk);
  CHECK(GP_Get_dimension(g_p) == 2);
  CHECK(GP_Allocate(g_p) == 1);
  return g_p;
}

static void elements(int g_p) {
  int lo[2], hi[2], size, own[2];
  char *mem, *seen;
  GP_Distribution(g_p, me, lo, hi);
  CHECK(lo[0] == me && hi[0] == me && lo[1] == 0 && hi[1] == 0);
  own[0] = me;
  own[1] = 0;
  mem = (char *)GP_Malloc((size_t)(10 + me));
  CHECK(mem != NULL);
  memset(mem, 'a' + me, (size_t)(10 + me));
  GP_Assign_local_element(g_p, own, mem, 10 + me);
  GP_Access_element(g_p, own, &seen, &size);
  CHECK(seen == mem && size == 10 + me);
  GP_Release_element(g_p, own);
  GP_Release_update_element(g_p, own);
}

static void sections(int g_p) {
  int lo[2], hi[2], ld[1] = {1}, size, got[1];
  char buf[64], *ptr[1];
  int next = (me + 1) % procs;
  lo[0] = hi[0] = next;
  lo[1] = hi[1] = 0;
  GP_Get_size(g_p, lo, hi, &size);
  CHECK(size == 10 + next);
  GP_Get(g_p, lo, hi, buf, (void **)ptr, ld, got, ld, &size, 0);
  CHECK(size == 10 + next && got[0] == size && ptr[0] == buf && buf[size - 1] == 'a' + next);
  memset(buf, 'A' + next, sizeof buf);
  GP_Put(g_p, lo, hi, (void **)ptr, ld, got, ld, &size, 1);
  CHECK(size == 10 + next);
  GP_Sync();
}

static void lists(int g_p) {
  int places[4], size, got[2];
  char buf[64];
  void *ptr[2];
  int before = (me + procs - 1) % procs;
  places[0] = places[2] = before;
  places[1] = places[3] = 0;
  GP_Gather_size(g_p, 2, places, &size);
  CHECK(size == 2 * (10 + before));
  GP_Gather(g_p, 2, places, buf, ptr, got, &size, 0);
  CHECK(size == 2 * (10 + before) && got[1] == 10 + before && buf[0] == 'A' + before);
  CHECK(ptr[1] == buf + 10 + before && buf[size - 1] == 'A' + before);
  GP_Sync();
  GP_Scatter(g_p, 1, places, ptr, got, &size, 0);
  CHECK(size == 10 + before);
  GP_Sync();
}

static void end(int g_p) {
  int own[2], size;
  char *mem;
  own[0] = me;
  own[1] = 0;
  GP_Memzero(g_p);
  GP_Access_element(g_p, own, &mem, &size);
  CHECK(mem[0] == 0 && mem[size - 1] == 0);
  GP_Debug(g_p);
  GP_Sync();
  CHECK(GP_Free_local_element(g_p, own) == mem && GP_Free_local_element(g_p, own) == NULL);
  GP_Free(mem);
  CHECK(GP_Destroy(g_p) == 1);
}

static void irregular(void) {
  int dims[1], nblock[1] = {1}, mapc[1] = {0}, lo, hi;
  int g_p = GP_Create_handle();
  dims[0] = 5;
  GP_Set_dimensions(g_p, 1, dims);
  GP_Set_irreg_distr(g_p, mapc, nblock);
  CHECK(GP_Allocate(g_p) == 1);
  GP_Distribution(g_p, me, &lo, &hi);
  CHECK(me == 0 ? lo == 0 && hi == 4 : lo == -1 && hi == -2);
}

int main(void) {
  int g_p;
  GP_Initialize();
  GP_Initialize();
  me = acp_rank();
  procs = acp_procs();
  g_p = make();
  elements(g_p);
  GP_Sync();
  sections(g_p);
  lists(g_p);
  end(g_p);
  irregular();
  GP_Terminate();
  return 0;
}
