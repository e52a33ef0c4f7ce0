// Makes the mistake that its argument names, on the last rank. All other ranks wait for it.
#include "check.h"

#include <gp.h>

static int me, procs, g_p, dims[2] = {6, 4}, one[1] = {1}, size, got[24], zero[2];
static void *ptr[24], *mem;
static char buf[4096];

static int is(const char *a, const char *b) { return strcmp(a, b) == 0; }

static void handles(const char *how) {
  if (is(how, "zero"))
    GP_Get_dimension(0);
  if (is(how, "negative handle"))
    GP_Allocate(-7);
  if (is(how, "no handle"))
    GP_Memzero(12345);
  if (is(how, "destroyed"))
    GP_Get_size(g_p + 1, zero, zero, &size);
}

static void shapes(const char *how) {
  int g = g_p + 1, none[2] = {3, 0}, nblock[1] = {4}, three[1] = {3}, n = 3;
  if (is(how, "ndim"))
    GP_Set_dimensions(g, 8, dims);
  if (is(how, "dims"))
    GP_Set_dimensions(g, 2, none);
  if (is(how, "null dims"))
    GP_Set_dimensions(g, 2, NULL);
  if (is(how, "chunk first"))
    GP_Set_chunk(g, dims);
  if (is(how, "nothing set"))
    GP_Allocate(g);
  if (is(how, "late"))
    GP_Set_chunk(g_p, dims);
  if (is(how, "not allocated"))
    GP_Distribution(g, 0, got, got);
  if (is(how, "many blocks")) {
    GP_Set_dimensions(g, 1, &n);
    GP_Set_irreg_distr(g, three, nblock);
  }
}

static void elements(const char *how) {
  int lo[2], hi[2], other[2] = {0, 0};
  GP_Distribution(g_p, me, lo, hi);
  if (is(how, "proc"))
    GP_Distribution(g_p, procs, lo, hi);
  if (is(how, "not mine"))
    GP_Assign_local_element(g_p, other, mem, 8);
  if (is(how, "outside"))
    GP_Access_element(g_p, dims, &mem, &size);
  if (is(how, "too many"))
    GP_Assign_local_element(g_p, lo, mem, 81);
  if (is(how, "none"))
    GP_Assign_local_element(g_p, lo, mem, 0);
  if (is(how, "inside"))
    GP_Assign_local_element(g_p, lo, (char *)mem + 16, 8);
  if (is(how, "stack"))
    GP_Free(buf);
  if (is(how, "assigned"))
    GP_Free(mem);
  if (is(how, "freed")) {
    GP_Free(GP_Free_local_element(g_p, lo));
    GP_Free(mem);
  }
  if (is(how, "freed before")) {
    GP_Free(GP_Free_local_element(g_p, lo));
    GP_Assign_local_element(g_p, lo, mem, 80);
  }
  if (is(how, "null element"))
    GP_Assign_local_element(g_p, lo, NULL, 8);
  if (is(how, "null pointer"))
    GP_Access_element(g_p, lo, NULL, &size);
  if (is(how, "null subscript"))
    GP_Release_element(g_p, NULL);
}

static void moves(const char *how) {
  int all[2] = {5, 3}, beyond[2] = {6, 3}, narrow[1] = {3}, lo[2], hi[2];
  GP_Distribution(g_p, me, lo, hi);
  for (int i = 0; i < 24; i++) {
    ptr[i] = buf;
    got[i] = 0;
  }
  int ld[1] = {4};
  got[0] = 96;
  if (is(how, "put too many"))
    GP_Put(g_p, lo, lo, ptr, ld, got, ld, &size, 0);
  if (is(how, "put not equal")) {
    got[0] = 79;
    GP_Put(g_p, lo, lo, ptr, ld, got, ld, &size, 1);
  }
  if (is(how, "get too many"))
    GP_Get(g_p, lo, lo, NULL, ptr, ld, got, ld, &size, 1);
  if (is(how, "put unassigned"))
    GP_Scatter(g_p, 1, hi, ptr, got, &size, 0);
  if (is(how, "section"))
    GP_Get_size(g_p, zero, beyond, &size);
  if (is(how, "place"))
    GP_Gather_size(g_p, 1, beyond, &size);
  if (is(how, "nv"))
    GP_Gather_size(g_p, -1, zero, &size);
  if (is(how, "ld"))
    GP_Get(g_p, zero, all, buf, ptr, narrow, got, ld, &size, 0);
  if (is(how, "ld_size"))
    GP_Put(g_p, zero, all, ptr, ld, got, narrow, &size, 0);
  if (is(how, "null lo"))
    GP_Get_size(g_p, NULL, all, &size);
  if (is(how, "sum")) {
    enum { LARGE = 40 << 20, TIMES = 60 };
    static int places[TIMES][2];
    for (int i = 0; i < TIMES; i++)
      memcpy(places[i], hi, sizeof hi);
    GP_Assign_local_element(g_p, hi, GP_Malloc(LARGE), LARGE);
    GP_Gather_size(g_p, TIMES, &places[0][0], &size);
  }
  if (is(how, "null ld_size"))
    GP_Get(g_p, zero, all, buf, ptr, ld, got, NULL, &size, 0);
  if (is(how, "null buf"))
    GP_Get(g_p, lo, lo, NULL, ptr, ld, got, ld, &size, 0);
  if (is(how, "null buf_ptr"))
    GP_Put(g_p, zero, all, NULL, ld, got, ld, &size, 0);
  if (is(how, "null size"))
    GP_Get_size(g_p, zero, all, NULL);
  if (is(how, "low size"))
    GP_Get_size(g_p, zero, all, (int *)0 + 6);
  if (is(how, "low lo"))
    GP_Get_size(g_p, (int *)0 + 6, all, &size);
  if (is(how, "null entry")) {
    ptr[0] = NULL;
    GP_Put(g_p, lo, lo, ptr, ld, got, ld, &size, 0);
  }
  if (is(how, "negative")) {
    got[0] = -4;
    GP_Put(g_p, lo, lo, ptr, ld, got, ld, &size, 0);
  }
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  const char *how = argv[1];
  CHECK(acp_init(NULL, NULL) == 0);
  me = acp_rank();
  procs = acp_procs();
  if (is(how, "early")) {
    if (me == procs - 1)
      GP_Create_handle();
    pause();
  }
  GP_Initialize();
  g_p = GP_Create_handle();
  CHECK(GP_Create_handle() == g_p + 1);
  GP_Set_dimensions(g_p, 2, dims);
  CHECK(GP_Allocate(g_p) == 1);
  int lo[2], hi[2];
  GP_Distribution(g_p, me, lo, hi);
  mem = GP_Malloc(80);
  GP_Assign_local_element(g_p, lo, mem, 80);
  GP_Sync();
  if (is(how, "differ")) {
    int g = g_p + 1;
    one[0] = me == procs - 1 ? 5 : 4;
    GP_Set_dimensions(g, 1, one);
    GP_Allocate(g);
  }
  if (is(how, "destroyed"))
    CHECK(GP_Destroy(g_p + 1) == 1);
  if (is(how, "late start")) {
    int g = g_p + 1, n = 3, mapc[2] = {0, 9}, nblock[1] = {2};
    GP_Set_dimensions(g, 1, &n);
    GP_Set_irreg_distr(g, mapc, nblock);
    GP_Allocate(g);
  }
  if (is(how, "terminated")) {
    GP_Terminate();
    if (me == procs - 1)
      GP_Sync();
    pause();
  }
  if (me == procs - 1) {
    handles(how);
    shapes(how);
    elements(how);
    moves(how);
    fprintf(stderr, "no mistake is called %s\n", how);
    acp_abort("wrong argument");
  }
  pause();
  return 0;
}
